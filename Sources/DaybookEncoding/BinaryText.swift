/// Encodes and decodes bytes in hexadecimal.
package enum Hex {
    /// The digits of the bytes in lower case.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        // As an array, because the digits of other sequences are made by unspecialized code.
        let bytes = Bytes(bytes)
        var digits = Bytes()
        digits.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            digits.append(digit(byte >> 4))
            digits.append(digit(byte & 0xf))
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Decodes digits in upper or lower case; nil unless they are pairs of digits.
    package static func decode(_ text: some StringProtocol) -> Bytes? {
        decode(Bytes(text.utf8)[...])
    }

    /// The same for digits that are bytes already.
    package static func decode(_ digits: ArraySlice<UInt8>) -> Bytes? {
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes = Bytes()
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: digits.startIndex, to: digits.endIndex, by: 2) {
            guard let high = value(ofDigit: digits[index]),
                let low = value(ofDigit: digits[index + 1])
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// The value of a hexadecimal digit in upper or lower case; nil for other characters.
    package static func value(ofDigit character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// The lower-case digit of a value below sixteen.
    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}

/// Encodes and decodes bytes in Bitcoin's base 58, without a checksum.
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

    /// Decodes a text; nil if it has other characters or is longer than the maximum.
    ///
    /// There is a maximum because the work is quadratic in the length.
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

    /// Whether a byte is one of the 58 digits, which `0`, `O`, `I` and `l` are not.
    package static func isDigit(_ byte: UInt8) -> Bool { values[Int(byte)] < 58 }

    /// The value of each byte as a digit; 58 for bytes that are not digits.
    private static let values: Bytes = {
        var values = Bytes(repeating: 58, count: 256)
        for (value, digit) in alphabet.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()
}

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
        let decoded = decode(characters.span.extracting(droppingLast: padded), strict.span)
        return decoded?.rest == 0 ? decoded?.bytes : nil
    }

    /// The bytes that a padded text spells; nil for every other spelling.
    package static func decode(_ text: some StringProtocol) -> Bytes? {
        decode(Bytes(text.utf8))
    }

    /// The bytes that digits of either alphabet spell; nil for what is no digit.
    ///
    /// White space and padding are passed over wherever they stand.
    package static func decodeLeniently(_ characters: ArraySlice<UInt8>) -> Bytes? {
        // Most of what is no base64 begins with no digit.
        guard let first = characters.first, lenient[Int(first)] != notDigit else { return nil }
        return decode(characters.span, lenient.span)?.bytes
    }

    /// The whole bytes that digits spell, and the bits that are left after the last of them.
    private static func decode(
        _ characters: Span<UInt8>, _ values: Span<UInt8>
    ) -> (bytes: Bytes, rest: UInt32)? {
        var isValid = true
        var bits: UInt32 = 0
        let bytes = Bytes(capacity: characters.count / 4 * 3 + 3) { bytes in
            var bitCount: UInt32 = 0
            var index = 0
            while index < characters.count {
                // Nearly all is groups of four digits.
                if bitCount == 0, let group = group(characters, at: index, values) {
                    bytes.append(UInt8(truncatingIfNeeded: group >> 16))
                    bytes.append(UInt8(truncatingIfNeeded: group >> 8))
                    bytes.append(UInt8(truncatingIfNeeded: group))
                    index += 4
                    continue
                }
                let value = values[Int(characters[index])]
                index += 1
                if value == passedOver { continue }
                isValid = value < 64
                if !isValid { return }
                bits = bits << 6 | UInt32(value)
                bitCount += 6
                if bitCount >= 8 {
                    bitCount -= 8
                    bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
                    bits &= (1 << bitCount) - 1
                }
            }
        }
        return isValid ? (bytes, bits) : nil
    }

    /// The digits at four places, each of six bits, if they are digits all of them.
    @inline(__always)
    private static func group(
        _ characters: Span<UInt8>, at index: Int, _ values: Span<UInt8>
    ) -> UInt32? {
        guard index + 4 <= characters.count else { return nil }
        // In bounds, as the last one is, and a table has a value for every byte.
        let first = unsafe UInt32(values[unchecked: Int(characters[unchecked: index])])
        let second = unsafe UInt32(values[unchecked: Int(characters[unchecked: index + 1])])
        let third = unsafe UInt32(values[unchecked: Int(characters[unchecked: index + 2])])
        let fourth = unsafe UInt32(values[unchecked: Int(characters[unchecked: index + 3])])
        guard first | second | third | fourth < 64 else { return nil }
        return first << 18 | second << 12 | third << 6 | fourth
    }

    /// The value of each byte as a digit.
    private static let strict = table(of: alphabet)

    /// The same with the digits that stand in file names and URLs (RFC 4648, section 5).
    private static let lenient = {
        var values = table(of: alphabet)
        values[Int(UInt8(ascii: "-"))] = 62
        values[Int(UInt8(ascii: "_"))] = 63
        for byte in " \r\n\t=".utf8 { values[Int(byte)] = passedOver }
        return values
    }()

    private static func table(of digits: Bytes) -> Bytes {
        var values = Bytes(repeating: notDigit, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }

    private static let passedOver: UInt8 = 64
    private static let notDigit: UInt8 = 65
}
