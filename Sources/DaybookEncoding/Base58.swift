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
        decode(text.utf8.span, maximumLength: maximumLength)
    }

    /// The same for characters that are bytes already.
    package static func decode(_ characters: Span<UInt8>, maximumLength: Int = 128) -> Bytes? {
        guard characters.count <= maximumLength else { return nil }
        var zeros = 0
        while zeros < characters.count, characters[zeros] == UInt8(ascii: "1") { zeros += 1 }
        let values = values.span
        // 58^5 is below 2^32: five digits at a time are carried through words of 32 bits.
        var words: [UInt32] = []
        words.reserveCapacity(characters.count / 5 + 1)
        var index = zeros
        while index < characters.count {
            let end = min(index + 5, characters.count)
            var carry: UInt64 = 0
            var factor: UInt64 = 1
            while index < end {
                let value = values[Int(characters[index])]
                guard value < 58 else { return nil }
                carry = carry * 58 + UInt64(value)
                factor *= 58
                index += 1
            }
            for place in words.indices {
                carry += UInt64(words[place]) * factor
                words[place] = UInt32(truncatingIfNeeded: carry)
                carry >>= 32
            }
            if carry > 0 { words.append(UInt32(carry)) }
        }
        var bytes = Bytes(repeating: 0, count: zeros)
        bytes.reserveCapacity(zeros + 4 * words.count)
        for word in words.reversed() {
            for place in 0..<4 {
                let byte = UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * place))
                if byte > 0 || bytes.count > zeros { bytes.append(byte) }
            }
        }
        return bytes
    }

    /// What each byte counts as a digit; 58 for those that are none.
    private static let values: Bytes = {
        var values = Bytes(repeating: 58, count: 256)
        for (value, digit) in alphabet.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()
}
