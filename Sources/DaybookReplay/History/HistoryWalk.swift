import DaybookCrypto
import DaybookEncoding
import DaybookLMDB
import DaybookLog

/// A walk over all entries of a history, in their order, to the rows as of a size.
struct HistoryWalk {
    /// What the walk has come to.
    enum Step {
        /// The value of the next row, which is in `row` and `value`.
        case value
        /// What does not count: an older or a later value, or the end of a row.
        case other
        /// What nobody wrote like this.
        case damage
    }

    private(set) var row: Bytes = []
    private(set) var value: Bytes = []
    private let size: UInt64
    private var isPassed = false
    private var key: Bytes = []

    /// A walk that begins before the first entry.
    init(at size: UInt64) {
        self.size = size
    }

    /// Takes the next entry where it lies; its bytes take the place of the ones before.
    mutating func take(_ entry: RawSpan, _ sealed: RawSpan) -> Step {
        HistoryEntry.copyRow(entry, to: &key)
        if key != row {
            guard ByteOrder.precedes(row, key) else { return .damage }
            swap(&row, &key)
            isPassed = false
        }
        let start = HistoryEntry.size(entry)
        // The newest comes first.
        if isPassed || start > size { return .other }
        isPassed = true
        HistoryEntry.copyContent(sealed, to: &value)
        guard HistoryEntry.isWhole(row, start, value, sealed) else { return .damage }
        return value.isEmpty ? .other : .value
    }
}

/// What a history says of itself: by which rules, and from which events, it was made.
struct HistoryHead {
    /// A hash over the log's id and everything that decides what rows its events add up to.
    let rules: Bytes
    /// How many events it covers.
    var size: UInt64 = 0
    /// The root of the tree over those events.
    var root: Bytes = TreeHash.ofEmptyTree.bytes

    /// The head of a history of nothing.
    init(rules: Bytes) {
        self.rules = rules
    }

    /// The head in a history's table; nil where there is none that makes sense.
    init?(_ view: TransactionView, _ table: Table) throws {
        guard let bytes = try view.value(table, Self.key), let record = try? CBOR.decode(bytes),
            let rules = record["rules"]?.bytesValue, let size = record["size"]?.uintValue,
            let root = record["root"]?.bytesValue
        else { return nil }
        self.rules = rules
        self.size = size
        self.root = root
    }

    /// Whether it was made from the first events of this very log, by these rules.
    func isOf(_ log: EventLog, _ rules: Bytes) throws -> Bool {
        guard self.rules == rules else { return false }
        return try log.read { snapshot in
            guard size <= snapshot.count else { return false }
            return try snapshot.head(at: size).root.bytes == root
        }
    }

    func write(_ view: TransactionView, _ table: Table) throws {
        let record = CBOR.record([
            "rules": .bytes(rules), "size": .unsigned(size), "root": .bytes(root),
        ])
        try view.put(table, Self.key, record.encoded())
    }

    private static let key = Bytes("head".utf8)

    /// The form of a history's own entries.
    private static let format: UInt64 = 1

    /// A change of the state's rows comes with another version of the derived tables.
    static func rules(of log: EventLog, spacing: UInt64) throws -> Bytes {
        SHA256.hash(
            CBOR.record([
                "format": .unsigned(format), "log": .bytes(try log.id),
                "derived": .unsigned(LogVersions.derived), "rules": .bytes(StateFold.rules),
                "spacing": .unsigned(spacing),
            ]).encoded())
    }
}
