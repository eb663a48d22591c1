import DaybookEncoding

/// Finds seed words: twelve or more words of BIP 39 in a row, with any separators.
///
/// Their checksum is not verified: words with a mistake in them are still a secret.
enum MnemonicFinder {
    /// In a decoded value the separators of a link's pairs (`=&?:#`) may separate words too.
    static func find(in bytes: Bytes, isDecoded: Bool = false) -> [FoundSecret] {
        guard holdsWord(bytes) else { return [] }
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

    /// The bytes of twelve words of three letters and eleven separators.
    static let shortest = 47

    /// Whether the bytes can contain twelve words in a row; a quick test.
    ///
    /// Twelve words have at least `shortest` bytes. So one of every `shortest` bytes would lie in a
    /// word, or in the gap before one.
    private static func holdsWord(_ bytes: Bytes) -> Bool {
        stride(from: shortest - 1, to: bytes.count, by: shortest).contains { place in
            var start = place
            while start < bytes.count, start - place <= longestGap, !isLetter(bytes[start]) {
                start += 1
            }
            var end = start
            while start > 0, place - start < longestWord, isLetter(bytes[start - 1]) { start -= 1 }
            while end < bytes.count, end - start <= longestWord, isLetter(bytes[end]) { end += 1 }
            return isWord(bytes[start..<end])
        }
    }

    private static let longestGap = 256
    private static let longestWord = 8

    /// Whether the bytes can separate two words.
    ///
    /// For example a space, `%20`, a comma and a line break, a number and a point, or the quotes
    /// and indentation of a JSON list.
    private static func isGap(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count <= longestGap && bytes.count { !" \t\r\n".utf8.contains($0) } <= 8
    }

    /// Whether the bytes separate pairs of a link, whose keys (`amount`, `message`) are words too.
    private static func dividesPairs(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.contains { "=&?:#".utf8.contains($0) }
    }

    private static func isWord(_ bytes: ArraySlice<UInt8>) -> Bool {
        (3...longestWord).contains(bytes.count) && BIP39Words.contains(bytes)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
