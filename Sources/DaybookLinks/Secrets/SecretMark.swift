import DaybookEncoding

/// The mark that is recorded in place of a secret: its kind and length, such as `[wif:52]`.
///
/// No accepted link has an unescaped bracket, so none contains a mark.
enum SecretMark {
    /// The mark for a secret of so many characters.
    static func text(_ kind: SecretKind, _ length: Int) -> Bytes {
        Bytes("[\(kind.rawValue):\(length)]".utf8)
    }

    /// The mark for a whole text that is too long to be recorded.
    static func overlong(_ length: Int) -> Bytes {
        Bytes("[link:\(length)]".utf8)
    }

    /// Whether the text is the mark of one that was too long.
    static func isOverlong(_ text: Bytes) -> Bool {
        end(ofMark: "link", in: text[...]) == text.endIndex
    }

    /// Whether the text contains the mark of a secret.
    static func stands(in text: Bytes) -> Bool {
        guard LinkText.holds(UInt8(ascii: "["), text[...]) else { return false }
        for index in text.indices where text[index] == UInt8(ascii: "[") {
            let isMark = SecretKind.allCases.contains { kind in
                end(ofMark: kind.rawValue, in: text[index...]) != nil
            }
            if isMark { return true }
        }
        return false
    }

    /// The end of the mark that the bytes begin with; nil if they begin with none.
    private static func end(ofMark name: String, in bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.first == UInt8(ascii: "["), bytes.starts(with: "[\(name):".utf8) else {
            return nil
        }
        let rest = bytes.dropFirst(name.utf8.count + 2)
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard !digits.isEmpty, digits.endIndex < bytes.endIndex,
            bytes[digits.endIndex] == UInt8(ascii: "]")
        else { return nil }
        return digits.endIndex + 1
    }
}
