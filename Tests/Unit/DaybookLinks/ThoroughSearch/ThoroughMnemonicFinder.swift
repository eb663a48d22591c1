import DaybookEncoding

@testable import DaybookLinks

/// Finds seed words: twelve or more words of BIP 39 in a row, however they are set apart.
///
/// The checksum is not asked for: words with a mistake in them are a secret all the same.
enum ThoroughMnemonicFinder {
    /// In a decoded value words may also be set apart by what sets apart the pairs of a link.
    static func find(in bytes: Bytes, isDecoded: Bool = false) -> [FoundSecret] {
        var found: [FoundSecret] = []
        var words: [Range<Int>] = []
        func close() {
            if words.count >= fewestWords, let first = words.first, let last = words.last {
                let range = first.lowerBound..<last.upperBound
                found.append(FoundSecret(kind: .mnemonic, range: range))
            }
            words = []
        }
        var index = 0
        while index < bytes.count {
            guard isLetter(bytes[index]) else {
                index += 1
                continue
            }
            var end = index
            while end < bytes.count, isLetter(bytes[end]) { end += 1 }
            let word = index..<end
            if let last = words.last {
                let between = bytes[last.upperBound..<word.lowerBound]
                if !isGap(between) || !isDecoded && dividesPairs(between) { close() }
            }
            if isWord(bytes[word]) { words.append(word) } else { close() }
            index = end
        }
        close()
        return found
    }

    private static let fewestWords = 12

    /// A space, `%20`, a comma and a line's end, a number and a point, the quotes and the
    /// indentation of a list in JSON, …
    private static func isGap(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count <= 256 && bytes.count { !" \t\r\n".utf8.contains($0) } <= 8
    }

    /// In a link `amount` and `message` are words too.
    private static func dividesPairs(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.contains { "=&?:#".utf8.contains($0) }
    }

    private static func isWord(_ bytes: ArraySlice<UInt8>) -> Bool {
        (3...8).contains(bytes.count) && BIP39Words.index(of: bytes.map { $0 | 0x20 }) != nil
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
