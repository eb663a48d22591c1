import DaybookEncoding
import Testing
import TestSupport

@testable import DaybookCrypto

@Suite struct HMACTests {
    struct File: Decodable {
        struct Vector: Decodable { let key, message, sha256, sha512: String }
        let vectors: [Vector]
    }

    @Test func `published check values come out`() throws {
        for vector in try Fixture.load("crypto/hmac.json", as: File.self).vectors {
            let (key, message) = (bytes(vector.key), bytes(vector.message))
            #expect(HMACSHA256.authenticate(message, key: key) == bytes(vector.sha256))
            #expect(HMACSHA512.authenticate(message, key: key) == bytes(vector.sha512))
        }
    }

    @Test func `an empty key is a key`() {
        // HMAC pads a key with zeros, so that none and one zero are the same.
        #expect(
            HMACSHA256.authenticate([1], key: []) == HMACSHA256.authenticate([1], key: [0]))
    }
}
