import DaybookEncoding

/// Limits and checked sums of amounts in duffs, the hundred millionth part of a coin.
package enum Duffs {
    /// How many duffs make one Dash or one Axe.
    package static let perCoin: UInt64 = 100_000_000

    /// The number of decimals of an amount written in coins.
    package static let decimals = 8

    /// The largest amount that consensus admits, for one output and for a sum (`MAX_MONEY`).
    package static let maximum: UInt64 = 21_000_000 * perCoin

    /// An amount in whole coins.
    package static func text(_ amount: UInt64) -> String {
        DecimalAmount.format(UInt256(amount), decimals: decimals)
    }

    /// The sum of the amounts; nil as soon as an amount or the sum is above the maximum.
    package static func sum(_ amounts: some Sequence<UInt64>) -> UInt64? {
        var total: UInt64 = 0
        for amount in amounts {
            // Neither term is above 2.1e15 here, so that the addition cannot overflow.
            guard amount <= maximum else { return nil }
            total += amount
            guard total <= maximum else { return nil }
        }
        return total
    }
}
