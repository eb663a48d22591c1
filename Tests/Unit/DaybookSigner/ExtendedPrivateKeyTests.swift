import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Testing
import TestSupport

@testable import DaybookSigner

@Suite struct ExtendedPrivateKeyTests {
    struct File: Decodable {
        struct Vector: Decodable {
            struct Key: Decodable { let path, xpub, xprv: String }
            let seed: String
            let keys: [Key]
        }
        let vectors: [Vector]
    }

    @Test func `keys are those of the reference vectors`() throws {
        let vectors = try Fixture.load("keys/bip32.json", as: File.self).vectors
        #expect(vectors.map(\.keys.count) == [6, 6, 2, 3])
        for vector in vectors {
            for expected in vector.keys {
                let path = try #require(DerivationPath(expected.path))
                let xprv = ExtendedPrivateKey(seed: secret(hex: vector.seed))?
                    .descendant(path)?.xprv(.main)
                #expect(xprv == expected.xprv)
                let xpub = ExtendedPrivateKey(seed: secret(hex: vector.seed))?
                    .descendant(path)?.publicKey(.main)?.text
                #expect(xpub == expected.xpub)
            }
        }
    }

    @Test func `public derivation arrives at the same keys`() throws {
        let path = try #require(DerivationPath("m/44'/5'/0'"))
        let account = ExtendedPrivateKey(seed: Self.seed)?.descendant(path)?.publicKey(.test)
        for index: UInt32 in [0, 1, 0x7fff_ffff] {
            let privately = ExtendedPrivateKey(seed: Self.seed)?.descendant(path)?
                .child(1)?.child(index)?.publicKey(.test)
            #expect(privately != nil)
            #expect(privately == account?.descendant(1, index))
        }
    }

    @Test func `a seed has 16 to 64 bytes`() {
        for length in [0, 15, 65] {
            let isKey = ExtendedPrivateKey(seed: SecretBytes(count: length) { _ in }) != nil
            #expect(!isKey)
        }
    }

    @Test func `the tree ends at depth 255`() throws {
        let deepest = try #require(DerivationPath(Array(repeating: 0, count: 255)))
        let depth = ExtendedPrivateKey(seed: Self.seed)?.descendant(deepest)?.depth
        #expect(depth == 255)
        let isKey = ExtendedPrivateKey(seed: Self.seed)?.descendant(deepest)?.child(0) != nil
        #expect(!isKey)
    }

    static var seed: SecretBytes { SecretBytes(copying: Bytes(repeating: 7, count: 32)) }
}

extension ExtendedPrivateKey {
    /// The text form, which only tests have a use for.
    func xprv(_ format: AddressFormat) -> String {
        func bytes(_ number: UInt32) -> Bytes {
            (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
        }
        var payload = bytes(format.extendedPrivateVersion) + [depth] + bytes(parentFingerprint)
        payload += bytes(childNumber) + chainCode.plain() + [0] + key.plain()
        return Base58Check.encode(payload)
    }
}
