import DaybookEncoding

/// Removes secrets from a link's text before it is recorded.
///
/// A secret in plain text is replaced by its mark. If a secret is encoded, the whole encoded value
/// is replaced. If a secret is still found then, everything after the scheme is replaced.
enum Redaction {
    /// The text with each secret replaced by its mark; the same text if there is none.
    static func redact(_ text: Bytes) -> Bytes {
        guard findsSecret(in: text) else { return text }
        let clear = secretsInClear(text, decoded: SecretViews.percentDecoded(text))
        let redacted = replacingValues(in: replacing(clear, in: text))
        guard let left = anySecret(in: redacted) else { return redacted }
        let mark = SecretMark.text(left.kind, left.range.count)
        guard let scheme = LinkText.scheme(of: redacted) else { return mark }
        return Bytes("\(scheme):".utf8) + mark
    }

    /// Whether the text contains a secret, in plain text or encoded.
    static func findsSecret(in text: Bytes) -> Bool {
        anySecret(in: text) != nil
    }

    private static func anySecret(in text: Bytes) -> FoundSecret? {
        let decoded = SecretViews.percentDecoded(text)
        if let first = secretsInClear(text, decoded: decoded).first { return first }
        for value in values(of: text) {
            if let hidden = hidden(in: text[value], depth: deepest) { return hidden }
        }
        guard decoded.count < text.count else { return nil }
        // A secret can extend over escaped and unescaped separators.
        return secretsInClear(decoded, decoded: SecretViews.percentDecoded(decoded)).first
    }

    private static func secretsInClear(_ text: Bytes, decoded: Bytes) -> [FoundSecret] {
        let keys = KeyFinder.find(in: text)
        let words = MnemonicFinder.find(in: text)
        let digits = HexKeyFinder.find(in: text, decoded: decoded)
        if keys.isEmpty && words.isEmpty && digits.isEmpty { return [] }
        return (keys + words + digits).sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// A secret in a decoding of the bytes or of their parts, also behind several encodings.
    private static func hidden(in bytes: ArraySlice<UInt8>, depth: Int) -> FoundSecret? {
        guard depth > 0, bytes.count >= shortest else { return nil }
        for way in SecretViews.Way.allCases {
            guard let view = SecretViews.decoded(bytes, way) else { continue }
            if let found = KeyFinder.find(in: view).first { return found }
            if let found = MnemonicFinder.find(in: view, isDecoded: true).first { return found }
            if let found = hidden(in: view[...], depth: depth - 1) { return found }
        }
        for part in SecretViews.parts(of: bytes) {
            if let found = hidden(in: part, depth: depth - 1) { return found }
        }
        return nil
    }

    /// The fewest bytes of a secret, which are those of seed words; no decoding adds bytes.
    static let shortest = MnemonicFinder.shortest

    /// The most encodings within each other: escapes, base64, JSON, base64, escapes, and one more.
    private static let deepest = 6

    private static func replacing(_ secrets: [FoundSecret], in text: Bytes) -> Bytes {
        var result = Bytes()
        var index = 0
        for secret in secrets where secret.range.lowerBound >= index {
            result += text[index..<secret.range.lowerBound]
            result += SecretMark.text(secret.kind, secret.range.count)
            index = secret.range.upperBound
        }
        return result + text[index...]
    }

    private static func replacingValues(in text: Bytes) -> Bytes {
        let secrets = values(of: text).compactMap { value -> (Range<Int>, FoundSecret)? in
            hidden(in: text[value], depth: deepest).map { (value, $0) }
        }
        var result = Bytes()
        var index = 0
        for (value, secret) in secrets {
            result += text[index..<value.lowerBound]
            result += SecretMark.text(secret.kind, secret.range.count)
            index = value.upperBound
        }
        return result + text[index...]
    }

    /// The ranges of the link's parts that are long enough for a secret.
    private static func values(of text: Bytes) -> [Range<Int>] {
        LinkCharacters.value.runs(atLeast: shortest, in: text[...])
    }
}

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

/// The kind of a secret that was found in a link; its raw value is part of the recorded mark.
enum SecretKind: String, CaseIterable {
    /// A private key in wallet import format.
    case wif
    /// A private key under a passphrase.
    case bip38
    /// An extended private key of BIP 32.
    case xprv
    /// Twelve or more words of BIP 39 in a row.
    case mnemonic
    /// A private key in hexadecimal.
    case hex
}

/// A secret and its range in the bytes that were searched.
struct FoundSecret {
    let kind: SecretKind
    let range: Range<Int>
}
