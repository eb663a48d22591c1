import DaybookEncoding

/// The rows in bytes that a state lies above, as of one position.
final class StateBase {
    var rows: (any Rows)?
    /// The first row that did not decode, or that contradicts others.
    var damage: FieldError?

    /// Whether what memory would not hold is written there.
    let isOwn: Bool

    init(_ rows: (any Rows)?, isOwn: Bool = false) {
        self.rows = rows
        self.isOwn = isOwn
    }

    func note(damage: FieldError) {
        self.damage = self.damage ?? damage
    }
}

/// The rows of one table in a base, of which those that were read of late stay decoded.
final class TableBase<Key: TableKey, Row: StateRow> {
    private let base: StateBase
    private let name: Bytes
    private var known: [Key: Row?] = [:]

    /// So many rows stay decoded at most: memory is to stay flat however long a log is.
    private static var capacity: Int { 1024 }

    init(_ base: StateBase, _ name: Bytes) {
        self.base = base
        self.name = name
    }

    /// Whether anything can lie there.
    var hasRows: Bool { base.rows != nil }

    func note(damage: FieldError) { base.note(damage: damage) }

    subscript(key: Key) -> Row? {
        guard let rows = base.rows else { return nil }
        if let row = known[key] { return row }
        let row = rows.value(key.bytes(behind: name)).flatMap(decode)
        learn(key, row)
        return row
    }

    /// Takes in that the base has a row now, or none.
    func learn(_ key: Key, _ row: Row?) {
        guard hasRows else { return }
        if known.count >= Self.capacity { known.removeAll(keepingCapacity: true) }
        known.updateValue(row, forKey: key)
    }

    /// Hands out the rows under a prefix that come after a key until `body` says to stop.
    func walk(_ prefix: KeyPrefix<Key>?, after: Key?, _ body: (Key, Row) -> Bool) {
        guard let rows = base.rows else { return }
        let beginning = name + (prefix?.bytes ?? [])
        var last = after.map { $0.bytes(behind: name) }
        // Whoever looks for one row reads few.
        var size = 8
        while true {
            let batch = rows.scan(prefix: beginning, after: last, limit: size)
            for entry in batch {
                guard let (key, row) = read(entry) else { continue }
                guard body(key, row) else { return }
            }
            guard batch.count == size else { return }
            last = batch.last?.key
            size = 256
        }
    }

    private func read(_ entry: DaybookEncoding.Row) -> (key: Key, row: Row)? {
        var reader = KeyReader(entry.key[name.count...])
        guard let key = Key(&reader), reader.isAtEnd else {
            base.note(damage: FieldError(field: "row", expected: "under a key of its table"))
            return nil
        }
        if let row = known[key] { return row.map { (key, $0) } }
        return decode(entry.value).map { (key, $0) }
    }

    private func decode(_ bytes: Bytes) -> Row? {
        do {
            return try Row(decoding: bytes)
        } catch {
            base.note(damage: error)
            return nil
        }
    }
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
