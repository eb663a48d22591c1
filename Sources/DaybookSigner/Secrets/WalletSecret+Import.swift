package import DaybookChains
package import DaybookCrypto

extension WalletSecret {
    /// Parses a key in wallet import format (WIF) for a network.
    package static func wif(
        _ text: borrowing SecretBytes, _ parameters: UTXOParameters
    ) throws(KeyImportError) -> WalletSecret {
        let text = SecretText.trimmed(text)
        // With these versions 37 bytes have 51 digits and 38 have 52, so the length tells the form.
        let length: Int
        switch text.count {
        case 51: length = 37
        case 52: length = 38
        default: throw .wrong(text)
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
            throw .checksum
        }
        let secret = bytes.withBytes { SecretBytes(copying: $0.extracting(1..<33)) }
        guard let key = PrivateKey(secret) else { throw .outOfRange }
        return .key(SingleKey(key, isCompressed: length == 38))
    }

    /// Parses a key of 64 hexadecimal digits, with or without `0x`.
    package static func hexadecimal(
        _ text: borrowing SecretBytes
    ) throws(KeyImportError) -> WalletSecret {
        let text = SecretText.trimmed(text)
        let isPrefixed = text.withBytes { text in
            text.count == 66 && text[0] == UInt8(ascii: "0") && text[1] == UInt8(ascii: "x")
        }
        guard text.count == 64 || isPrefixed else { throw .wrong(text) }
        let secret = try SecretText.hexadecimal(text, from: isPrefixed ? 2 : 0)
        guard let key = PrivateKey(secret) else { throw .outOfRange }
        return .key(SingleKey(key))
    }
}

/// Parses texts of keys without leaving copies in memory, which `String` would.
enum SecretText {
    /// The text without the white space around it, such as the line end of a file.
    static func trimmed(_ text: borrowing SecretBytes) -> SecretBytes {
        text.withBytes { text in
            var range = text.indices
            while let first = range.first, isSpace(text[first]) { range.removeFirst() }
            while let last = range.last, isSpace(text[last]) { range.removeLast() }
            return SecretBytes(copying: text.extracting(range))
        }
    }

    /// The number that Base58 digits spell, big-endian in `length` bytes.
    ///
    /// Unlike `Base58.decode` it takes the length, so it need not count leading zero bytes.
    static func base58(
        _ text: borrowing SecretBytes, length: Int
    ) throws(KeyImportError) -> SecretBytes {
        try SecretBytes(count: length) { (number) throws(KeyImportError) in
            try text.withBytes { (text) throws(KeyImportError) in
                for index in text.indices {
                    guard let digit = base58Digit(text[index]) else {
                        throw .character(at: index + 1)
                    }
                    var carry = digit
                    for place in stride(from: length - 1, through: 0, by: -1) {
                        carry += Int(number[place]) * 58
                        number[place] = UInt8(carry & 0xff)
                        carry >>= 8
                    }
                    // The number is larger than any key's.
                    guard carry == 0 else { throw .checksum }
                }
            }
        }
    }

    /// The bytes that hexadecimal digits spell, from an offset on.
    static func hexadecimal(
        _ text: borrowing SecretBytes, from start: Int
    ) throws(KeyImportError) -> SecretBytes {
        try SecretBytes(count: (text.count - start) / 2) { (bytes) throws(KeyImportError) in
            try text.withBytes { (text) throws(KeyImportError) in
                for index in start..<text.count {
                    guard let digit = hexadecimalDigit(text[index]) else {
                        throw .character(at: index + 1)
                    }
                    let target = (index - start) / 2
                    bytes[target] = bytes[target] << 4 | digit
                }
            }
        }
    }

    private static func base58Digit(_ character: UInt8) -> Int? {
        base58Alphabet.firstIndex(of: character)
    }

    private static let base58Alphabet = Array(
        "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".utf8)

    private static func hexadecimalDigit(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || (0x09...0x0d).contains(byte)
    }
}
