/// Rows in two layers: changes above a base, which stays as it is.
///
/// No row has an empty value, so that an empty value among the changes marks a removed row.
package struct OverlayRows: Rows {
    /// The lower layer, which may be replaced by rows with the same content.
    package var base: any Rows
    /// The upper layer: the rows that were set, and an empty value for each removed one.
    package private(set) var changes: any Rows

    /// The rows of a base; `changes` must be empty.
    package init(_ base: any Rows, changes: any Rows = MemoryRows()) {
        self.base = base
        self.changes = changes
    }

    package func value(_ key: Bytes) -> Bytes? {
        guard let changed = changes.value(key) else { return base.value(key) }
        return changed.isEmpty ? nil : changed
    }

    package mutating func set(_ key: Bytes, _ value: Bytes) {
        precondition(!value.isEmpty, "no row has an empty value")
        changes.set(key, value)
    }

    package mutating func remove(_ key: Bytes) {
        changes.set(key, [])
    }

    package func scan(prefix: Bytes, after: Bytes?, limit: Int) -> [Row] {
        let size = min(limit, RowReader.batch)
        return rows(
            limit, RowPairs(base, changes) { rows, last in
                rows.scan(prefix: prefix, after: last ?? after, limit: size)
            })
    }

    package func scanBackward(prefix: Bytes, before: Bytes?, limit: Int) -> [Row] {
        let size = min(limit, RowReader.batch)
        return rows(
            limit, RowPairs(base, changes, isForward: false) { rows, last in
                rows.scanBackward(prefix: prefix, before: last ?? before, limit: size)
            })
    }

    /// The first rows of both layers; of two with one key the changed one counts.
    private func rows(_ limit: Int, _ pairs: consuming RowPairs) -> [Row] {
        var pairs = pairs
        var rows: [Row] = []
        while rows.count < limit, let pair = pairs.next() {
            if let row = pair.right ?? pair.left, !row.value.isEmpty { rows.append(row) }
        }
        return rows
    }

    package func walk(_ body: (_ key: Bytes, _ value: Bytes) -> Void) {
        var pairs = RowPairs(base, changes)
        while let pair = pairs.next() {
            if let row = pair.right ?? pair.left, !row.value.isEmpty { body(row.key, row.value) }
        }
    }
}
