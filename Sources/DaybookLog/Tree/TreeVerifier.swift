package import DaybookEncoding

/// Rebuilds the tree of a log's events, and compares it with the stored one row by row.
///
/// It holds only the rows since the last comparison, and one row a level.
package struct TreeVerifier: ~Copyable {
    private var appender: TreeAppender<MemoryRows>
    /// The tree over the events so far.
    package private(set) var fold = TreeFold()

    /// A verifier that has seen no event.
    package init() throws(TreeError) {
        appender = try TreeAppender(MemoryRows(), size: 0)
    }

    /// A verifier that goes on after the events of a tree, whose rows that are not full are these.
    package init(after fold: TreeFold, openRows: [Row]) throws(TreeError) {
        var rows = MemoryRows()
        for row in openRows { rows.set(row.key, row.value) }
        appender = try TreeAppender(rows, size: fold.size)
        _ = appender.takeRows()
        self.fold = fold
    }

    /// The rows that are not full.
    package var openRows: [Row] { appender.openRows }

    /// How many events were added.
    package var size: UInt64 { fold.size }

    /// Adds the bytes of the next event.
    package mutating func add(_ event: Bytes) {
        appender.append(leaf: fold.add(leaf: event))
    }

    /// The head of the tree over the events so far.
    package mutating func head() -> TreeHead {
        TreeHead(size: fold.size, root: fold.root())
    }

    /// The position of the first event whose hashes in the stored tree are wrong, if there is one.
    ///
    /// Compares the rows that became full since the last call. At the end, `isWhole` also compares
    /// the rows that are not full; a stored row may be longer where the log has grown since.
    package mutating func firstDifference(
        isWhole: Bool, from stored: (Bytes) throws -> Bytes?
    ) rethrows -> UInt64? {
        if isWhole { appender.save() }
        var first: UInt64?
        for row in appender.takeRows() {
            guard let different = Self.difference(row.value, try stored(row.key) ?? []) else {
                continue
            }
            let entry = TreeRow.index(of: row.key) * TreeRow.capacity + different
            let position = entry << UInt64(TreeRow.height * TreeRow.level(of: row.key))
            first = min(first ?? position, position)
        }
        return first
    }

    /// The index of the first hash of a row that differs from the stored row's.
    private static func difference(_ row: Bytes, _ stored: Bytes) -> UInt64? {
        if ByteOrder.begins(stored, with: row) { return nil }
        let same = zip(row, stored).prefix { $0 == $1 }.count
        return UInt64(same / TreeHash.length)
    }
}
