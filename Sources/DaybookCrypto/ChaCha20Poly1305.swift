package import DaybookEncoding

/// ChaCha20-Poly1305 (RFC 8439): encryption that notices every change, of its header too.
package enum ChaCha20Poly1305 {
    /// The key's length in bytes.
    package static let keyLength = 32
    /// The nonce's length in bytes; a nonce is used once with a key.
    package static let nonceLength = 12
    /// The tag's length in bytes, which sealed bytes are longer by.
    package static let tagLength = 16

    /// The encrypted bytes and their tag; nil where the key or the nonce has a wrong length.
    package static func seal(
        _ secret: borrowing SecretBytes, key: borrowing SecretBytes, nonce: Bytes,
        associatedData: Bytes
    ) -> Bytes? {
        guard key.count == keyLength, nonce.count == nonceLength else { return nil }
        var run = CipherContext(.chaCha20Poly1305, key: key, nonce: nonce, encrypting: true)
        run.authenticate(associatedData)
        var sealed = Bytes(repeating: 0, count: secret.count)
        secret.withBytes { bytes in
            var output = sealed.mutableSpan
            run.update(bytes, into: &output)
        }
        guard run.finish() else { return nil }
        return sealed + run.tag(length: tagLength)
    }

    /// The secret of sealed bytes, or nil where key, nonce, associated data or bytes are others.
    package static func open(
        _ sealed: Bytes, key: borrowing SecretBytes, nonce: Bytes, associatedData: Bytes
    ) -> SecretBytes? {
        guard key.count == keyLength, nonce.count == nonceLength, sealed.count >= tagLength
        else { return nil }
        var run = CipherContext(.chaCha20Poly1305, key: key, nonce: nonce, encrypting: false)
        run.expect(tag: Bytes(sealed.suffix(tagLength)))
        run.authenticate(associatedData)
        let secret = SecretBytes(count: sealed.count - tagLength) { output in
            run.update(sealed.span.extracting(0..<(sealed.count - tagLength)), into: &output)
        }
        guard run.finish() else { return nil }
        return secret
    }
}
