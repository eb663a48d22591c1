package import DaybookCrypto
import DaybookEncoding

/// A wallet's secret as English words (BIP 39).
///
/// BIP 39's optional passphrase is always the empty one: the rule for others needs Unicode's
/// NFKD, which is out of reach without Foundation, and a wrong form would lose money silently.
package struct Mnemonic: ~Copyable, Sendable {
    /// The entropy: 16, 20, 24, 28 or 32 bytes.
    package let entropy: SecretBytes

    /// The entropy lengths of BIP 39, in bytes.
    package static let entropyLengths = [16, 20, 24, 28, 32]

    /// The longest text that is parsed, in bytes, with room for white space.
    package static let maximumTextLength = 1024

    /// Makes a mnemonic from random bytes.
    package init(entropy: consuming SecretBytes) throws(MnemonicError) {
        guard Self.entropyLengths.contains(entropy.count) else {
            throw .entropyLength(entropy.count)
        }
        self.entropy = entropy
    }

    /// Parses words in UTF-8, separated by any ASCII white space, in any ASCII case.
    package init(parsing text: borrowing SecretBytes) throws(MnemonicError) {
        let wordCount = text.withBytes { Self.wordCount($0) }
        guard [12, 15, 18, 21, 24].contains(wordCount), text.count <= Self.maximumTextLength
        else { throw .wordCount(wordCount) }
        let bits = try SecretBytes(count: (wordCount * 11 + 7) / 8) {
            (bits) throws(MnemonicError) in
            try text.withBytes { (text) throws(MnemonicError) in
                try Self.read(text, into: &bits)
            }
        }
        let length = wordCount * 11 * 32 / 33 / 8
        let entropy = bits.withBytes { SecretBytes(copying: $0.extracting(0..<length)) }
        let expected = Self.checksum(of: entropy)
        guard bits.withBytes({ $0[length] }) == expected else { throw .checksum }
        self.entropy = entropy
    }

    /// The words in UTF-8, separated by spaces.
    package func words() -> SecretBytes {
        let length = (0..<wordCount).reduce(wordCount - 1) { $0 + word(at: $1).utf8.count }
        return SecretBytes(count: length) { text in
            var offset = 0
            for place in 0..<wordCount {
                if offset > 0 {
                    text[offset] = UInt8(ascii: " ")
                    offset += 1
                }
                for byte in word(at: place).utf8 {
                    text[offset] = byte
                    offset += 1
                }
            }
        }
    }

    /// The 64-byte seed of the master key.
    package func seed() throws(KeyDerivationError) -> SecretBytes {
        try seed(normalizedPassphrase: [])
    }

    /// As `seed`, with a passphrase in NFKD: for the reference vectors, which have one.
    func seed(normalizedPassphrase: Bytes) throws(KeyDerivationError) -> SecretBytes {
        try PBKDF2.derive(
            .sha512, passphrase: words(), salt: Bytes("mnemonic".utf8) + normalizedPassphrase,
            iterations: 2048, length: 64)
    }

    private var wordCount: Int { entropy.count * 8 * 33 / 32 / 11 }

    /// Words have at most eight bytes, so that the String is stored inline and not on the heap.
    private func word(at place: Int) -> String {
        BIP39Words.english[number(at: place)]
    }

    /// The eleven bits of a word's position: entropy first, then the checksum.
    private func number(at place: Int) -> Int {
        entropy.withBytes { entropy in
            var number = 0
            for bit in (place * 11)..<(place * 11 + 11) {
                let byte =
                    bit / 8 < entropy.count ? entropy[bit / 8] : Self.checksum(of: self.entropy)
                number = number << 1 | Int(byte >> UInt8(7 - bit % 8) & 1)
            }
            return number
        }
    }

    /// The checksum: one bit for each four bytes of entropy, in the high bits of the byte.
    private static func checksum(of entropy: borrowing SecretBytes) -> UInt8 {
        let digest = entropy.withBytes { SHA256.hash($0) }
        return digest[0] & ~(0xff >> UInt8(entropy.count / 4))
    }
}

// MARK: - Reading

extension Mnemonic {
    private static func wordCount(_ text: Span<UInt8>) -> Int {
        var count = 0
        var inWord = false
        for index in text.indices {
            let isSpace = isSpace(text[index])
            if !isSpace, !inWord { count += 1 }
            inWord = !isSpace
        }
        return count
    }

    private static func read(
        _ text: Span<UInt8>, into bits: inout MutableSpan<UInt8>
    ) throws(MnemonicError) {
        var offset = 0
        var place = 0
        while offset < text.count {
            if isSpace(text[offset]) {
                offset += 1
                continue
            }
            let start = offset
            while offset < text.count, !isSpace(text[offset]) { offset += 1 }
            guard let number = number(of: text.extracting(start..<offset)) else {
                throw .unknownWord(at: place + 1)
            }
            for bit in 0..<11 where number >> (10 - bit) & 1 == 1 {
                let position = place * 11 + bit
                bits[position / 8] |= 0x80 >> UInt8(position % 8)
            }
            place += 1
        }
    }

    /// A word's number; the letters are compared as an integer, so no copy reaches the heap.
    private static func number(of word: Span<UInt8>) -> Int? {
        guard word.count <= 8 else { return nil }
        var letters: UInt64 = 0
        for index in word.indices {
            // The bit makes a capital letter small, and makes no letter of any other character.
            letters |= UInt64(word[index] | 0x20) << UInt64(56 - 8 * index)
        }
        return BIP39Words.index(
            of: sequence(state: letters) { rest in
                defer { rest <<= 8 }
                return rest == 0 ? nil : UInt8(rest >> 56)
            })
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || (0x09...0x0d).contains(byte)
    }
}

/// Why words or entropy are not a mnemonic; an error never contains a word.
package enum MnemonicError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Entropy has 16, 20, 24, 28 or 32 bytes.
    case entropyLength(Int)
    /// There are 12, 15, 18, 21 or 24 words.
    case wordCount(Int)
    /// The word at this place, counted from one, is not in the English list.
    case unknownWord(at: Int)
    /// Each word is in the list, but the checksum is wrong: a word is wrong, or two are swapped.
    case checksum

    /// The error as one line in lower case.
    package var description: String {
        switch self {
        case .entropyLength(let count): "a mnemonic is not made of \(count) bytes"
        case .wordCount(let count): "a mnemonic has 12, 15, 18, 21 or 24 words, not \(count)"
        case .unknownWord(let place): "word \(place) is not in the english list"
        case .checksum: "the words do not fit together: one is wrong or out of place"
        }
    }
}
