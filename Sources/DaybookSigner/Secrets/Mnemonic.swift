package import DaybookCrypto
package import DaybookEncoding

/// A wallet's secret as words of one of BIP 39's lists, with BIP 39's optional passphrase.
package struct Mnemonic: ~Copyable, Sendable {
    /// The entropy: 16, 20, 24, 28 or 32 bytes.
    package let entropy: SecretBytes
    /// The list of the words, from which the seed is made.
    package let language: WordList.Language
    /// The passphrase in NFKD; empty if there is none.
    let passphrase: SecretBytes

    /// The longest passphrase, in bytes.
    package static let maximumPassphraseLength = 256

    /// The entropy lengths of BIP 39, in bytes.
    package static let entropyLengths = [16, 20, 24, 28, 32]

    /// The longest text that is parsed, in bytes, with room for white space and numbers.
    package static let maximumTextLength = 4096

    /// Makes a mnemonic from random bytes.
    package init(
        entropy: consuming SecretBytes, language: WordList.Language = .english
    ) throws(MnemonicError) {
        try self.init(entropy: entropy, language: language, passphrase: SecretBytes(copying: []))
    }

    /// Makes a mnemonic with a passphrase that is in NFKD.
    init(
        entropy: consuming SecretBytes, language: WordList.Language,
        passphrase: consuming SecretBytes
    ) throws(MnemonicError) {
        guard Self.entropyLengths.contains(entropy.count) else {
            throw .entropyLength(entropy.count)
        }
        self.entropy = entropy
        self.language = language
        self.passphrase = passphrase
    }

    /// Parses words in UTF-8 and in any case, of the list that has all of them.
    ///
    /// If several lists have them, the checksum decides. Their seed is the same, because it is made
    /// of the words.
    package init(parsing text: borrowing SecretBytes) throws(MnemonicError) {
        self = try Self.read(try MnemonicText(text))
    }

    /// The same words with BIP 39's passphrase, a text in UTF-8: other keys follow from it.
    package consuming func with(
        passphrase text: borrowing SecretBytes
    ) throws(MnemonicError) -> Mnemonic {
        if let fault = text.withBytes({ TextFault.of($0) }) { throw .passphrase(fault) }
        guard text.count <= Self.maximumPassphraseLength else {
            throw .passphraseLength(text.count)
        }
        var count = 0
        let normal: SecretBytes
        do {
            normal = try SecretBytes(count: text.count * Decomposition.growth) {
                (letters) throws(DecompositionError) in
                count = try text.withBytes { (text) throws(DecompositionError) in
                    try Decomposition.write(text, to: &letters)
                }
            }
        } catch {
            throw .passphraseCharacter
        }
        return try Mnemonic(
            entropy: entropy, language: language,
            passphrase: normal.withBytes { SecretBytes(copying: $0.extracting(0..<count)) })
    }

    /// The words in UTF-8 and NFKD, separated by spaces.
    package func words() -> SecretBytes {
        let list = WordList.of(language).words
        let length = (0..<wordCount).reduce(wordCount - 1) { $0 + list[number(at: $1)].count }
        return SecretBytes(count: length) { text in
            var offset = 0
            for place in 0..<wordCount {
                if offset > 0 {
                    text[offset] = UInt8(ascii: " ")
                    offset += 1
                }
                for byte in list[number(at: place)] {
                    text[offset] = byte
                    offset += 1
                }
            }
        }
    }

    /// The 64-byte seed of the master key.
    package func seed() throws(KeyDerivationError) -> SecretBytes {
        let name = Bytes("mnemonic".utf8)
        let salt = SecretBytes(count: name.count + passphrase.count) { salt in
            for index in name.indices { salt[index] = name[index] }
            passphrase.withBytes { passphrase in
                for index in passphrase.indices { salt[name.count + index] = passphrase[index] }
            }
        }
        return try salt.withBytes { (salt) throws(KeyDerivationError) in
            try PBKDF2.derive(
                .sha512, passphrase: words(), salt: salt, iterations: 2048, length: 64)
        }
    }

    private var wordCount: Int { entropy.count * 8 * 33 / 32 / 11 }

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
    /// Whether a text may be Electrum's words too, as one in two hundred of BIP 39's is.
    package static func mayBeElectrum(_ text: borrowing SecretBytes) -> Bool {
        (try? MnemonicText(text))?.isOfElectrum ?? false
    }

    private static func read(
        _ text: borrowing MnemonicText
    ) throws(MnemonicError) -> Mnemonic {
        guard [12, 15, 18, 21, 24].contains(text.count) else { throw .wordCount(text.count) }
        var isKnown = false
        for spelling in [MnemonicText.Spelling.exact, .plain] {
            for language in WordList.Language.allCases {
                guard let bits = text.bits(in: WordList.of(language), spelling) else { continue }
                isKnown = true
                let length = text.count * 11 * 32 / 33 / 8
                let entropy = bits.withBytes { SecretBytes(copying: $0.extracting(0..<length)) }
                if bits.withBytes({ $0[length] }) == checksum(of: entropy) {
                    return try Mnemonic(entropy: entropy, language: language)
                }
            }
        }
        if text.isOfElectrum { throw .electrum }
        throw isKnown ? .checksum : text.unknownWord()
    }
}

/// Why words or entropy are not a mnemonic; an error never contains a word.
package enum MnemonicError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Entropy has 16, 20, 24, 28 or 32 bytes.
    case entropyLength(Int)
    /// The text is too long to be words.
    case textLength(Int)
    /// The text can't be read.
    case text(TextFault)
    /// There are 12, 15, 18, 21 or 24 words.
    case wordCount(Int)
    /// The word at this place, counted from one, is not in the lists that have most of the words.
    case unknownWord(at: Int, closest: [WordList.Language])
    /// One list has all words, but the checksum is wrong: a word is wrong, or two are swapped.
    case checksum
    /// The words are not BIP 39's, and have the version that Electrum puts into its words.
    case electrum
    /// The passphrase of the words can't be typed.
    case passphrase(TextFault)
    /// The passphrase has a character that other wallets may not know.
    case passphraseCharacter
    case passphraseLength(Int)

    /// The error as one line in lower case.
    package var description: String {
        switch self {
        case .entropyLength(let count): return "a mnemonic is not made of \(count) bytes"
        case .textLength(let count):
            return "\(count) bytes are no mnemonic: the limit is \(Mnemonic.maximumTextLength)"
        case .text(let fault): return "the text of the words \(fault)"
        case .wordCount(let count):
            return "a mnemonic has 12, 15, 18, 21 or 24 words, not \(count)"
        case .unknownWord(let place, let closest):
            guard !closest.isEmpty else { return "no list of BIP 39 has any of the words" }
            let names = closest.map(\.rawValue).joined(separator: ", ")
            return "word \(place) is not in the list of BIP 39 that fits best: \(names)"
        case .checksum:
            return "the words do not fit together: one is wrong or out of place"
        case .electrum:
            return "the words are not BIP 39's; they seem to be Electrum's, which makes other keys"
                + " of words: restore them with Electrum, and send the coins from there"
        case .passphrase(let fault): return "the passphrase of the words \(fault)"
        case .passphraseCharacter:
            return "the passphrase of the words has a character that wallets may read differently"
        case .passphraseLength(let count):
            return "\(count) bytes are no passphrase of words: the limit is"
                + " \(Mnemonic.maximumPassphraseLength)"
        }
    }
}
