/// Bytes in base 64 with the standard alphabet and padding (RFC 4648, section 4).
package enum Base64 {
    private static let alphabet = Bytes(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")

    /// The digits of the bytes, padded to whole groups of four.
    package static func encode(_ bytes: Bytes) -> String {
        var digits = Bytes()
        digits.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits: UInt32 = 0
            for byte in group { bits = bits << 8 | UInt32(byte) }
            bits <<= UInt32(8 * (3 - group.count))
            for index in 0..<4 {
                let digit = Int(bits >> UInt32(18 - 6 * index)) & 0x3f
                digits.append(index <= group.count ? alphabet[digit] : padding)
            }
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// The bytes that padded digits spell; nil for every other spelling.
    ///
    /// White space, missing padding and bits that are set after the last byte are refused.
    package static func decode(_ characters: some Sequence<UInt8>) -> Bytes? {
        decode(Bytes(characters))
    }

    /// The bytes that padded digits spell; nil for every other spelling.
    package static func decode(_ characters: Bytes) -> Bytes? {
        guard characters.count % 4 == 0 else { return nil }
        let padded = characters.reversed().prefix { $0 == padding }.count
        guard padded <= 2 else { return nil }
        let values = values
        var bytes = Bytes()
        bytes.reserveCapacity(characters.count / 4 * 3)
        var bits: UInt32 = 0
        var bitCount: UInt32 = 0
        for character in characters.dropLast(padded) {
            let value = values[Int(character)]
            guard value < 64 else { return nil }
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
            }
        }
        return bits & ((1 << bitCount) - 1) == 0 ? bytes : nil
    }

    /// The bytes that a padded text spells; nil for every other spelling.
    package static func decode(_ text: some StringProtocol) -> Bytes? {
        decode(Bytes(text.utf8))
    }

    /// What each byte counts as a digit; 64 for those that are none.
    private static let values: Bytes = {
        var values = Bytes(repeating: 64, count: 256)
        for (value, digit) in alphabet.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()
}
