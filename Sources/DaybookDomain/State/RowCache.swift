import DaybookEncoding

/// Rows as values of their types: decoded once, changed in memory, encoded when bytes are needed.
///
/// A request's row is touched by every event of its life and holds all of the request; without the
/// cache it would be decoded and encoded again each time. What lies below sees a change once it is
/// saved: before anything is scanned, when the cache is full, and when its owner says so.
final class RowCache {
    private var base: any Rows
    private var entries: [RowKey: Entry] = [:]
    /// The keys of what was changed and not saved since, by the beginnings of their tables' names:
    /// most that is scanned lies in a table of which nothing was changed.
    private var changed: [UInt32: [Bytes]] = [:]

    /// A row's key, hashed at once: an array is hashed byte by byte.
    private struct RowKey: Hashable {
        let bytes: Bytes

        func hash(into hasher: inout Hasher) {
            unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        }
    }

    /// What is known of a key: its row, or that there is none.
    private struct Entry {
        var row: CachedRow?
        var isChanged: Bool
    }

    /// So many keys are known at most, because memory is to stay flat however long a log is.
    private static let capacity = 1024

    init(_ base: any Rows) {
        self.base = base
    }

    /// Goes on above the same rows as another transaction has them.
    func move(to base: any Rows) {
        precondition(changed.values.allSatisfy(\.isEmpty), "a state is saved before it is moved")
        self.base = base
    }

    /// The rows below, with every change in them.
    var saved: any Rows {
        save()
        return base
    }

    func get<Row: StateRow>(_ key: Bytes) throws(FieldError) -> Row? {
        if let entry = entries[RowKey(bytes: key)] {
            guard let row = entry.row else { return nil }
            return try row.value()
        }
        guard let bytes = base.value(key) else {
            add(key, Entry(row: nil, isChanged: false))
            return nil
        }
        let row = try Row(decoding: bytes)
        add(key, Entry(row: TypedRow(row), isChanged: false))
        return row
    }

    func put<Row: StateRow>(_ key: Bytes, _ row: Row) {
        change(key, to: TypedRow(row))
    }

    func remove(_ key: Bytes) {
        change(key, to: nil)
    }

    /// Whether there is a row, whatever its type is.
    func contains(_ key: Bytes) -> Bool {
        if let entry = entries[RowKey(bytes: key)] { return entry.row != nil }
        return base.value(key) != nil
    }

    /// Rows as they lie below, with every change of those under the prefix.
    func scan(prefix: Bytes, after: Bytes?, limit: Int) -> [Row] {
        if let table = Self.table(prefix) {
            save(table) { ByteOrder.begins($0, with: prefix) }
        } else {
            save()
        }
        return base.scan(prefix: prefix, after: after, limit: limit)
    }

    /// What a scanned row says; those that are known already are not decoded again.
    func value<Row: StateRow>(of row: DaybookEncoding.Row) throws(FieldError) -> Row {
        if let known = entries[RowKey(bytes: row.key)]?.row { return try known.value() }
        let value = try Row(decoding: row.value)
        // A list takes what room there is: it may be longer than the cache.
        if entries.count < Self.capacity {
            entries[RowKey(bytes: row.key)] = Entry(row: TypedRow(value), isChanged: false)
        }
        return value
    }

    // MARK: - Keeping and saving

    private func change(_ key: Bytes, to row: CachedRow?) {
        makeRoom()
        let old = entries.updateValue(Entry(row: row, isChanged: true), forKey: RowKey(bytes: key))
        if old?.isChanged != true { noteChange(key) }
    }

    private func add(_ key: Bytes, _ entry: Entry) {
        makeRoom()
        entries[RowKey(bytes: key)] = entry
    }

    private func makeRoom() {
        guard entries.count >= Self.capacity else { return }
        save()
        entries.removeAll(keepingCapacity: true)
    }

    private func noteChange(_ key: Bytes) {
        changed[Self.table(key) ?? 0, default: []].append(key)
    }

    /// What tables are told apart by: the first four bytes of keys; nil for a shorter prefix.
    private static func table(_ key: Bytes) -> UInt32? {
        guard key.count >= 4 else { return nil }
        // Spelled out: a loop that is not compiled for arrays takes as long as all else here.
        return UInt32(key[0]) << 24 | UInt32(key[1]) << 16 | UInt32(key[2]) << 8 | UInt32(key[3])
    }

    private func save() {
        for table in changed.keys.sorted() { save(table) { _ in true } }
    }

    private func save(_ table: UInt32, _ isWanted: (Bytes) -> Bool) {
        changed[table]?.removeAll { key in
            guard isWanted(key), let index = entries.index(forKey: RowKey(bytes: key)) else {
                return false
            }
            entries.values[index].isChanged = false
            if let row = entries.values[index].row {
                base.set(key, row.encoded())
            } else {
                base.remove(key)
            }
            return true
        }
    }
}

/// A row of a type that whoever asks for it knows.
private class CachedRow {
    func encoded() -> Bytes { preconditionFailure("every row has a type") }
}

extension CachedRow {
    /// The row as the type that is asked for, which nearly always is the one that it has.
    ///
    /// Compiled for each type: else the type is looked up anew for each row.
    @inline(__always)
    final func value<Row: StateRow>() throws(FieldError) -> Row {
        if let same = self as? TypedRow<Row> { return same.row }
        return try Row(decoding: encoded())
    }
}

private final class TypedRow<Row: StateRow>: CachedRow {
    let row: Row

    init(_ row: Row) {
        self.row = row
    }

    override func encoded() -> Bytes { row.coded.encoded() }
}

extension StateRow {
    /// The row that the bytes spell.
    fileprivate init(decoding bytes: Bytes) throws(FieldError) {
        let record: EncodedCBOR
        do {
            record = try EncodedCBOR(bytes)
        } catch {
            throw FieldError(field: "row", expected: "canonical CBOR")
        }
        try self.init(Fields(record, path: "row"))
    }
}
