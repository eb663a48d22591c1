import DaybookCrypto
import DaybookEncoding

/// The words of a text in NFKD and small letters, as BIP 39's lists have them.
///
/// White space and commas separate words. A number before a word, as lists have it, and a byte
/// order mark at the beginning are no part of it.
struct MnemonicText: ~Copyable {
    private let letters: SecretBytes
    private let words: [Range<Int>]

    /// How many words there are.
    var count: Int { words.count }

    init(_ text: borrowing SecretBytes) throws(MnemonicError) {
        guard text.count <= Mnemonic.maximumTextLength else { throw .textLength(text.count) }
        switch text.withBytes({ TextFault.of($0) }) {
        case .utf16?: throw .text(.utf16)
        case .nul?: throw .text(.nul)
        case .notUTF8?: throw .text(.notUTF8)
        // These are no part of a word.
        case .byteOrderMark?, .lineBreak?, nil: break
        }
        let parts = text.withBytes { Self.parts(of: $0) }
        var words: [Range<Int>] = []
        letters = SecretBytes(count: text.count * Decomposition.growth) { letters in
            var end = 0
            for part in parts {
                let word = text.withBytes { Self.normalized($0.extracting(part)) }
                let start = end
                word?.withBytes { word in
                    for index in Self.number(before: word)..<word.count {
                        letters[end] = word[index]
                        end += 1
                    }
                }
                // A text that has no normal form is a word that no list has.
                if end > start || word == nil { words.append(start..<end) }
            }
        }
        self.words = words
    }

    /// The ranges of the texts between separators.
    private static func parts(of text: Span<UInt8>) -> [Range<Int>] {
        guard let characters = try? UTF8Span(validating: text) else { return [] }
        var parts: [Range<Int>] = []
        var start = 0
        var scalars = characters.makeUnicodeScalarIterator()
        var offset = 0
        while let scalar = scalars.next() {
            let end = scalars.currentCodeUnitOffset
            let isMark = scalar == byteOrderMark && offset == 0
            if isMark || isSeparator(scalar) {
                if start < offset { parts.append(start..<offset) }
                start = end
            }
            offset = end
        }
        if start < offset { parts.append(start..<offset) }
        return parts
    }

    private static let byteOrderMark: Unicode.Scalar = "\u{feff}"

    /// Whether it is Unicode's white space, or a comma, also of full or half width.
    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || [0x2c, 0x3001, 0xff0c, 0xff64].contains(scalar.value)
    }

    /// The normal form with small letters from A to Z; nil for a text that has none.
    private static func normalized(_ word: Span<UInt8>) -> SecretBytes? {
        var count = 0
        let room = try? SecretBytes(count: word.count * Decomposition.growth) {
            (letters) throws(DecompositionError) in
            count = try Decomposition.write(word, to: &letters)
            for index in 0..<count where (0x41...0x5a).contains(letters[index]) {
                letters[index] |= 0x20
            }
        }
        return room?.withBytes { SecretBytes(copying: $0.extracting(0..<count)) }
    }

    /// The length of a number before a word, such as `7`, `7.`, `7)` or `7:`.
    private static func number(before word: Span<UInt8>) -> Int {
        var length = 0
        while length < word.count, (0x30...0x39).contains(word[length]) { length += 1 }
        guard length > 0, length < word.count else { return length }
        return ".):".utf8.contains(word[length]) ? length + 1 : length
    }
}

// MARK: - Electrum

extension MnemonicText {
    /// Whether the text has a version of Electrum's seeds, which are no words of BIP 39.
    ///
    /// Electrum chooses words whose HMAC-SHA-512 under `Seed version` begins with 01, 100, 101 or
    /// 102 in hexadecimal. It leaves marks out.
    var isOfElectrum: Bool {
        var end = 0
        let joined = letters.withBytes { letters in
            SecretBytes(count: letters.count + words.count) { text in
                for word in words {
                    if end > 0 {
                        text[end] = UInt8(ascii: " ")
                        end += 1
                    }
                    end = Self.copyWithoutMarks(letters.extracting(word), to: &text, at: end)
                }
            }
        }
        let name = SecretBytes(copying: Bytes("Seed version".utf8))
        let code = joined.withBytes {
            HMACSHA512.authenticate($0.extracting(0..<end), key: name)
        }
        return code.withBytes { $0[0] == 0x01 || $0[0] == 0x10 && $0[1] >> 4 <= 2 }
    }

    private static func copyWithoutMarks(
        _ word: Span<UInt8>, to text: inout MutableSpan<UInt8>, at start: Int
    ) -> Int {
        guard let characters = try? UTF8Span(validating: word) else { return start }
        var scalars = characters.makeUnicodeScalarIterator()
        var (offset, end) = (0, start)
        while let scalar = scalars.next() {
            let next = scalars.currentCodeUnitOffset
            if scalar.properties.canonicalCombiningClass == .notReordered {
                for index in offset..<next {
                    text[end] = word[index]
                    end += 1
                }
            }
            offset = next
        }
        return end
    }
}

// MARK: - The lists

extension MnemonicText {
    /// How a text spells the words of a list.
    enum Spelling {
        case exact
        /// Without accents, which a keyboard may lack.
        case plain
    }

    /// The words' numbers, eleven bits each; nil unless the list has all of them.
    func bits(in list: WordList, _ spelling: Spelling) -> SecretBytes? {
        guard words.indices.allSatisfy({ number(at: $0, in: list, spelling) != nil })
        else { return nil }
        return SecretBytes(count: (count * 11 + 7) / 8) { bits in
            for place in words.indices {
                let number = number(at: place, in: list, spelling) ?? 0
                for bit in 0..<11 where number >> (10 - bit) & 1 == 1 {
                    let position = place * 11 + bit
                    bits[position / 8] |= 0x80 >> UInt8(position % 8)
                }
            }
        }
    }

    /// The first word that is missing in the lists that have the most words.
    func unknownWord() -> MnemonicError {
        var (most, place, languages) = (0, 0, [WordList.Language]())
        for language in WordList.Language.allCases {
            let list = WordList.of(language)
            let known = words.indices.filter { number(at: $0, in: list, .plain) != nil }
            let first = words.indices.first { !known.contains($0) } ?? 0
            if known.count > most {
                (most, place, languages) = (known.count, first, [language])
            } else if known.count == most, most > 0, first == place {
                languages.append(language)
            }
        }
        return .unknownWord(at: place + 1, closest: languages)
    }

    private func number(at place: Int, in list: WordList, _ spelling: Spelling) -> Int? {
        letters.withBytes { letters in
            let word = letters.extracting(words[place])
            if let number = list.number(of: word) { return number }
            return spelling == .plain ? list.number(ofPlain: word) : nil
        }
    }
}
