package import DaybookEncoding

/// How ICON writes an integer (T_INT): `0x` and lower-case digits without leading zeros.
package enum ICONInteger {
    /// The number that a text spells in the one form that nodes accept, up to 256 bits.
    package static func parse(_ text: String) -> UInt256? {
        guard isCanonical(text) else { return nil }
        return UInt256(hex: String(text.dropFirst(2)))
    }

    /// As `parse`, for numbers that a node keeps in 63 bits: times, network ids, heights.
    package static func parseSmall(_ text: String) -> UInt64? {
        guard isCanonical(text), let number = UInt64(text.dropFirst(2), radix: 16),
            number <= UInt64(Int64.max)
        else { return nil }
        return number
    }

    /// The canonical text of a number.
    package static func text(_ number: UInt256) -> String { "0x" + number.hex }

    /// The canonical text of a small number.
    package static func text(_ number: UInt64) -> String { "0x" + String(number, radix: 16) }

    /// Whether a text is `0x0`, or `0x` and lower-case digits of which the first is not 0.
    package static func isCanonical(_ text: String) -> Bool {
        let bytes = Bytes(text.utf8)
        guard bytes.starts(with: "0x".utf8), bytes.count > 2,
            bytes.dropFirst(2).allSatisfy(isDigit)
        else { return false }
        return bytes.count == 3 || bytes[2] != UInt8(ascii: "0")
    }

    /// Whether a character is a hexadecimal digit in lower case.
    package static func isDigit(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
        default: false
        }
    }
}
