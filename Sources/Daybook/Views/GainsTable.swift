public import DaybookEncoding
import DaybookReplay

/// The order in which parts of the holding leave.
public enum GainsMethod: String, Codable, Hashable, Sendable, CaseIterable {
    /// Those that were acquired first.
    case fifo
    /// None: each part has cost the average of all that is held.
    case average
}

/// The gains of a year: the assets that left the wallets, with their proceeds and costs.
public struct GainsTable: Codable, Hashable, Sendable {
    /// The parts that left, in the order of their dates.
    public let gains: [Gain]
    /// The prices that are missing, without which some gains are not known.
    public let missing: [MissingPrice]

    /// A part of an asset that left the wallets; amounts of money are in the currency.
    public struct Gain: Codable, Hashable, Sendable {
        /// `DASH`, `AXE`, `ICX` or a token's contract address.
        public let asset: String
        /// The asset's symbol.
        public let symbol: String
        /// When it was acquired; nil with average costs, and where that is not known.
        public let acquired: Timestamp?
        /// When it left: its block's time, or when it was recorded.
        public let disposed: Timestamp
        /// Whole coins such as `1.5`; minor units of a token whose decimals are not known.
        public let amountInCoins: String
        /// Whether it paid for a transaction: then its proceeds are zero.
        public let isFee: Bool
        /// The price that it left for; nil if that is missing.
        public let proceeds: String?
        /// Its cost; nil if the price is missing, or it was never acquired.
        public let cost: String?
        /// Proceeds less cost, rounded for itself; nil if one of them is not known.
        public let gain: String?
        /// The request that made the transaction.
        public let request: RequestID?
        /// The transaction's id or hash in hex.
        public let transaction: String?
    }

    /// A time at which an asset's price is not known.
    public struct MissingPrice: Codable, Hashable, Sendable {
        /// `DASH`, `AXE`, `ICX` or a token's contract address.
        public let asset: String
        /// The time of the movement.
        public let time: Timestamp
    }
}

extension GainsTable {
    /// The table with amounts of money rounded half to even.
    init(_ gains: Gains, decimals: Int) {
        self.gains = gains.lines.map { line in
            Gain(
                asset: line.asset.name, symbol: line.asset.symbol,
                acquired: Timestamp(line.acquired),
                disposed: Timestamp(microseconds: line.movement.date),
                amountInCoins: line.asset.text(of: line.amount), isFee: line.isFee,
                proceeds: line.proceeds?.text(decimals: decimals),
                cost: line.cost?.text(decimals: decimals),
                gain: line.gain?.text(decimals: decimals), request: line.movement.request,
                transaction: line.movement.txid.map { Hex.encode($0) })
        }
        missing = gains.missing.map {
            MissingPrice(asset: $0.asset.name, time: Timestamp(microseconds: $0.time))
        }
    }
}

extension Gains.Method {
    init(_ method: GainsMethod) {
        switch method {
        case .fifo: self = .fifo
        case .average: self = .average
        }
    }
}
