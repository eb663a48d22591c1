import COpenSSL
package import DaybookEncoding

/// PBKDF2 (RFC 8018) over HMAC: BIP 39's seed, and some keystore files of ICON.
package enum PBKDF2 {
    /// The digest inside the HMAC.
    package enum Digest: Sendable {
        /// HMAC-SHA-256, of keystore files.
        case sha256
        /// HMAC-SHA-512, of BIP 39.
        case sha512
    }

    /// The most iterations that are done: a second's work, a hundred times what any file asks for.
    package static let maximumIterations = 2_000_000

    /// A key of `length` bytes from a passphrase.
    package static func derive(
        _ digest: Digest, passphrase: borrowing SecretBytes, salt: Bytes, iterations: Int,
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
                unsafe passphrase.withCharacters { characters, count in
                    unsafe PKCS5_PBKDF2_HMAC(
                        characters, count, salt, Int32(salt.count), Int32(iterations),
                        algorithm(digest).method, Int32(length), output.baseAddress)
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
