package import DaybookEncoding

/// Builds the tree of a log's events again, and compares it with what is stored, row by row.
///
/// Memory holds one hash row a level, whatever the log's size.
package struct TreeVerifier: ~Copyable {
    private let written = WrittenRows()
    private var appender: TreeAppender<WrittenRows>
    private var fold = TreeFold()

    /// A verifier that has seen no event.
    package init() throws(TreeError) {
        appender = try TreeAppender(written, size: 0)
    }

    /// How many events there were so far.
    package var size: UInt64 { fold.size }

    /// Takes in the bytes of the next event.
    package mutating func add(_ event: Bytes) {
        appender.append(event)
        fold.add(leaf: event)
    }

    /// The head of the tree over the events so far, by their own hashes.
    package mutating func head() -> TreeHead {
        TreeHead(size: fold.size, root: fold.root())
    }

    /// The first event from which on the stored tree is another; nil if there is none.
    ///
    /// Compares the rows that have become full since the last call. At the end, `isWhole`
    /// compares those too that are not full; a stored row may go on where the log has grown since.
    package mutating func firstDifference(
        isWhole: Bool, from stored: (Bytes) throws -> Bytes?
    ) rethrows -> UInt64? {
        if isWhole { appender.save() }
        var first: UInt64?
        for row in written.take() {
            guard let place = Self.difference(row.value, try stored(row.key) ?? []) else {
                continue
            }
            let entry = TreeRow.index(of: row.key) * TreeRow.capacity + place
            let position = entry << UInt64(TreeRow.height * Int(row.key[0]))
            first = min(first ?? position, position)
        }
        return first
    }

    /// The first hash of a row that is not the stored row's.
    private static func difference(_ row: Bytes, _ stored: Bytes) -> UInt64? {
        if ByteOrder.begins(stored, with: row) { return nil }
        let same = zip(row, stored).prefix { $0 == $1 }.count
        return UInt64(same / TreeHash.length)
    }
}

/// Rows that are written once and handed over, never read.
private struct WrittenRows: Rows {
    private final class Store {
        var rows: [Row] = []
    }

    private let store = Store()

    func take() -> [Row] {
        defer { store.rows.removeAll(keepingCapacity: true) }
        return store.rows
    }

    func value(_ key: Bytes) -> Bytes? { nil }
    mutating func set(_ key: Bytes, _ value: Bytes) {
        store.rows.append(Row(key: key, value: value))
    }
    mutating func remove(_ key: Bytes) {}
    func scan(prefix: Bytes, after: Bytes?, limit: Int) -> [Row] { [] }
    func scanBackward(prefix: Bytes, before: Bytes?, limit: Int) -> [Row] { [] }
}
