import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Testing

@testable import DaybookSigner

@Suite struct UnlockedWalletTests {
    let digest = SHA256.hash(Bytes("abc".utf8))

    @Test func `ICON's transactions are signed as the SDK signs them`() throws {
        let file = try JSON.parse(Bytes(Fixture.data("icon/icon.json")))
        let vectors = try #require(file["vectors"]?.arrayValue)
        #expect(vectors.count == 44)
        for vector in vectors {
            let key = try #require(vector["privateKey"]?.stringValue)
            let hash = try #require(Hex.decode((vector["hash"]?.stringValue ?? "").dropFirst(2)))
            let wallet = UnlockedWallet(try .hexadecimal(secret(key)))!
            let signature = try wallet.signRecoverable(digest: hash)
            #expect(Base64.encode(signature.bytes) == vector["signature"]?.stringValue)
        }
    }

    @Test func `a signature at a path is that of the path's key`() throws {
        let wallet = UnlockedWallet(.mnemonic(try Mnemonic(parsing: secret(KeystoreTests.words))))!
        for text in ["m", "m/0'", "m/0'/0/1", "m/44'/5'/0'/1/7"] {
            let path = try #require(DerivationPath(text))
            let key = try wallet.publicKey(at: path)
            let signature = try wallet.sign(digest: digest, at: path)
            #expect(key.verify(digest: digest, signature: signature))
            let recoverable = try wallet.signRecoverable(digest: digest, at: path)
            #expect(recoverable.recover(digest: digest) == key)
        }
    }

    @Test func `a single key has no other paths`() throws {
        let wallet = UnlockedWallet(try .hexadecimal(secret(String(repeating: "1", count: 64))))!
        _ = try wallet.sign(digest: digest, at: .master)
        #expect(throws: KeystoreError.noKey(at: "m/0'")) {
            _ = try wallet.sign(digest: digest, at: .legacyAccount)
        }
    }

    @Test func `only a digest can be signed`() throws {
        let wallet = UnlockedWallet(try .hexadecimal(secret(String(repeating: "1", count: 64))))!
        for bytes in [[], digest.dropLast(), digest + [0]] {
            #expect(throws: KeystoreError.notADigest) {
                _ = try wallet.sign(digest: Bytes(bytes), at: .master)
            }
            #expect(throws: KeystoreError.notADigest) {
                _ = try wallet.signRecoverable(digest: Bytes(bytes))
            }
        }
    }
}
