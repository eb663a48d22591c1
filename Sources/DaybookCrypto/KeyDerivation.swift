import COpenSSL
package import DaybookEncoding

/// scrypt (RFC 7914), which makes each guess of a passphrase cost memory and time.
package enum Scrypt {
    /// N, r and p of RFC 7914.
    package struct Parameters: Hashable, Sendable {
        /// N: how many blocks are kept in memory; a power of two above one.
        package let n: Int
        /// r: the size of a block in units of 128 bytes.
        package let r: Int
        /// p: how many times the whole is repeated.
        package let p: Int

        /// Parameters of a file or setting; `derive` refuses those beyond the limits.
        package init(n: Int, r: Int, p: Int) {
            self.n = n
            self.r = r
            self.p = p
        }
    }

    /// The limits of a derivation, so that a hostile file can't stop the program.
    package struct Limits: Sendable {
        /// The most bytes of memory, for the N blocks and again for the p blocks.
        package let memoryBytes: Int
        /// The most blocks mixed: N × r × p.
        package let work: Int

        /// 256 MiB and about two seconds: enough for the costliest files (N 2^18, r 8).
        package static let standard = Limits(memoryBytes: 1 << 28, work: 1 << 22)

        /// Custom limits.
        package init(memoryBytes: Int, work: Int) {
            self.memoryBytes = memoryBytes
            self.work = work
        }
    }

    /// A key of `length` bytes from a passphrase.
    package static func derive(
        passphrase: borrowing SecretBytes, salt: Bytes, parameters: Parameters, length: Int,
        limits: Limits = .standard
    ) throws(KeyDerivationError) -> SecretBytes {
        try check(parameters, limits: limits)
        guard (1...KeyLength.maximum).contains(length) else {
            throw .undefined("a key of \(length) bytes")
        }
        return try SecretBytes(count: length) { (output) throws(KeyDerivationError) in
            let done = unsafe output.withUnsafeMutableBufferPointer { output in
                unsafe passphrase.withCharacters { characters, count in
                    // libcrypto's own limit counts its buffers too; ours has been checked above.
                    unsafe EVP_PBE_scrypt(
                        characters, Int(count), salt, salt.count, UInt64(parameters.n),
                        UInt64(parameters.r), UInt64(parameters.p), UInt64.max,
                        output.baseAddress, output.count)
                }
            }
            guard done == 1 else { throw .failed }
        }
    }

    private static func check(
        _ parameters: Parameters, limits: Limits
    ) throws(KeyDerivationError) {
        let (n, r, p) = (parameters.n, parameters.r, parameters.p)
        guard n > 1, n & (n - 1) == 0, r >= 1, p >= 1 else {
            throw .undefined("scrypt n \(n), r \(r), p \(p)")
        }
        // Each factor is bounded before it is multiplied: no product can overflow.
        guard n <= limits.work, r <= limits.work, p <= limits.work,
            n * r <= limits.work, n * r * p <= limits.work,
            128 * r * n <= limits.memoryBytes, 128 * r * p <= limits.memoryBytes
        else {
            throw .tooExpensive("scrypt n \(n), r \(r), p \(p)")
        }
    }
}

/// PBKDF2 (RFC 8018) over HMAC: BIP 39's seed, and some keystore files of ICON.
package enum PBKDF2 {
    /// The digest inside the HMAC.
    package enum Digest: Sendable {
        /// HMAC-SHA-256, of keystore files.
        case sha256
        /// HMAC-SHA-512, of BIP 39.
        case sha512
    }

    /// The maximum of iterations: a second's work, a hundred times what files use.
    package static let maximumIterations = 2_000_000

    /// A key of `length` bytes from a passphrase.
    package static func derive(
        _ digest: Digest, passphrase: borrowing SecretBytes, salt: Bytes, iterations: Int,
        length: Int
    ) throws(KeyDerivationError) -> SecretBytes {
        try derive(
            digest, passphrase: passphrase, salt: salt.span, iterations: iterations, length: length)
    }

    /// As above, with a salt that may be secret.
    package static func derive(
        _ digest: Digest, passphrase: borrowing SecretBytes, salt: Span<UInt8>, iterations: Int,
        length: Int
    ) throws(KeyDerivationError) -> SecretBytes {
        guard iterations >= 1 else { throw .undefined("\(iterations) iterations") }
        guard iterations <= maximumIterations else {
            throw .tooExpensive("\(iterations) iterations, at most \(maximumIterations)")
        }
        guard (1...KeyLength.maximum).contains(length) else {
            throw .undefined("a key of \(length) bytes")
        }
        return try SecretBytes(count: length) { (output) throws(KeyDerivationError) in
            let done = unsafe output.withUnsafeMutableBufferPointer { output in
                unsafe salt.withUnsafeBufferPointer { salt in
                    unsafe passphrase.withCharacters { characters, count in
                        unsafe PKCS5_PBKDF2_HMAC(
                            characters, count, salt.baseAddress, Int32(salt.count),
                            Int32(iterations), algorithm(digest).method, Int32(length),
                            output.baseAddress)
                    }
                }
            }
            guard done == 1 else { throw .failed }
        }
    }

    private static func algorithm(_ digest: Digest) -> DigestAlgorithm {
        switch digest {
        case .sha256: .sha256
        case .sha512: .sha512
        }
    }
}

/// Why no key was derived from a passphrase; never contains anything of the passphrase.
package enum KeyDerivationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The parameters are outside the function's domain.
    case undefined(String)
    /// The parameters would cost more memory or time than the limits allow.
    case tooExpensive(String)
    /// libcrypto failed, for example for lack of memory.
    case failed

    /// The error as one line in lower case.
    package var description: String {
        switch self {
        case .undefined(let what): "no such key derivation: \(what)"
        case .tooExpensive(let what): "key derivation beyond the limit: \(what)"
        case .failed: "key derivation failed, perhaps for want of memory"
        }
    }
}

/// The limits of a derived key's length.
enum KeyLength {
    static let maximum = 128
}
