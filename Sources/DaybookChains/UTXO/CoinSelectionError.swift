/// Why no coins were selected.
package enum CoinSelectionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The coins that may be spent are not enough for the amount and the fee, both in duffs.
    case insufficient(available: UInt64, needed: UInt64)
    /// The amount is below what nodes relay.
    case dust(minimum: UInt64)
    /// The amount is above 21 million coins.
    case amountOutOfRange
    /// So many coins would be needed that the transaction were larger than nodes relay.
    case tooLarge
    /// A coin that has to be spent can't be.
    case unspendable(Outpoint)
    /// The fee, or the rate asked for, is so high that it must be a mistake.
    case feeTooHigh(ratePerKilobyte: UInt64)

    /// The reason in words.
    package var description: String {
        switch self {
        case .insufficient(let available, let needed):
            "\(needed) duffs are needed, \(available) can be spent"
        case .dust(let minimum): "the amount is below the least of \(minimum) duffs"
        case .amountOutOfRange: "the amount is above 21 million coins"
        case .tooLarge: "the transaction would be larger than \(RelayPolicy.maximumSize) bytes"
        case .unspendable(let outpoint): "\(outpoint.text) has to be spent and can't be"
        case .feeTooHigh(let rate): "a fee of \(rate) duffs for 1000 bytes is suspiciously high"
        }
    }
}
