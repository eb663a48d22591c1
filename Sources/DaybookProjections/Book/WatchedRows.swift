import DaybookEncoding

/// Rows that remember what was under some keys before they were changed.
///
/// So the moves of the ledger can be read off the state from outside: the domain knows of no book.
struct WatchedRows: Rows {
    private var base: any Rows
    private let changes: RowChanges

    init(_ base: any Rows, noting changes: RowChanges) {
        self.base = base
        self.changes = changes
    }

    func value(_ key: Bytes) -> Bytes? { base.value(key) }

    mutating func set(_ key: Bytes, _ value: Bytes) {
        changes.note(key, base)
        base.set(key, value)
    }

    mutating func remove(_ key: Bytes) {
        changes.note(key, base)
        base.remove(key)
    }

    func scan(prefix: Bytes, after: Bytes?, limit: Int) -> [Row] {
        base.scan(prefix: prefix, after: after, limit: limit)
    }

    func scanBackward(prefix: Bytes, before: Bytes?, limit: Int) -> [Row] {
        base.scanBackward(prefix: prefix, before: before, limit: limit)
    }
}

/// What an event has changed: keys in the order in which they were first touched.
final class RowChanges {
    private let prefixes: [Bytes]
    private var seen: Set<Bytes> = []
    private var entries: [(key: Bytes, old: Bytes?)] = []

    init(under prefixes: [Bytes]) {
        self.prefixes = prefixes
    }

    func note(_ key: Bytes, _ rows: any Rows) {
        guard prefixes.contains(where: { ByteOrder.begins(key, with: $0) }),
            seen.insert(key).inserted
        else { return }
        entries.append((key, rows.value(key)))
    }

    /// The keys that were touched since the last call, each with its value before.
    func take() -> [(key: Bytes, old: Bytes?)] {
        defer {
            seen.removeAll(keepingCapacity: true)
            entries.removeAll(keepingCapacity: true)
        }
        return entries
    }
}
