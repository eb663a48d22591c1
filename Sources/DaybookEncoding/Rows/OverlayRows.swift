/// Rows with changes on top that the rows below never see.
///
/// No row that is kept has an empty value: nothing stands for a row taken away.
package struct OverlayRows: WalkedRows {
    /// What lies below; rows with the same content may take its place.
    package var base: any Rows
    /// The rows that were set, and an empty value for each that was taken away.
    package private(set) var changes: any Rows

    /// The rows of a base, not changed yet; `changes` are empty rows to hold what will be.
    package init(_ base: any Rows, changes: any Rows = MemoryRows()) {
        self.base = base
        self.changes = changes
    }

    package func value(_ key: Bytes) -> Bytes? {
        guard let changed = changes.value(key) else { return base.value(key) }
        return changed.isEmpty ? nil : changed
    }

    package mutating func set(_ key: Bytes, _ value: Bytes) {
        precondition(!value.isEmpty, "no row that is kept has an empty value")
        changes.set(key, value)
    }

    package mutating func remove(_ key: Bytes) {
        changes.set(key, [])
    }

    package func scan(prefix: Bytes, after: Bytes?, limit: Int) -> [Row] {
        merge(
            limit, { $0.scan(prefix: prefix, after: $1 ?? after, limit: min(limit, Self.batch)) },
            precedes: { ByteOrder.precedes($0, $1) })
    }

    package func scanBackward(prefix: Bytes, before: Bytes?, limit: Int) -> [Row] {
        merge(
            limit,
            {
                $0.scanBackward(
                    prefix: prefix, before: $1 ?? before, limit: min(limit, Self.batch))
            }, precedes: { ByteOrder.precedes($1, $0) })
    }

    package func walk(_ body: (_ key: Bytes, _ value: Bytes) -> Void) {
        var above = changes.scan(prefix: [], after: nil, limit: .max)[...]
        func hand(_ row: Row) {
            if !row.value.isEmpty { body(row.key, row.value) }
        }
        walkBase { key, value in
            while let new = above.first, ByteOrder.precedes(new.key, key) {
                hand(new)
                above.removeFirst()
            }
            if let new = above.first, new.key == key {
                hand(new)
                above.removeFirst()
            } else {
                body(key, value)
            }
        }
        above.forEach(hand)
    }

    private func walkBase(_ body: (_ key: Bytes, _ value: Bytes) -> Void) {
        if let base = base as? any WalkedRows { return base.walk(body) }
        var after: Bytes?
        repeat {
            let rows = base.scan(prefix: [], after: after, limit: Self.batch)
            for row in rows { body(row.key, row.value) }
            after = rows.last?.key
        } while after != nil
    }

    /// Takes from both in their common order; of two with one key the changed one counts.
    private func merge(
        _ limit: Int, _ scan: @escaping (any Rows, Bytes?) -> [Row],
        precedes: (Bytes, Bytes) -> Bool
    ) -> [Row] {
        var below = Walk { scan(base, $0) }
        var above = Walk { scan(changes, $0) }
        var rows: [Row] = []
        while rows.count < limit {
            let (old, new) = (below.first, above.first)
            guard let new else {
                guard let old else { break }
                rows.append(old)
                below.step()
                continue
            }
            if let old, precedes(old.key, new.key) {
                rows.append(old)
                below.step()
            } else {
                if old?.key == new.key { below.step() }
                if !new.value.isEmpty { rows.append(new) }
                above.step()
            }
        }
        return rows
    }

    /// How many rows are read at a time.
    private static let batch = 256

    /// One row after the other, read in batches.
    private struct Walk {
        private let read: (_ behind: Bytes?) -> [Row]
        private var rows: ArraySlice<Row>
        private var last: Bytes?

        init(_ read: @escaping (_ behind: Bytes?) -> [Row]) {
            self.read = read
            rows = read(nil)[...]
            last = rows.last?.key
        }

        var first: Row? { rows.first }

        mutating func step() {
            rows.removeFirst()
            guard rows.isEmpty, let last else { return }
            rows = read(last)[...]
            self.last = rows.last?.key
        }
    }
}
