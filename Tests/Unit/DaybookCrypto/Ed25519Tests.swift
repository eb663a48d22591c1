import DaybookEncoding
import Testing
import TestSupport

@testable import DaybookCrypto

struct Ed25519Tests {
    struct File: Decodable {
        struct Vector: Decodable { let seed, publicKey, message, signature: String }
        let vectors: [Vector]
    }

    @Test func `keys and signatures are those of RFC 8032`() throws {
        for vector in try Fixture.load("crypto/ed25519.json", as: File.self).vectors {
            let key = try key(vector.seed)
            #expect(key.publicKey.bytes == bytes(vector.publicKey))
            #expect(key.sign(message: bytes(vector.message)) == bytes(vector.signature))
            let publicKey = try #require(Ed25519PublicKey(bytes(vector.publicKey)))
            #expect(
                publicKey.verify(
                    message: bytes(vector.message), signature: bytes(vector.signature)))
        }
    }

    @Test func `another message, key or signature does not verify`() throws {
        let key = try key(String(repeating: "07", count: 32))
        let message = Bytes("message".utf8)
        let signature = key.sign(message: message)
        #expect(key.publicKey.verify(message: message, signature: signature))
        #expect(!key.publicKey.verify(message: message + [0], signature: signature))
        #expect(!key.publicKey.verify(message: [], signature: signature))
        let other = try self.key(String(repeating: "08", count: 32)).publicKey
        #expect(!other.verify(message: message, signature: signature))
        for bit in 0..<512 {
            var changed = signature
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!key.publicKey.verify(message: message, signature: changed), "\(bit)")
        }
        for wrong in [[], Bytes(signature.dropLast()), signature + [0]] {
            #expect(!key.publicKey.verify(message: message, signature: wrong))
        }
    }

    @Test func `a signature with its number above the group's order is refused`() throws {
        let key = try key(String(repeating: "07", count: 32))
        var signature = key.sign(message: [])
        // The second half, little-endian, plus the order.
        let order = bytes("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010")
        var carry = 0
        for index in 0..<32 {
            let sum = Int(signature[32 + index]) + Int(order[index]) + carry
            signature[32 + index] = UInt8(sum & 0xff)
            carry = sum >> 8
        }
        #expect(!key.publicKey.verify(message: [], signature: signature))
    }

    @Test func `bytes of another number are no key, and none but a point verifies`() {
        for count in [0, 31, 33, 64] {
            let isKey = Ed25519PrivateKey(SecretBytes(count: count) { _ in }) != nil
            #expect(!isKey)
            #expect(Ed25519PublicKey(Bytes(repeating: 1, count: count)) == nil)
        }
        let noPoint = Ed25519PublicKey(Bytes(repeating: 0xff, count: 32))
        #expect(noPoint?.verify(message: [], signature: Bytes(repeating: 0, count: 64)) == false)
    }

    private func key(_ seed: String) throws -> Ed25519PrivateKey {
        guard let key = Ed25519PrivateKey(SecretBytes(copying: bytes(seed))) else { throw NoKey() }
        return key
    }
    private struct NoKey: Error {}
}
