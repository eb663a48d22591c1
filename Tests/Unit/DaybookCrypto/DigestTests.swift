import DaybookEncoding
import Testing
import TestSupport

@testable import DaybookCrypto

@Suite struct DigestTests {
    struct File: Decodable {
        struct Vector: Decodable {
            let input, sha256, sha512, sha3_256, ripemd160: String
        }
        struct Keccak: Decodable { let input, digest: String }
        let digests: [Vector]
        let keccak256: [Keccak]
    }

    let file: File

    init() throws {
        file = try Fixture.load("crypto/digests.json", as: File.self)
    }

    @Test func `published digests come out`() {
        for vector in file.digests {
            let input = bytes(vector.input)
            #expect(SHA256.hash(input) == bytes(vector.sha256))
            #expect(SHA512.hash(input) == bytes(vector.sha512))
            #expect(SHA3_256.hash(input) == bytes(vector.sha3_256))
            #expect(RIPEMD160.hash(input) == bytes(vector.ripemd160))
        }
    }

    @Test func `a slice hashes like its copy`() {
        let input = bytes("00616263ff")
        #expect(SHA256.hash(input[1..<4].span) == SHA256.hash(Bytes("abc".utf8)))
        #expect(Keccak256.hash(input[1..<4].span) == Keccak256.hash(Bytes("abc".utf8)))
    }

    @Test func `Keccak-256 has the padding from before the standard`() {
        for vector in file.keccak256 {
            #expect(Keccak256.hash(bytes(vector.input)) == bytes(vector.digest))
        }
    }

    @Test func `our sponge with the standard's padding is SHA3-256 at every length`() {
        let differing = (0..<600).filter { length in
            let input = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ length) }
            return Keccak256.sponge(input.span, padding: 0x06) != SHA3_256.hash(input)
        }
        #expect(differing == [])
    }

    @Test func `double SHA-256 and Hash160 are made of their single digests`() {
        let input = Bytes("abc".utf8)
        #expect(SHA256.double(input) == SHA256.hash(SHA256.hash(input)))
        #expect(Hash160.hash(input) == RIPEMD160.hash(SHA256.hash(input)))
    }

    @Test func `parts hash like the whole, and a hasher can be used again`() {
        var hasher = SHA256Hasher()
        for _ in 0..<3 {
            hasher.update(bytes("61"))
            hasher.update(bytes("62"))
            hasher.update([])
            hasher.update(bytes("0063ff")[1..<2].span)
            #expect(hasher.finish() == SHA256.hash(Bytes("abc".utf8)))
        }
        #expect(hasher.finish() == SHA256.hash([]))
    }

    @Test func `a byte and the bytes behind it hash like the whole, at every length`() {
        for length in 0...130 {
            let input = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ length) }
            var digest = Bytes(repeating: 0, count: 32)
            for cut in [0, length / 3, length] {
                var output = digest.mutableSpan
                SHA256.hash(
                    0x61, input.span.extracting(..<cut), input.span.extracting(cut...),
                    into: &output)
                #expect(digest == SHA256.hash([0x61] + input))
            }
        }
    }

    @Test func `many threads hash at once`() async {
        let expected = SHA256.hash(Bytes(repeating: 7, count: 100))
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<500).allSatisfy { _ in
                        SHA256.hash(Bytes(repeating: 7, count: 100)) == expected
                    }
                }
            }
            for await same in group { #expect(same) }
        }
    }
}

/// The bytes of a hexadecimal literal; a typing error in a test stops the test.
func bytes(_ hex: String) -> Bytes {
    let digits = hex.map { UInt8($0.hexDigitValue!) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
