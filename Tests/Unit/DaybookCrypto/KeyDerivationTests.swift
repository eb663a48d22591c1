import DaybookEncoding
import Testing
import TestSupport

@testable import DaybookCrypto

@Suite struct KeyDerivationTests {
    struct File: Decodable {
        struct PBKDF2Vector: Decodable {
            let digest, passphrase, salt, key: String
            let iterations, length: Int
        }
        struct ScryptVector: Decodable {
            let passphrase, salt, key: String
            let n, r, p: Int
        }
        let pbkdf2: [PBKDF2Vector]
        let scrypt: [ScryptVector]
    }

    @Test func `published PBKDF2 keys come out`() throws {
        for vector in try Fixture.load("crypto/kdf.json", as: File.self).pbkdf2 {
            let key = try PBKDF2.derive(
                vector.digest == "sha512" ? .sha512 : .sha256,
                passphrase: SecretBytes(copying: Bytes(vector.passphrase.utf8)),
                salt: bytes(vector.salt), iterations: vector.iterations, length: vector.length)
            #expect(key.matches(SecretBytes(copying: bytes(vector.key))) == true)
        }
    }

    @Test func `published scrypt keys come out`() throws {
        for vector in try Fixture.load("crypto/kdf.json", as: File.self).scrypt {
            let key = try Scrypt.derive(
                passphrase: SecretBytes(copying: Bytes(vector.passphrase.utf8)),
                salt: bytes(vector.salt),
                parameters: .init(n: vector.n, r: vector.r, p: vector.p), length: 64)
            #expect(key.matches(SecretBytes(copying: bytes(vector.key))) == true)
        }
    }

    @Test(arguments: [
        (0, 8, 1), (1, 8, 1), (3, 8, 1), (-2, 8, 1), (16, 0, 1), (16, 8, 0), (16, -1, 1),
        (Int.min, 1, 1),
    ])
    func `scrypt parameters that have no meaning are refused`(n: Int, r: Int, p: Int) {
        #expect(throws: KeyDerivationError.undefined("scrypt n \(n), r \(r), p \(p)")) {
            try derive(n: n, r: r, p: p)
        }
    }

    @Test(arguments: [
        (1 << 19, 8, 1), (1 << 62, 1, 1), (2, Int.max, 1), (2, 1, Int.max),
        (2, 1 << 21, 2), (1 << 18, 8, 3), (1 << 20, 4, 1), (1 << 14, 8, 64), (1 << 22, 1, 1),
    ])
    func `scrypt parameters that would stop the machine are refused at once`(
        n: Int, r: Int, p: Int
    ) {
        #expect(throws: KeyDerivationError.tooExpensive("scrypt n \(n), r \(r), p \(p)")) {
            try derive(n: n, r: r, p: p)
        }
    }

    @Test func `keys at the limits are derived, beyond them they are not`() throws {
        for (memory, work, fits) in [
            (128 * 8 * 64, 8 * 64 * 2, true), (128 * 8 * 64 - 1, 8 * 64 * 2, false),
            (128 * 8 * 64, 8 * 64 * 2 - 1, false),
        ] {
            let limits = Scrypt.Limits(memoryBytes: memory, work: work)
            if fits {
                try derive(n: 64, r: 8, p: 2, limits: limits)
            } else {
                #expect(throws: KeyDerivationError.tooExpensive("scrypt n 64, r 8, p 2")) {
                    try derive(n: 64, r: 8, p: 2, limits: limits)
                }
            }
        }
    }

    @Test func `the limits admit the costliest known keystores`() {
        let limits = Scrypt.Limits.standard
        #expect(128 * 8 * (1 << 18) <= limits.memoryBytes)
        #expect(8 * (1 << 18) <= limits.work)
    }

    @Test func `iterations out of range are refused`() {
        for (iterations, error) in [
            (0, KeyDerivationError.undefined("0 iterations")),
            (-1, .undefined("-1 iterations")),
            (2_000_001, .tooExpensive("2000001 iterations, at most 2000000")),
        ] {
            #expect(throws: error) {
                _ = try PBKDF2.derive(
                    .sha256, passphrase: SecretBytes(copying: [1]), salt: [],
                    iterations: iterations, length: 32
                ).count
            }
        }
    }

    private func derive(
        n: Int, r: Int, p: Int, limits: Scrypt.Limits = .standard
    ) throws {
        _ = try Scrypt.derive(
            passphrase: SecretBytes(copying: [1]), salt: [2],
            parameters: .init(n: n, r: r, p: p), length: 32, limits: limits
        ).count
    }
}
