import DaybookCrypto
import DaybookEncoding
import DaybookLMDB
import DaybookLog

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
