import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Testing
import TestSupport

@testable import DaybookSigner

@Suite struct UnlockedKeysTests {
    let digest = SHA256.hash(Bytes("abc".utf8))

    @Test func `ICON's transactions are signed as the SDK signs them`() throws {
        let file = try Fixture.json("icon/icon.json")
        let vectors = try #require(file["vectors"]?.arrayValue)
        #expect(vectors.count == 44)
        for vector in vectors {
            let key = try #require(vector["privateKey"]?.stringValue)
            let hash = try #require(Hex.decode((vector["hash"]?.stringValue ?? "").dropFirst(2)))
            let wallet = UnlockedKeys(try .hexadecimal(secret(key)))!
            let signature = try #require(
                wallet.key(at: .master).signRecoverable(digest: hash) as RecoverableSignature?)
            #expect(Base64.encode(signature.bytes) == vector["signature"]?.stringValue)
        }
    }

    @Test func `a signature at a path is that of the path's key`() throws {
        let wallet = UnlockedKeys(.mnemonic(try Mnemonic(parsing: secret(KeystoreTests.words))))!
        for text in ["m", "m/0'", "m/0'/0/1", "m/44'/5'/0'/1/7"] {
            let path = try #require(DerivationPath(text))
            let key = try wallet.publicKey(at: path)
            let signature = try #require(
                wallet.key(at: path).sign(digest: digest) as ECDSASignature?)
            #expect(key.verify(digest: digest, signature: signature))
            let recoverable = try #require(
                wallet.key(at: path).signRecoverable(digest: digest) as RecoverableSignature?)
            #expect(recoverable.recover(digest: digest) == key)
        }
    }

    @Test func `a single key has no other paths`() throws {
        let wallet = UnlockedKeys(try .hexadecimal(secret(String(repeating: "1", count: 64))))!
        _ = try wallet.publicKey(at: .master)
        #expect(throws: KeystoreError.noKey(at: "m/0'")) {
            _ = try wallet.publicKey(at: .legacyAccount)
        }
    }
}
