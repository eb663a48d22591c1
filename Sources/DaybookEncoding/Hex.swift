/// Bytes as pairs of hexadecimal digits.
package enum Hex {
    /// The digits of the bytes in lower case.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var digits = Bytes()
        digits.reserveCapacity(2 * bytes.underestimatedCount)
        for byte in bytes {
            digits.append(digit(byte >> 4))
            digits.append(digit(byte & 0xf))
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// The bytes that digits of either case spell; nil for anything but whole pairs of digits.
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

    /// What a hexadecimal digit of either case counts; nil for other characters.
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
