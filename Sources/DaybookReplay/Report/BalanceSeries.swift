import DaybookDomain
import DaybookEncoding

/// The balance of a wallet in an asset over time.
///
/// A series has at most 256 spans: when there are more changes, neighbouring spans are merged into
/// one that keeps the lowest and the highest amount.
struct BalanceSeries {
    let key: BalanceKey
    /// The held and the free amount when the period began.
    private(set) var opening: (held: UInt256, free: UInt256) = (.zero, .zero)
    private(set) var spans: [Span] = []
    private(set) var changes: UInt64 = 0
    /// How many changes each span but the last one has.
    private var changesPerSpan: UInt64 = 1

    /// The most spans that are kept.
    static let mostSpans = 256

    /// A change of a balance, or several in a row.
    struct Span: Equatable {
        /// The event of the first change, and that of the last one.
        let first: Position
        var last: Position
        let begins: UInt64
        var ends: UInt64
        /// All that the wallet held, reserved amounts included.
        var lowest: UInt256
        var highest: UInt256
        var held: UInt256
        /// The part that could be spent.
        var free: UInt256
        /// How many changes the span has.
        var changes: UInt64 = 1

        mutating func add(_ next: Span) {
            last = next.last
            ends = next.ends
            lowest = min(lowest, next.lowest)
            highest = max(highest, next.highest)
            held = next.held
            free = next.free
            changes += next.changes
        }
    }

    init(of key: BalanceKey) {
        self.key = key
    }

    /// Takes a balance from before the period.
    mutating func open(with balance: BalanceRow) {
        opening = (balance.whole, balance.available)
    }

    /// Adds a change; an event changes a balance once at most.
    mutating func add(_ balance: BalanceRow, at position: Position, _ time: UInt64) {
        let held = balance.whole
        let next = Span(
            first: position, last: position, begins: time, ends: time, lowest: held,
            highest: held, held: held, free: balance.available)
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

    /// The series for the page's script: a column of each property of the spans.
    func json(asset: Int) -> JSON {
        .record([
            "wallet": .int(key.first.number), "asset": .int(asset), "changes": .int(changes),
            "opening": .array([.string(opening.held.decimal), .string(opening.free.decimal)]),
            "first": .array(spans.map { .int($0.first.number) }),
            "last": .array(spans.map { .int($0.last.number) }),
            "begins": .array(spans.map { .int($0.begins) }),
            "ends": .array(spans.map { .int($0.ends) }),
            "lowest": .array(spans.map { .string($0.lowest.decimal) }),
            "highest": .array(spans.map { .string($0.highest.decimal) }),
            "held": .array(spans.map { .string($0.held.decimal) }),
            "free": .array(spans.map { .string($0.free.decimal) }),
        ])
    }
}

extension BalanceRow {
    /// All that the wallet holds, in blocks and outside.
    fileprivate var whole: UInt256 { confirmed.adding(unconfirmed) ?? .max }
}
