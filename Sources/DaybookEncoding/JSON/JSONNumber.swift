/// A JSON number, read exactly: sign, digits and a power of ten (RFC 8259, section 6).
///
/// Writers of JSON print one value in many ways: `1000`, `1e3`, `1000.0`, `10.00E+2`. No floating
/// point is involved, so that each of them is the same number, to the last digit.
package struct JSONNumber: Equatable, Sendable {
    /// Whether the number is below zero; zero is not.
    package let isNegative: Bool
    /// The decimal digits, without zeros at either end; empty for zero.
    private let digits: Bytes
    /// The power of ten that the digits are multiplied by; zero for zero.
    private let exponent: Int

    /// Exponents beyond this are so large that they only mean "too large" or "too small".
    private static let largestExponent = 1_000_000_000

    /// A number by its literal, which must follow JSON's grammar; nil otherwise.
    package init?(literal: String) {
        guard case .number? = try? JSON.parse(Bytes(literal.utf8)) else { return nil }
        let isSigned = literal.utf8.first == UInt8(ascii: "-")
        let parts = Bytes(literal.utf8.drop { $0 == UInt8(ascii: "-") }).split(
            maxSplits: 1, omittingEmptySubsequences: false
        ) { $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") }
        let mantissa = parts[0].split(separator: UInt8(ascii: "."), maxSplits: 1)
        var power = parts.count == 2 ? Self.power(parts[1]) : 0
        if mantissa.count == 2 { power -= mantissa[1].count }
        var digits = Bytes(mantissa.joined())
        let zero = UInt8(ascii: "0")
        while digits.last == zero {
            digits.removeLast()
            power += 1
        }
        digits = Bytes(digits.drop { $0 == zero })
        self.digits = digits
        isNegative = isSigned && !digits.isEmpty
        exponent = digits.isEmpty ? 0 : power
    }

    /// The exponent of a literal, bounded, because it may have any number of digits.
    private static func power(_ text: Bytes.SubSequence) -> Int {
        let isNegative = text.first == UInt8(ascii: "-")
        var power = 0
        for byte in text where byte != UInt8(ascii: "-") && byte != UInt8(ascii: "+") {
            power = min(power * 10 + Int(byte - UInt8(ascii: "0")), largestExponent)
        }
        return isNegative ? -power : power
    }

    /// The number in units of 10^-decimals; nil if it is negative or has more than 256 bits.
    ///
    /// A number with further decimals is rounded up, or is nil if `roundingUp` is false.
    package func units(decimals: Int, roundingUp: Bool = false) -> UInt256? {
        guard !isNegative else { return nil }
        let shift = exponent + decimals
        if shift >= 0 {
            guard digits.count + shift <= Self.longest else {
                return digits.isEmpty ? .zero : nil
            }
            return Self.number(digits + Bytes(repeating: UInt8(ascii: "0"), count: shift))
        }
        // The last digit is not a zero, so that something is cut off here.
        guard roundingUp else { return digits.isEmpty ? .zero : nil }
        let whole = digits.dropLast(min(-shift, digits.count))
        guard whole.count <= Self.longest else { return nil }
        return Self.number(Bytes(whole))?.adding(digits.isEmpty ? .zero : UInt256(1))
    }

    /// The digits of the largest number of 256 bits.
    private static let longest = 78

    private static func number(_ digits: Bytes) -> UInt256? {
        digits.isEmpty ? .zero : UInt256(decimal: String(decoding: digits, as: UTF8.self))
    }

    /// The number as an integer; nil if it is none, or does not fit.
    package var integer: Int64? {
        let magnitude = JSONNumber(digits: digits, exponent: exponent).units(decimals: 0)
        guard let magnitude = magnitude.flatMap({ UInt64(exactly: $0) }) else { return nil }
        guard isNegative else { return Int64(exactly: magnitude) }
        return magnitude == Int64.min.magnitude ? .min : Int64(exactly: magnitude).map { -$0 }
    }

    private init(digits: Bytes, exponent: Int) {
        (isNegative, self.digits, self.exponent) = (false, digits, exponent)
    }
}

extension JSON {
    /// The number, however it is written; nil for another value.
    package var number: JSONNumber? { numberLiteral.flatMap { JSONNumber(literal: $0) } }
}
