import DaybookEncoding

/// The encoded rows below a state, as of one position.
final class StateBase {
    var rows: (any Rows)?
    /// The first row that did not decode or that contradicts others.
    private(set) var damage: FieldError?
    /// The first row that did not decode.
    private(set) var undecodedRow: FieldError?

    /// Whether the state writes its changes here when memory holds many.
    let isOwn: Bool

    init(_ rows: (any Rows)?, isOwn: Bool = false) {
        self.rows = rows
        self.isOwn = isOwn
    }

    func note(damage: FieldError) {
        self.damage = self.damage ?? damage
    }

    fileprivate func note(undecodedRow error: FieldError) {
        undecodedRow = undecodedRow ?? error
        note(damage: error)
    }
}

/// The rows of one table in a base, with a cache of decoded rows.
final class TableBase<Key: TableKey, Row: StateRow> {
    private let base: StateBase
    private let name: Bytes
    private var known: [Key: Row?] = [:]
    /// All rows under a prefix, of prefixes with few rows that were walked.
    private var walked: [KeyBytes: [(key: Key, row: Row)]] = [:]
    /// Whether the base has no rows of the table; nil if that is not known.
    private var isKnownEmpty: Bool?

    /// The maximum number of cached rows, so that memory stays bounded however long a log is.
    private static var capacity: Int { 1024 }
    /// The maximum number of rows under a prefix that are cached, and of such prefixes.
    private static var walkCapacity: (rows: Int, prefixes: Int) { (256, 16) }

    init(_ base: StateBase, _ name: Bytes) {
        self.base = base
        self.name = name
    }

    /// Whether there is a base.
    var hasRows: Bool { base.rows != nil }

    /// Whether the base is known to have no rows of the table; it is scanned for one once.
    var isEmpty: Bool {
        guard let rows = base.rows else { return true }
        if let isKnownEmpty { return isKnownEmpty }
        let isEmpty = rows.scan(prefix: name, after: nil, limit: 1).isEmpty
        isKnownEmpty = isEmpty
        return isEmpty
    }

    func note(damage: FieldError) { base.note(damage: damage) }

    subscript(key: Key) -> Row? {
        guard let rows = base.rows else { return nil }
        if let row = known[key] { return row }
        let row = rows.value(key.bytes(behind: name)).flatMap(decode)
        learn(key, row)
        return row
    }

    /// Caches a row of the base, or that there is none.
    func learn(_ key: Key, _ row: Row?) {
        guard hasRows else { return }
        if known.count >= Self.capacity { known.removeAll(keepingCapacity: true) }
        known.updateValue(row, forKey: key)
    }

    /// Caches rows that the base has got: of many the last, such as the newest requests.
    func learn(_ changes: OrderedMap<Key, Row?>) {
        isKnownEmpty = nil
        if changes.count > 0 { walked = [:] }
        // What is cached of the others is no longer true.
        if changes.count > Self.capacity { known.removeAll(keepingCapacity: true) }
        var index = changes.endIndex
        for _ in 0..<Self.capacity {
            guard let change = changes.previous(&index) else { break }
            learn(change.key, change.value)
        }
    }

    /// Hands out the rows under a prefix that come after a key until `body` says to stop.
    func walk(_ prefix: KeyPrefix<Key>?, after: Key?, _ body: (Key, Row) -> Bool) {
        guard let rows = base.rows else { return }
        let beginning = name + (prefix?.bytes ?? [])
        let walk = after == nil ? KeyBytes(beginning) : nil
        if let walk, let all = walked[walk] {
            for (key, row) in all { guard body(key, row) else { return } }
            return
        }
        var last = after.map { $0.bytes(behind: name) }
        var all: [(key: Key, row: Row)] = []
        // The first batch is small, because many callers look for one row.
        var size = 8
        while true {
            let batch = rows.scan(prefix: beginning, after: last, limit: size)
            for entry in batch {
                guard let (key, row) = read(entry) else { continue }
                if all.count <= Self.walkCapacity.rows { all.append((key, row)) }
                guard body(key, row) else { return }
            }
            guard batch.count == size else { break }
            last = batch.last?.key
            size = 256
        }
        guard let walk, all.count <= Self.walkCapacity.rows else { return }
        if walked.count >= Self.walkCapacity.prefixes { walked = [:] }
        walked[walk] = all
    }

    /// Hands out the rows under a prefix that come before a key, the last one first.
    func walkBackward(_ prefix: KeyPrefix<Key>?, before: Key?, _ body: (Key, Row) -> Bool) {
        guard let rows = base.rows else { return }
        let beginning = name + (prefix?.bytes ?? [])
        var last = before.map { $0.bytes(behind: name) }
        var size = 8
        while true {
            let batch = rows.scanBackward(prefix: beginning, before: last, limit: size)
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
            base.note(
                undecodedRow: FieldError(field: "row", expected: "under a key of its table"))
            return nil
        }
        if let row = known[key] { return row.map { (key, $0) } }
        let row = decode(entry.value)
        // A walk over a long table must not push out the rows that are asked for one by one.
        if known.count < Self.capacity { known.updateValue(row, forKey: key) }
        return row.map { (key, $0) }
    }

    private func decode(_ bytes: Bytes) -> Row? {
        do {
            return try Row(decoding: bytes)
        } catch {
            base.note(undecodedRow: error)
            return nil
        }
    }
}

extension StateRow {
    /// Decodes a row.
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
