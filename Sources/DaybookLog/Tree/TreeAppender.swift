package import DaybookEncoding

/// Adds leaves to the stored tree.
///
/// An append hashes the leaf and, on average, one node. A row is written when it is full; the rows
/// that are not full stay in memory until `save()`, so that a transaction of n events writes n/16
/// rows and one for each level, which is one row for a single event.
package struct TreeAppender<Storage: Rows>: Sendable {
    /// The rows, up to date after `save()`.
    package private(set) var rows: Storage
    /// How many leaves the tree has.
    package private(set) var size: UInt64

    private var savedSize: UInt64
    /// The hashes of each level's last row; empty where that has just been filled.
    private var open: [Bytes] = []

    /// Continues the tree of a known size; an empty one has no rows.
    package init(_ rows: Storage, size: UInt64) throws(TreeError) {
        self.rows = rows
        self.size = size
        savedSize = size
        for level in 0..<TreeRow.levels {
            let count = TreeRow.count(level: level, size: size)
            let isOpen = count % TreeRow.capacity > 0
            let index = count / TreeRow.capacity
            open.append(
                isOpen ? try TreeRow.load(rows, level: level, index: index, size: size) : [])
        }
    }

    /// The rows that are not full.
    var openRows: [Row] {
        (0..<TreeRow.levels).filter { !open[$0].isEmpty }.map { level in
            let index = TreeRow.count(level: level, size: size) / TreeRow.capacity
            return Row(key: TreeRow.key(level: level, index: index), value: open[level])
        }
    }

    /// Goes on above other rows, which have what was saved.
    mutating func rebase(on rows: Storage) { self.rows = rows }

    /// Adds the leaf of an event's bytes.
    package mutating func append(_ event: Bytes) {
        append(event.span)
    }

    /// Adds the leaf of an event's bytes.
    package mutating func append(_ event: Span<UInt8>) {
        append(leaf: TreeHash(leaf: event))
    }

    /// Adds a leaf that was hashed.
    package mutating func append(leaf: TreeHash) {
        var hash = leaf
        let position = size
        size += 1
        for level in 0..<TreeRow.levels {
            hash.append(to: &open[level])
            let count = Int(TreeRow.capacity)
            guard open[level].count == count * TreeHash.length else { return }
            hash = TreeHash(over: open[level], from: 0, count: count)
            let index = TreeRow.count(level: level + 1, size: position)
            rows.set(TreeRow.key(level: level, index: index), open[level])
            open[level].removeAll(keepingCapacity: true)
        }
    }

    /// Writes the rows that are not full and have changed.
    package mutating func save() {
        for level in 0..<TreeRow.levels {
            let count = TreeRow.count(level: level, size: size)
            if count == TreeRow.count(level: level, size: savedSize) { break }
            if open[level].isEmpty { continue }
            rows.set(TreeRow.key(level: level, index: count / TreeRow.capacity), open[level])
        }
        savedSize = size
    }
}

extension TreeAppender where Storage == MemoryRows {
    /// Removes the rows that were written so far, and returns them in key order.
    mutating func takeRows() -> [Row] {
        defer { rows = MemoryRows() }
        return rows.scan(prefix: [], after: nil, limit: .max)
    }
}
