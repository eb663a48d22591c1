import DaybookEncoding
import Testing
import TestSupport

@testable import DaybookCrypto

@Suite struct CipherTests {
    struct File: Decodable {
        struct Counter: Decodable { let key, counter, plaintext, ciphertext: String }
        struct Sealed: Decodable {
            let key, nonce, associatedData, plaintext, ciphertext, tag: String
        }
        let aes128CTR: Counter
        let chaCha20Poly1305: Sealed
    }

    let file: File

    init() throws {
        file = try Fixture.load("crypto/ciphers.json", as: File.self)
    }

    @Test func `AES-128-CTR gives the published bytes, both ways`() throws {
        let vector = file.aes128CTR
        for (from, to) in [
            (vector.plaintext, vector.ciphertext), (vector.ciphertext, vector.plaintext),
        ] {
            let result = AES128CTR.apply(
                to: bytes(from).span, key: secret(vector.key), counter: bytes(vector.counter))
            #expect(try plain(result) == bytes(to))
        }
    }

    @Test func `ChaCha20-Poly1305 seals to the published bytes and opens them`() throws {
        let vector = file.chaCha20Poly1305
        let sealed = ChaCha20Poly1305.seal(
            secret(vector.plaintext), key: secret(vector.key), nonce: bytes(vector.nonce),
            associatedData: bytes(vector.associatedData))
        #expect(sealed == bytes(vector.ciphertext + vector.tag))
        #expect(try plain(open(sealed!)) == bytes(vector.plaintext))
    }

    @Test func `every flipped bit, another header, a cut and a longer end are noticed`() {
        let sealed = bytes(file.chaCha20Poly1305.ciphertext + file.chaCha20Poly1305.tag)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1 << UInt8(index % 8)
            #expect(isRefused(open(changed)) == true)
        }
        #expect(isRefused(open(sealed, header: [1])) == true)
        #expect(isRefused(open(Bytes(sealed.dropLast()))) == true)
        #expect(isRefused(open(sealed + [0])) == true)
        #expect(isRefused(open(Bytes(sealed.prefix(15)))) == true)
        #expect(isRefused(open([])) == true)
    }

    @Test func `an empty secret is sealed too`() throws {
        let sealed = ChaCha20Poly1305.seal(
            secret(""), key: secret(file.chaCha20Poly1305.key),
            nonce: Bytes(repeating: 0, count: 12), associatedData: [])!
        #expect(sealed.count == ChaCha20Poly1305.tagLength)
    }

    @Test func `keys, nonces and counters of other lengths are refused`() {
        let one: Bytes = [1]
        let none = AES128CTR.apply(to: one.span, key: secret("00"), counter: [])
        #expect(isRefused(none) == true)
        let short = AES128CTR.apply(
            to: one.span, key: secret(file.aes128CTR.key), counter: Bytes(repeating: 0, count: 15))
        #expect(isRefused(short) == true)
        let key = secret(file.chaCha20Poly1305.key)
        #expect(
            ChaCha20Poly1305.seal(secret("00"), key: key, nonce: [1], associatedData: []) == nil)
        #expect(
            ChaCha20Poly1305.seal(
                secret("00"), key: secret("00"), nonce: Bytes(repeating: 0, count: 12),
                associatedData: []) == nil)
    }

    private func open(_ sealed: Bytes, header: Bytes? = nil) -> SecretBytes? {
        let vector = file.chaCha20Poly1305
        return ChaCha20Poly1305.open(
            sealed, key: secret(vector.key), nonce: bytes(vector.nonce),
            associatedData: header ?? bytes(vector.associatedData))
    }

    private func secret(_ hex: String) -> SecretBytes {
        SecretBytes(copying: bytes(hex))
    }

    private func isRefused(_ secret: consuming SecretBytes?) -> Bool {
        secret == nil
    }

    private func plain(_ secret: consuming SecretBytes?) throws -> Bytes {
        guard let secret else { return [] }
        return secret.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }
}
