package import DaybookEncoding

/// A signed amount, in minor units.
package struct SignedAmount: Equatable, Sendable {
    /// The absolute value.
    package private(set) var magnitude: UInt256
    /// Whether the amount is negative; false for zero.
    package private(set) var isNegative: Bool

    /// Zero.
    package static let zero = SignedAmount(.zero)

    /// An amount with its sign.
    package init(_ magnitude: UInt256, isNegative: Bool = false) {
        self.magnitude = magnitude
        self.isNegative = isNegative && magnitude != .zero
    }

    /// The difference of `new` and `old`.
    package init(from old: UInt256, to new: UInt256) {
        if let rise = new.subtracting(old) {
            self.init(rise)
        } else {
            self.init(old.subtracting(new) ?? .zero, isNegative: true)
        }
    }

    /// The same amount with the other sign.
    package var negated: SignedAmount { SignedAmount(magnitude, isNegative: !isNegative) }

    /// The sum, which for real coins is far below 256 bits.
    package func adding(_ other: SignedAmount) -> SignedAmount {
        if isNegative == other.isNegative {
            let sum = magnitude.adding(other.magnitude) ?? .max
            return SignedAmount(sum, isNegative: isNegative)
        }
        let change = SignedAmount(from: other.magnitude, to: magnitude)
        return isNegative ? change.negated : change
    }

    /// The amount in whole coins, as decimal digits.
    package func text(decimals: Int) -> String {
        (isNegative ? "-" : "") + DecimalAmount.format(magnitude, decimals: decimals)
    }
}

extension SignedAmount {
    /// The amount in minor units, as decimal digits.
    package var decimal: String { (isNegative ? "-" : "") + magnitude.decimal }
}
