/// Bytes in Bitcoin's base 58, without a checksum.
package enum Base58 {
    private static let alphabet = Bytes(
        "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".utf8)

    /// The digits of the bytes; each leading zero byte is a leading `1`.
    package static func encode(_ bytes: Bytes) -> String {
        var digits: Bytes = []
        for byte in bytes.drop(while: { $0 == 0 }) {
            var carry = Int(byte)
            for index in digits.indices {
                carry += Int(digits[index]) << 8
                digits[index] = UInt8(carry % 58)
                carry /= 58
            }
            while carry > 0 {
                digits.append(UInt8(carry % 58))
                carry /= 58
            }
        }
        let zeros = repeatElement(alphabet[0], count: bytes.prefix { $0 == 0 }.count)
        return String(
            decoding: zeros + digits.reversed().map { alphabet[Int($0)] }, as: UTF8.self)
    }

    /// The bytes that a text spells; nil when it has other characters or more than the maximum.
    ///
    /// The work grows with the square of the length, hence the maximum.
    package static func decode(_ text: String, maximumLength: Int = 128) -> Bytes? {
        guard text.utf8.count <= maximumLength else { return nil }
        var bytes: Bytes = []
        for character in text.utf8.drop(while: { $0 == alphabet[0] }) {
            guard var carry = alphabet.firstIndex(of: character) else { return nil }
            for index in bytes.indices {
                carry += Int(bytes[index]) * 58
                bytes[index] = UInt8(truncatingIfNeeded: carry)
                carry >>= 8
            }
            if carry > 0 { bytes.append(UInt8(carry)) }
        }
        let zeros = repeatElement(UInt8(0), count: text.utf8.prefix { $0 == alphabet[0] }.count)
        return zeros + bytes.reversed()
    }
}
