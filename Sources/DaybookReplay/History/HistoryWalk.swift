import DaybookCrypto
import DaybookEncoding
import DaybookLMDB
import DaybookLog

/// Filters the entries of a history, in key order, to the rows as of a size.
struct HistoryWalk {
    /// The meaning of an entry.
    enum Step {
        /// The next row, which is now in `row` and `value`.
        case value
        /// No row: an older or later value, or the removal of a row.
        case other
        /// A damaged entry.
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

    /// Takes the next entry in LMDB's memory; replaces `row` and `value`.
    mutating func take(_ entry: RawSpan, _ sealed: RawSpan) -> Step {
        VersionedRow.copyRow(entry, to: &key)
        if key != row {
            guard ByteOrder.precedes(row, key) else { return .damage }
            swap(&row, &key)
            isPassed = false
        }
        let start = VersionedRow.size(entry)
        // The newest comes first.
        if isPassed || start > size { return .other }
        isPassed = true
        VersionedRow.copyContent(sealed, to: &value)
        guard VersionedRow.isWhole(row, start, value, sealed: sealed) else { return .damage }
        return value.isEmpty ? .other : .value
    }
}

/// Says from which events, and by which rules, a history was made.
struct HistoryHead {
    /// A digest over the log's id and everything else that determines the rows.
    let rules: Bytes
    /// How many events it covers.
    var size: UInt64 = 0
    /// The root of the tree over those events.
    var root: Bytes = TreeHash.ofEmptyTree.bytes

    /// The head of an empty history.
    init(rules: Bytes) {
        self.rules = rules
    }

    /// Reads the head of a history; nil if it is missing or malformed.
    init?(_ view: TransactionView, _ table: Table) throws {
        guard let bytes = try view.value(table, Self.key), let record = try? CBOR.decode(bytes),
            let rules = record["rules"]?.bytesValue, let size = record["size"]?.uintValue,
            let root = record["root"]?.bytesValue
        else { return nil }
        self.rules = rules
        self.size = size
        self.root = root
    }

    /// Whether the history was made from the first events of a log, by these rules.
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

    /// The version of the entries' encoding.
    private static let format: UInt64 = 1

    /// The digest of the rules for a log; it changes with the version of the derived tables.
    static func rules(of log: EventLog, spacing: UInt64) throws -> Bytes {
        SHA256.hash(
            CBOR.record([
                "format": .unsigned(format), "log": .bytes(try log.id),
                "derived": .unsigned(LogVersions.derived), "rules": .bytes(LogVersions.rules),
                "spacing": .unsigned(spacing),
            ]).encoded())
    }
}
