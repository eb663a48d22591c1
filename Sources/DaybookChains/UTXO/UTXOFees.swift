import DaybookEncoding

/// The fees of Dash and Axe: every rule about a rate or a fee, in duffs.
///
/// A rate is for 1000 bytes. Limits are those of `policy.h` and `validation.h` of Dash Core 21.1.1
/// and Axe Core 1.6.1.1.
package enum UTXOFees {
    /// The least rate at which nodes relay.
    package static let leastRate: UInt64 = 1000

    /// The highest rate that is paid unless a setting says otherwise.
    package static let highestRate = 1000 * leastRate

    /// The nodes' limit for absurd fees: of the total (Axe) or of 1000 bytes (Dash).
    package static let absurd: UInt64 = 10_000_000

    /// The usual fees: the largest standard transaction costs 0.001 of a coin, and blocks are never
    /// full.
    package static let usual = UsualFee(
        price: UInt256(leastRate), within: 10, highestFee: UInt256(100_000))

    /// The largest factor by which the estimates of honest nodes differ.
    private static let honestRatio: UInt64 = 10

    /// The rate to pay where a node told a rate, or none has.
    package static func rate(told: UInt64?) -> UInt64 { max(told ?? 0, leastRate) }

    /// The rate that is paid where one is asked for.
    ///
    /// - Throws: `.rateTooHigh` above the highest.
    package static func rate(
        paying asked: UInt64, below highest: UInt64
    ) throws(CoinSelectionError) -> UInt64 {
        guard asked <= highest else { throw .rateTooHigh(asked: asked, highest: highest) }
        return rate(told: asked)
    }

    /// Whether a node now asks for more than what is recorded.
    package static func isHigher(_ rate: UInt64, than told: UInt64?) -> Bool {
        rate > told ?? leastRate
    }

    /// Whether two rates differ by more than those of honest nodes do.
    package static func contradict(_ rate: UInt64, _ other: UInt64) -> Bool {
        max(rate, other) / honestRatio > min(rate, other)
    }

    /// The fee for a size and a rate, rounded up.
    package static func fee(ofBytes size: UInt64, at rate: UInt64) -> UInt64 {
        (size * rate + 999) / 1000
    }

    /// The fee, if nodes relay it.
    ///
    /// - Throws: `.feeTooHigh`.
    package static func checked(_ fee: UInt64) throws(CoinSelectionError) -> UInt64 {
        guard fee <= absurd else { throw .feeTooHigh(fee) }
        return fee
    }

    /// The highest fee of a transaction of some bytes that is signed for another machine.
    ///
    /// It is that of the highest rate, and below the limit for absurd fees. Change below the dust
    /// limit, which goes to the fee, comes on top.
    package static func highest(ofBytes size: UInt64) -> UInt64 {
        min(fee(ofBytes: size, at: highestRate) + RelayPolicy.p2pkhDust, absurd)
    }
}
