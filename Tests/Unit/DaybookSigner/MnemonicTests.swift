import DaybookCrypto
import DaybookEncoding
import Foundation
import Testing
import TestSupport

@testable import DaybookSigner

@Suite struct MnemonicTests {
    struct File: Decodable {
        struct Vector: Decodable { let entropy, words, seed, xprv: String }
        let vectors: [Vector]
    }

    static let zeros = eleven + "about"

    @Test func `entropy and words of the reference vectors lead to each other`() throws {
        let vectors = try Fixture.load("keys/bip39.json", as: File.self).vectors
        #expect(vectors.count == 24)
        for vector in vectors {
            let mnemonic = try Mnemonic(entropy: secret(hex: vector.entropy))
            #expect(mnemonic.words().plain() == Bytes(vector.words.utf8))
            let parsed = try Mnemonic(parsing: secret(vector.words))
            #expect(parsed.entropy.plain() == Hex.decode(vector.entropy))
        }
    }

    @Test func `seeds and master keys are those of the reference vectors`() throws {
        for vector in try Fixture.load("keys/bip39.json", as: File.self).vectors {
            let mnemonic = try Mnemonic(parsing: secret(vector.words))
                .with(passphrase: secret("TREZOR"))
            let seed = try mnemonic.seed()
            #expect(seed.plain() == Hex.decode(vector.seed))
            let master = ExtendedPrivateKey(seed: seed)?.xprv(.main)
            #expect(master == vector.xprv)
        }
    }

    @Test func `every length of entropy comes back from its words`() throws {
        for (length, count) in [(16, 12), (20, 15), (24, 18), (28, 21), (32, 24)] {
            let entropy = (0..<length).map { UInt8($0 * 7 + length) }
            let words = try Mnemonic(entropy: SecretBytes(copying: entropy)).words()
            #expect(words.plain().split(separator: 0x20).count == count)
            let parsed = try Mnemonic(parsing: words)
            #expect(parsed.entropy.plain() == entropy)
        }
    }

    @Test func `words in Japanese make the seeds of the reference vectors`() throws {
        struct Japanese: Decodable {
            let passphrase: String
            let vectors: [File.Vector]
        }
        let file = try Fixture.load("keys/bip39-japanese.json", as: Japanese.self)
        for vector in file.vectors {
            for words in [
                vector.words, vector.words.decomposedStringWithCompatibilityMapping,
                vector.words.replacing("\u{3000}", with: "\u{a0}"),
            ] {
                let mnemonic = try Mnemonic(parsing: secret(words))
                    .with(passphrase: secret(file.passphrase))
                #expect(mnemonic.language == .japanese)
                #expect(mnemonic.entropy.plain() == Hex.decode(vector.entropy))
                let seed = try mnemonic.seed()
                #expect(seed.plain() == Hex.decode(vector.seed))
                #expect(ExtendedPrivateKey(seed: seed)?.xprv(.main) == vector.xprv)
            }
        }
    }

    @Test(arguments: WordList.Language.allCases)
    func `words of every list are read and sealed`(language: WordList.Language) throws {
        for length in Mnemonic.entropyLengths {
            let entropy = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 37 + length) }
            let made = try Mnemonic(entropy: SecretBytes(copying: entropy), language: language)
            let words = made.words().plain()
            let composed = String(decoding: words, as: UTF8.self)
                .precomposedStringWithCanonicalMapping
            let parsed = try Mnemonic(parsing: secret(composed))
            #expect(parsed.words().plain() == words)
            let sealed = WalletSecret.mnemonic(made).encoded()
            guard case .mnemonic(let opened)? = WalletSecret(decoding: sealed) else {
                Issue.record("the sealed words of \(language) do not open")
                return
            }
            #expect(opened.language == language)
            #expect(opened.words().plain() == words)
        }
    }

    @Test func `a passphrase is sealed with the words, and other bytes are refused`() throws {
        let made = try Mnemonic(entropy: SecretBytes(count: 16) { _ in }, language: .japanese)
            .with(passphrase: secret("\u{fb01} é"))
        let seed = try made.seed()
        #expect(!seed.matches(try Mnemonic(parsing: made.words()).seed()))
        let sealed = WalletSecret.mnemonic(made).encoded()
        guard case .mnemonic(let opened)? = WalletSecret(decoding: sealed) else {
            Issue.record("the sealed words do not open")
            return
        }
        #expect(opened.language == .japanese)
        #expect(try opened.seed().matches(seed))
        let bytes = sealed.plain()
        #expect(bytes[..<3] == [32, 16, 16])
        // Without a passphrase, with another length, and of a language that is none.
        var others = (0...19).map { Bytes(bytes[..<$0]) }
        others += [[32, 16, 15] + bytes[3...], [32, 0, 16] + bytes[3...]]
        for other in others {
            let isRead = WalletSecret(decoding: SecretBytes(copying: other)) != nil
            #expect(!isRead)
        }
        let faults: [(Bytes, MnemonicError)] = [
            ([0xff, 0xfe, 0x41, 0], .passphrase(.utf16)), ([0x41, 10], .passphrase(.lineBreak)),
            (Bytes(repeating: 0x41, count: 257), .passphraseLength(257)),
            (Bytes("\u{378}".utf8), .passphraseCharacter),
        ]
        for (text, fault) in faults {
            #expect(throws: fault) {
                _ = try Mnemonic(parsing: secret(Self.zeros))
                    .with(passphrase: SecretBytes(copying: text)).entropy.count
            }
        }
    }

    @Test func `the checksum decides between lists, and accents may lack`() throws {
        let shared =
            "aspect puzzle voyage opinion image crucial million voyage sentence mobile suspect"
            + " double"
        #expect(try Mnemonic(parsing: secret(shared)).language == .french)
        for (first, last, plain, language) in [
            ("académie ", "caméra", "camera", WordList.Language.french),
            ("ábaco ", "ámbar", "ambar", .spanish),
        ] {
            let words = String(repeating: first, count: 11)
            let mnemonic = try Mnemonic(parsing: secret(words + plain))
            #expect(mnemonic.language == language)
            #expect(
                mnemonic.words().plain()
                    == Bytes((words + last).decomposedStringWithCompatibilityMapping.utf8))
        }
    }

    @Test(arguments: [
        "\u{feff}{}", "{}\u{a0}", "{},", "{}、", "{}，\n", "{}\u{3000}", "{}\u{2028}", "{}\u{85}",
        "1. {} ", "7) {}\r\n", "12 {} ", "3: {} ", "1.{} ", "24{} ", "①　{}　", "{}, ", "\t{}\t",
    ])
    func `an editor's or a list's additions are no part of a word`(pattern: String) throws {
        let separator = pattern.hasPrefix("\u{feff}") ? " " : ""
        let text = Self.zeros.split(separator: " ").enumerated().map { place, word in
            let pattern = place > 0 ? pattern.replacing("\u{feff}", with: "") : pattern
            return pattern.replacing("{}", with: word) + separator
        }
        let mnemonic = try Mnemonic(parsing: secret(text.joined()))
        #expect(mnemonic.entropy.plain() == Bytes(repeating: 0, count: 16))
        #expect(mnemonic.language == .english)
    }

    @Test func `a text that is not in UTF-8 is refused by name`() {
        let utf16: Bytes = Self.zeros.utf8.flatMap { [$0, 0] as Bytes }
        let texts: [(Bytes, TextFault)] = [
            ([0xff, 0xfe] + utf16, .utf16), (utf16, .nul),
            (Bytes("acad".utf8) + [0xe9] + Bytes("mie".utf8), .notUTF8),
        ]
        for (text, fault) in texts {
            #expect(throws: MnemonicError.text(fault)) {
                _ = try Mnemonic(parsing: SecretBytes(copying: text)).entropy.count
            }
        }
    }

    @Test func `an unknown word is named with its place and the lists that fit best`() {
        let unknown = MnemonicError.unknownWord(at: 12, closest: [.english, .french])
        #expect(
            unknown.description
                == "word 12 is not in the list of BIP 39 that fits best: English, French")
        #expect(
            MnemonicError.unknownWord(at: 1, closest: []).description
                == "no list of BIP 39 has any of the words")
    }

    @Test func `white space and case do not matter`() throws {
        let text = "\n\t" + Self.zeros.uppercased().split(separator: " ").joined(separator: " \r\n")
        let mnemonic = try Mnemonic(parsing: secret(text + "\n"))
        #expect(mnemonic.entropy.plain() == Bytes(repeating: 0, count: 16))
    }

    static let eleven = String(repeating: "abandon ", count: 11)
    static let otherWords: [(String, MnemonicError)] = [
        ("", .wordCount(0)),
        ("abandon", .wordCount(1)),
        ("\(eleven)abandon about", .wordCount(13)),
        ("\(eleven)abandon", .checksum),
        ("about \(eleven)", .checksum),
        ("\(eleven)abou", unknown(12)),
        ("\(eleven)aboutx", unknown(12)),
        ("zzzz \(eleven)", unknown(1)),
        ("\(eleven)ábout", unknown(12)),
        ("\(eleven)about\0", .text(.nul)),
        ("\(eleven)aboutabout", unknown(12)),
        ("\(eleven)ab0ut", unknown(12)),
        ("ability \(String(repeating: "zebra ", count: 10))zzzz",
            .unknownWord(at: 12, closest: [.english])),
        (String(repeating: "1zzzz ", count: 12), .unknownWord(at: 1, closest: [])),
        ("wild father tree among universe such mobile favorite target dynamic credit identify",
            .electrum),
        ("bitter grass shiver impose acquire brush forget axis eager alone wine silver",
            .electrum),
        ("\(eleven)a\(String(repeating: "\u{301}", count: 40))", unknown(12)),
    ]

    /// English and French have `abandon`.
    private static func unknown(_ place: Int) -> MnemonicError {
        .unknownWord(at: place, closest: [.english, .french])
    }

    @Test(arguments: otherWords)
    func `other words are refused, by their place`(text: String, expected: MnemonicError) {
        #expect(throws: expected) { _ = try Mnemonic(parsing: secret(text)).entropy.count }
    }

    @Test(arguments: [0, 4, 15, 17, 33, 64])
    func `other lengths of entropy are refused`(length: Int) {
        #expect(throws: MnemonicError.entropyLength(length)) {
            _ = try Mnemonic(entropy: SecretBytes(count: length) { _ in }).entropy.count
        }
    }

    @Test func `a text beyond the limit is refused`() {
        let text = Self.zeros + String(repeating: " ", count: Mnemonic.maximumTextLength)
        #expect(throws: MnemonicError.textLength(text.utf8.count)) {
            _ = try Mnemonic(parsing: secret(text)).entropy.count
        }
    }
}
