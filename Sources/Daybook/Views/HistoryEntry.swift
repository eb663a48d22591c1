import DaybookDomain
public import DaybookEncoding

/// Something that happened to a wallet's coins.
public struct HistoryEntry: Equatable, Sendable {
    /// The position of the event.
    public let position: Position
    /// `received`, `sent`, `confirmed`, `failed` or `reorganised`.
    public let kind: String
    /// Microseconds since 1970.
    public let time: UInt64
    /// The asset that came or went, where the event says so.
    public let asset: String?
    /// How much, in minor units as decimal text.
    public let amount: String?
    /// The transaction's id or hash in hex.
    public let transaction: String?
    /// The request by which it was sent.
    public let request: RequestID?
}

extension HistoryEntry {
    init(_ position: Position, _ row: HistoryRow) {
        self.init(
            position: position, kind: row.kind.rawValue, time: row.time, asset: row.asset,
            amount: row.amount?.decimal, transaction: row.txid.map { Hex.encode($0) },
            request: row.request)
    }
}
