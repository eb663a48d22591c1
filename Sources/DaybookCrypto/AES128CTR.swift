package import DaybookEncoding

/// AES-128 in counter mode: the cipher of ICON's keystore files; the same call turns it back.
package enum AES128CTR {
    /// The key's length in bytes.
    package static let keyLength = 16
    /// The length in bytes of the first counter block.
    package static let counterLength = 16

    /// The bytes with the key stream over them; nil where key or counter has a wrong length.
    package static func apply(
        to bytes: Span<UInt8>, key: borrowing SecretBytes, counter: Bytes
    ) -> SecretBytes? {
        guard key.count == keyLength, counter.count == counterLength else { return nil }
        var run = CipherContext(.aes128CTR, key: key, nonce: counter, encrypting: false)
        return SecretBytes(count: bytes.count) { output in
            run.update(bytes, into: &output)
        }
    }
}
