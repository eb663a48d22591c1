import DaybookCrypto

/// Reading key texts that must leave no copy behind, unlike what goes through `String`.
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
    /// Unlike `Base58.decode` it asks for the length, so that leading zero bytes need no count.
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
                    guard carry == 0 else { throw .length(text.count) }
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
