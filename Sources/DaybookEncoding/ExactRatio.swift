/// A ratio of whole numbers: an amount of money that is rounded only where it is shown.
///
/// It is not reduced. Few operations follow on each other, and common divisors cost more to find.
package struct ExactRatio: Sendable {
    private let numerator: BigNatural
    private let denominator: BigNatural
    /// Whether it is below zero; false for zero.
    private let isNegative: Bool

    /// A ratio that is not below zero.
    package init(_ numerator: BigNatural, over denominator: BigNatural = BigNatural(1)) {
        self.init(numerator, denominator, isNegative: false)
    }

    private init(_ numerator: BigNatural, _ denominator: BigNatural, isNegative: Bool) {
        precondition(!denominator.isZero, "a denominator is an amount or a power of ten")
        (self.numerator, self.denominator) = (numerator, denominator)
        self.isNegative = isNegative && !numerator.isZero
    }

    package static let zero = ExactRatio(.zero)

    package static func + (left: ExactRatio, right: ExactRatio) -> ExactRatio {
        let isSame = left.denominator == right.denominator
        let one = isSame ? left.numerator : left.numerator * right.denominator
        let other = isSame ? right.numerator : right.numerator * left.denominator
        let denominator = isSame ? left.denominator : left.denominator * right.denominator
        if left.isNegative == right.isNegative {
            return ExactRatio(one + other, denominator, isNegative: left.isNegative)
        }
        return one < other
            ? ExactRatio(other - one, denominator, isNegative: right.isNegative)
            : ExactRatio(one - other, denominator, isNegative: left.isNegative)
    }

    package static func - (left: ExactRatio, right: ExactRatio) -> ExactRatio {
        left + ExactRatio(right.numerator, right.denominator, isNegative: !right.isNegative)
    }

    package static func * (left: ExactRatio, right: BigNatural) -> ExactRatio {
        ExactRatio(left.numerator * right, left.denominator, isNegative: left.isNegative)
    }

    package static func / (left: ExactRatio, right: BigNatural) -> ExactRatio {
        ExactRatio(left.numerator, left.denominator * right, isNegative: left.isNegative)
    }

    /// The nearest decimal number, of two equally near ones the even one: `-12.50`.
    package func text(decimals: Int) -> String {
        let scaled = numerator * .power(ofTen: decimals)
        var (digits, rest) = scaled.quotientAndRemainder(dividingBy: denominator)
        let twice = rest + rest
        if twice > denominator || (twice == denominator && digits.isOdd) {
            digits = digits + BigNatural(1)
        }
        var text = digits.decimal
        if decimals > 0 {
            let zeros = String(repeating: "0", count: max(0, decimals + 1 - text.utf8.count))
            text = zeros + text
            text = "\(text.dropLast(decimals)).\(text.suffix(decimals))"
        }
        return isNegative && !digits.isZero ? "-" + text : text
    }
}
