import DaybookEncoding
import Foundation
import Testing
import TestSupport

@testable import DaybookCrypto

@Suite struct Secp256k1Tests {
    struct File: Decodable {
        struct Vector: Decodable { let key, message, signature: String }
        let vectors: [Vector]
    }
    struct ICONFile: Decodable {
        struct Address: Decodable {
            let name, privateKey, publicKey, publicKeyCompressed: String
        }
        let addresses: [Address]
    }

    static let order = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"
    let digest = SHA256.hash(Bytes("abc".utf8))

    @Test func `blinding changes no key and no signature, also while others compute`()
        async throws
    {
        let keys = (1...20).map { String(format: "%064x", $0 * 7919) }
        func results() throws -> [Bytes] {
            try keys.flatMap { text in
                let key = try key(text)
                return [
                    key.publicKey.compressed, key.sign(digest: digest)!.compact,
                    key.signRecoverable(digest: digest)!.bytes,
                ]
            }
        }
        let before = try results()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask {
                    Secp256k1.blind(
                        with: SecretBytes(copying: Bytes(repeating: UInt8(number), count: 32)))
                }
                group.addTask {
                    let again = try? results()
                    #expect(again == before)
                }
            }
        }
        #expect(Secp256k1.isBlinded)
        #expect(try results() == before)
    }

    @Test func `private keys have the public keys of the vectors`() throws {
        for vector in try Fixture.load("icon/icon.json", as: ICONFile.self).addresses {
            let publicKey = try key(vector.privateKey).publicKey
            #expect(publicKey.compressed == bytes(vector.publicKeyCompressed))
            #expect(publicKey.uncompressed == bytes(vector.publicKey))
            #expect(PublicKey(publicKey.uncompressed) == publicKey)
        }
    }

    @Test func `signatures are those of RFC 6979`() throws {
        for vector in try Fixture.load("crypto/ecdsa.json", as: File.self).vectors {
            let key = try key(vector.key)
            let digest = SHA256.hash(Bytes(vector.message.utf8))
            let signature = try #require(key.sign(digest: digest) as ECDSASignature?)
            #expect(signature.compact == bytes(vector.signature))
            #expect(signature.isLowS)
            #expect(key.publicKey.verify(digest: digest, signature: signature))
            #expect(key.publicKey.verify(digest: digest, der: signature.der))
            let recoverable = try #require(
                key.signRecoverable(digest: digest) as RecoverableSignature?)
            #expect(recoverable.signature == signature)
            #expect(recoverable.recover(digest: digest) == key.publicKey)
        }
    }

    @Test func `numbers that are no private key are refused`() {
        for hex in [
            String(repeating: "00", count: 32), Self.order, String(repeating: "ff", count: 32),
            "01", "", String(repeating: "01", count: 33),
        ] {
            let isKey = PrivateKey(SecretBytes(copying: bytes(hex))) != nil
            #expect(!isKey)
        }
    }

    @Test func `bytes that are no public key are refused`() throws {
        let valid = try key("01".padded).publicKey
        let x = Bytes(valid.compressed.dropFirst())
        #expect(PublicKey([]) == nil)
        #expect(PublicKey(x) == nil)
        #expect(PublicKey([4] + x) == nil)
        #expect(PublicKey([5] + x) == nil)
        #expect(PublicKey([2] + Bytes(repeating: 0xff, count: 32)) == nil)
        // 5 is no x of a point on the curve; 06 and 07 mark the hybrid form.
        #expect(PublicKey([2] + bytes("05".padded)) == nil)
        #expect(PublicKey([6] + valid.uncompressed.dropFirst()) == nil)
        #expect(PublicKey([7] + valid.uncompressed.dropFirst()) == nil)
    }

    @Test func `another digest, key or signature does not verify`() throws {
        let key = try key("02".padded)
        let signature = try #require(key.sign(digest: digest) as ECDSASignature?)
        #expect(!key.publicKey.verify(digest: SHA256.hash([]), signature: signature))
        let other = try self.key("03".padded).publicKey
        #expect(!other.verify(digest: digest, signature: signature))
        var changed = signature.compact
        changed[40] ^= 1
        #expect(!key.publicKey.verify(digest: digest, compact: changed))
        #expect(!key.publicKey.verify(digest: Bytes(digest.dropLast()), signature: signature))
        #expect(key.sign(digest: []) == nil)
        #expect(key.signRecoverable(digest: [1]) == nil)
    }

    @Test func `a high s is refused unless it is asked for`() throws {
        let key = try key("02".padded)
        let low = try #require(key.sign(digest: digest) as ECDSASignature?)
        let high = try #require(ECDSASignature(compact: low.compact.negatingS()))
        #expect(!high.isLowS)
        #expect(high.normalized == low)
        #expect(!key.publicKey.verify(digest: digest, signature: high))
        #expect(key.publicKey.verify(digest: digest, signature: high, requiringLowS: false))
    }

    @Test func `DER has one spelling`() throws {
        let signature = try #require(try key("02".padded).sign(digest: digest) as ECDSASignature?)
        let der = signature.der
        #expect(ECDSASignature(der: der) == signature)
        #expect(der.count <= 71)
        #expect(ECDSASignature(der: []) == nil)
        #expect(ECDSASignature(der: der + [0]) == nil)
        #expect(ECDSASignature(der: Bytes(der.dropLast())) == nil)
        var longForm = der
        longForm.replaceSubrange(1..<2, with: [0x81, der[1]])
        #expect(ECDSASignature(der: longForm) == nil)
        #expect(ECDSASignature(der: bytes("3006020101020101")) != nil)
        #expect(ECDSASignature(der: bytes("300702020001020101")) == nil)
        #expect(ECDSASignature(der: bytes("3006020181020101")) == nil)
        #expect(ECDSASignature(der: bytes("30260221" + "00" + Self.order + "020101")) == nil)
    }

    @Test func `r or s at the group's order is refused`() {
        #expect(ECDSASignature(compact: bytes(Self.order + "01".padded)) == nil)
        #expect(ECDSASignature(compact: bytes("01".padded + Self.order)) == nil)
        #expect(ECDSASignature(compact: Bytes(repeating: 1, count: 63)) == nil)
    }

    @Test func `recovery needs the right id`() throws {
        let key = try key("02".padded)
        let right = try #require(key.signRecoverable(digest: digest) as RecoverableSignature?).bytes
        var flipped = right
        flipped[64] ^= 1
        #expect(RecoverableSignature(flipped)?.recover(digest: digest) != key.publicKey)
        for id: UInt8 in [4, 27, 28, 255] {
            #expect(RecoverableSignature(Bytes(right.prefix(64)) + [id]) == nil)
        }
        #expect(RecoverableSignature(Bytes(right.prefix(64))) == nil)
        #expect(RecoverableSignature(right + [0]) == nil)
        #expect(RecoverableSignature(right)?.recover(digest: []) == nil)
        let zero = RecoverableSignature(Bytes(repeating: 0, count: 65))
        #expect(zero?.recover(digest: digest) == nil)
    }

    @Test func `tweaking the private key tweaks the public key`() throws {
        let key = try key("02".padded)
        let tweak = SHA256.hash([1])
        let sum = key.adding(tweak: tweak.span)?.publicKey
        #expect(sum != nil)
        #expect(sum == key.publicKey.adding(tweak: tweak))
        #expect(key.publicKey.adding(tweak: bytes(Self.order)) == nil)
        #expect(key.publicKey.adding(tweak: [1]) == nil)
        // The order less the key: the sum is zero, which is no key.
        var opposite = bytes(Self.order)
        opposite[31] -= 2
        let isKey = key.adding(tweak: opposite.span) != nil
        #expect(!isKey)
        #expect(key.publicKey.adding(tweak: opposite) == nil)
    }

    @Test func `many threads share the context`() async {
        let digest = digest
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    guard let key = PrivateKey(SecretBytes(copying: bytes("02".padded))) else {
                        return false
                    }
                    return (0..<50).allSatisfy { _ in
                        guard let signature = key.sign(digest: digest) else { return false }
                        return key.publicKey.verify(digest: digest, signature: signature)
                    }
                }
            }
            for await verified in group { #expect(verified) }
        }
    }

    private func key(_ hex: String) throws -> PrivateKey {
        guard let key = PrivateKey(SecretBytes(copying: bytes(hex))) else {
            throw NoKey()
        }
        return key
    }
    private struct NoKey: Error {}
}

extension String {
    fileprivate var padded: String { String(repeating: "0", count: 64 - count) + self }
}

extension Bytes {
    /// The same compact signature with s subtracted from the group's order.
    fileprivate func negatingS() -> Bytes {
        var borrow = 0
        var result = self
        for (index, digit) in bytes(Secp256k1Tests.order).enumerated().reversed() {
            let difference = Int(digit) - Int(self[32 + index]) - borrow
            borrow = difference < 0 ? 1 : 0
            result[32 + index] = UInt8(difference + 256 * borrow)
        }
        return result
    }
}
