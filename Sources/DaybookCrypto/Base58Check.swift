package import DaybookEncoding

/// Base58 with four checksum bytes: addresses, WIFs and extended keys as text.
package enum Base58Check {
    /// Encodes a payload with its checksum.
    package static func encode(_ payload: Bytes) -> String {
        Base58.encode(payload + SHA256.double(payload).prefix(4))
    }

    /// Decodes a text; nil if a character, the length or the checksum is wrong.
    package static func decode(_ text: String, maximumLength: Int = 128) -> Bytes? {
        decode(text.utf8.span, maximumLength: maximumLength)
    }

    /// Decodes a text in UTF-8.
    package static func decode(_ characters: Span<UInt8>, maximumLength: Int = 128) -> Bytes? {
        guard var bytes = Base58.decode(characters, maximumLength: maximumLength),
            bytes.count >= 4
        else { return nil }
        let payload = bytes.count - 4
        let checksum = checksum(bytes.span.extracting(..<payload))
        for index in 0..<4 where bytes[payload + index] != checksum[index] { return nil }
        bytes.removeLast(4)
        return bytes
    }

    /// Whether a text is a private key in wallet import format, of whatever coin.
    package static func isWIF(_ characters: Span<UInt8>) -> Bool {
        guard let payload = decode(characters) else { return false }
        return payload.count == 33 || (payload.count == 34 && payload.last == 1)
    }

    /// The digest of the digest, whose first four bytes are the checksum; nothing is allocated.
    private static func checksum(_ payload: Span<UInt8>) -> InlineArray<32, UInt8> {
        var once = InlineArray<32, UInt8>(repeating: 0)
        var twice = once
        var digest = once.mutableSpan
        SHA256.hash(payload, into: &digest)
        digest = twice.mutableSpan
        SHA256.hash(once.span, into: &digest)
        return twice
    }
}
