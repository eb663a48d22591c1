package import DaybookChains
package import DaybookCrypto

extension WalletSecret {
    /// The key of a text in wallet import format, for the network that the wallet is to be on.
    package static func wif(
        _ text: borrowing SecretBytes, _ parameters: UTXOParameters
    ) throws(KeyImportError) -> WalletSecret {
        let text = SecretText.trimmed(text)
        // 37 bytes are 51 digits with these versions, 38 are 52: the length tells the form.
        let length: Int
        switch text.count {
        case 51: length = 37
        case 52: length = 38
        default: throw .length(text.count)
        }
        let bytes = try SecretText.base58(text, length: length)
        let fits = bytes.withBytes { bytes in
            let payload = bytes.extracting(0..<(length - 4))
            let checksum = SHA256.hash(SHA256.hash(payload)).prefix(4)
            return checksum.enumerated().allSatisfy { bytes[length - 4 + $0.offset] == $0.element }
        }
        guard fits else { throw .checksum }
        let version = bytes.withBytes { $0[0] }
        guard version == parameters.wifVersion else {
            throw .version(version, expected: parameters.wifVersion)
        }
        guard length == 37 || bytes.withBytes({ $0[33] }) == 1 else {
            throw .length(text.count)
        }
        let secret = bytes.withBytes { SecretBytes(copying: $0.extracting(1..<33)) }
        guard let key = PrivateKey(secret) else { throw .outOfRange }
        return .key(SingleKey(key, isCompressed: length == 38))
    }

    /// The key of 64 hexadecimal digits, with or without `0x`.
    package static func hexadecimal(
        _ text: borrowing SecretBytes
    ) throws(KeyImportError) -> WalletSecret {
        let text = SecretText.trimmed(text)
        let isPrefixed = text.withBytes { text in
            text.count == 66 && text[0] == UInt8(ascii: "0") && text[1] == UInt8(ascii: "x")
        }
        guard text.count == 64 || isPrefixed else { throw .length(text.count) }
        let secret = try SecretText.hexadecimal(text, from: isPrefixed ? 2 : 0)
        guard let key = PrivateKey(secret) else { throw .outOfRange }
        return .key(SingleKey(key))
    }
}
