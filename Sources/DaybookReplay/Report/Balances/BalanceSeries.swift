import DaybookDomain
import DaybookEncoding

/// What a wallet held of an asset, from change to change.
///
/// However many changes there are, the series stays short: when it has grown too long, neighbours
/// become one span that knows its lowest and highest amount.
struct BalanceSeries {
    let wallet: WalletID
    /// The asset as it was last called.
    private(set) var asset: BookEntry.Asset
    private(set) var spans: [Span] = []
    private(set) var changes: UInt64 = 0
    /// How many changes a span holds, but for the last one.
    private var changesPerSpan: UInt64 = 1

    /// The most spans that are kept.
    static let mostSpans = 256

    /// One change of a balance, or several that follow each other.
    struct Span: Equatable {
        /// The first and the last change's event.
        let first: Position
        var last: Position
        let begins: UInt64
        var ends: UInt64
        /// All that the wallet held, reserved or not.
        var lowest: UInt256
        var highest: UInt256
        var total: UInt256
        /// What of it could be spent.
        var available: UInt256
        /// By how many changes the span came about.
        var changes: UInt64 = 1

        mutating func add(_ next: Span) {
            last = next.last
            ends = next.ends
            lowest = min(lowest, next.lowest)
            highest = max(highest, next.highest)
            total = next.total
            available = next.available
            changes += next.changes
        }
    }

    init(wallet: WalletID, asset: BookEntry.Asset) {
        self.wallet = wallet
        self.asset = asset
    }

    mutating func add(
        _ balance: BalanceRow, of asset: BookEntry.Asset, at position: Position, _ time: UInt64
    ) {
        self.asset = asset
        let total = balance.confirmed.adding(balance.unconfirmed) ?? .max
        let next = Span(
            first: position, last: position, begins: time, ends: time, lowest: total,
            highest: total, total: total, available: balance.available)
        if let end = spans.indices.last, spans[end].last == position {
            // Several postings of one event are one change.
            return
        }
        changes += 1
        if let end = spans.indices.last, spans[end].changes < changesPerSpan {
            spans[end].add(next)
        } else {
            if spans.count == Self.mostSpans { halve() }
            spans.append(next)
        }
    }

    private mutating func halve() {
        spans = stride(from: 0, to: spans.count, by: 2).map { index in
            var span = spans[index]
            span.add(spans[index + 1])
            return span
        }
        changesPerSpan *= 2
    }

    /// Whether every change has a span of its own.
    var isWhole: Bool { changesPerSpan == 1 }
}
