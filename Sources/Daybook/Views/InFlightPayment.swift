public import DaybookEncoding
import DaybookDomain

/// A payment that is signed, and that no block has yet.
public struct InFlightPayment: Equatable, Sendable {
    /// Its request: `signed` until a node has taken the transaction, then `sent`.
    ///
    /// `reason` says why no node has it, `advice` what can be done.
    public let request: WalletRequest
    /// The wallet that pays.
    public let wallet: WalletID?
    /// When it was signed, in microseconds since 1970.
    public let since: UInt64?
    /// When a node last said why it does not take it; the same said again is not counted.
    public let asked: UInt64?
    /// What it holds back from the balance until the chain shows it.
    public let held: [Held]

    /// An amount that a payment holds back.
    public struct Held: Equatable, Sendable {
        /// `DASH`, `AXE`, `ICX` or a token's contract address.
        public let asset: String
        /// What people call the asset.
        public let symbol: String
        /// How many decimals a whole coin has; nil for a token that has not said so.
        public let decimals: Int?
        /// How much, in minor units as decimal text.
        public let minor: String

        /// The amount and its unit, such as `0.5 DASH`.
        public var text: String {
            guard let decimals, let amount = UInt256(decimal: minor) else {
                return "\(minor) units of \(asset)"
            }
            return "\(DecimalAmount.format(amount, decimals: decimals)) \(symbol)"
        }
    }
}
