import DaybookCrypto
import DaybookEncoding
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
            let seed = try mnemonic.seed(normalizedPassphrase: Bytes("TREZOR".utf8))
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
        ("\(eleven)abou", .unknownWord(at: 12)),
        ("\(eleven)aboutx", .unknownWord(at: 12)),
        ("zzzz \(eleven)", .unknownWord(at: 1)),
        ("\(eleven)ábout", .unknownWord(at: 12)),
        ("\(eleven)about\0", .unknownWord(at: 12)),
        ("\(eleven)aboutabout", .unknownWord(at: 12)),
    ]

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
        #expect(throws: MnemonicError.wordCount(12)) {
            _ = try Mnemonic(parsing: secret(text)).entropy.count
        }
    }
}
