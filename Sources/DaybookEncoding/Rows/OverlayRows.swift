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
        merge(
            limit,
            {
                $0.scan(
                    prefix: prefix, after: $1 ?? after, limit: min(limit, RowReader.batch))
            },
            precedes: { ByteOrder.precedes($0, $1) })
    }

    package func scanBackward(prefix: Bytes, before: Bytes?, limit: Int) -> [Row] {
        merge(
            limit,
            {
                $0.scanBackward(
                    prefix: prefix, before: $1 ?? before, limit: min(limit, RowReader.batch))
            }, precedes: { ByteOrder.precedes($1, $0) })
    }

    package func walk(_ body: (_ key: Bytes, _ value: Bytes) -> Void) {
        var above = changes.scan(prefix: [], after: nil, limit: .max)[...]
        func pass(_ row: Row) {
            if !row.value.isEmpty { body(row.key, row.value) }
        }
        base.walk { key, value in
            while let new = above.first, ByteOrder.precedes(new.key, key) {
                pass(new)
                above.removeFirst()
            }
            if let new = above.first, new.key == key {
                pass(new)
                above.removeFirst()
            } else {
                body(key, value)
            }
        }
        above.forEach(pass)
    }

    /// Merges both layers in their common order; of two rows with one key the changed one counts.
    private func merge(
        _ limit: Int, _ scan: @escaping (any Rows, Bytes?) -> [Row],
        precedes: (Bytes, Bytes) -> Bool
    ) -> [Row] {
        var below = RowReader { scan(base, $0) }
        var above = RowReader { scan(changes, $0) }
        var rows: [Row] = []
        while rows.count < limit {
            let (old, new) = (below.first, above.first)
            guard let new else {
                guard let old else { break }
                rows.append(old)
                below.next()
                continue
            }
            if let old, precedes(old.key, new.key) {
                rows.append(old)
                below.next()
            } else {
                if old?.key == new.key { below.next() }
                if !new.value.isEmpty { rows.append(new) }
                above.next()
            }
        }
        return rows
    }
}
