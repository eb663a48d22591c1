package import DaybookEncoding

/// An amount that came or went, in minor units.
package struct SignedAmount: Equatable, Sendable {
    /// How much, whichever way.
    package private(set) var magnitude: UInt256
    /// Whether it went; never true of nothing.
    package private(set) var isNegative: Bool

    /// Nothing.
    package static let zero = SignedAmount(.zero)

    /// An amount that came, or one that went.
    package init(_ magnitude: UInt256, isNegative: Bool = false) {
        self.magnitude = magnitude
        self.isNegative = isNegative && magnitude != .zero
    }

    /// What is added to `old` to make `new`.
    init(from old: UInt256, to new: UInt256) {
        if let rise = new.subtracting(old) {
            self.init(rise)
        } else {
            self.init(old.subtracting(new) ?? .zero, isNegative: true)
        }
    }

    var negated: SignedAmount { SignedAmount(magnitude, isNegative: !isNegative) }

    /// The sum; amounts of coins that exist stay far below 256 bits.
    func adding(_ other: SignedAmount) -> SignedAmount {
        if isNegative == other.isNegative {
            let sum = magnitude.adding(other.magnitude) ?? .max
            return SignedAmount(sum, isNegative: isNegative)
        }
        let change = SignedAmount(from: other.magnitude, to: magnitude)
        return isNegative ? change.negated : change
    }

    /// The amount as digits, in whole coins of so many decimals.
    func text(decimals: Int) -> String {
        (isNegative ? "-" : "") + DecimalAmount.format(magnitude, decimals: decimals)
    }
}
