package import DaybookEncoding

/// Base58 with four checksum bytes: addresses, WIFs and extended keys as text.
package enum Base58Check {
    /// The text of a payload and its checksum.
    package static func encode(_ payload: Bytes) -> String {
        Base58.encode(payload + SHA256.double(payload).prefix(4))
    }

    /// The payload of a text, or nil where an alien character, the length or the checksum is wrong.
    package static func decode(_ text: String, maximumLength: Int = 128) -> Bytes? {
        guard let bytes = Base58.decode(text, maximumLength: maximumLength), bytes.count >= 4
        else { return nil }
        let payload = Bytes(bytes.dropLast(4))
        return SHA256.double(payload).prefix(4).elementsEqual(bytes.suffix(4)) ? payload : nil
    }
}
