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
    private var walked: [KeyBytes: [Entry]] = [:]
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
            learn(changes.key(at: change), changes.value(at: change))
        }
    }

    /// The rows under a prefix, some at a time: those after a key, or those before it backwards.
    func batches(_ prefix: KeyPrefix<Key>?, from place: Key?, isForward: Bool) -> Batches {
        Batches(self, name + (prefix?.bytes ?? []), from: place, isForward: isForward)
    }

    /// A row with its key; not a tuple, which would be copied by the runtime's slow functions.
    struct Entry {
        let key: Key
        let row: Row
    }

    /// A walk through the rows of a base.
    struct Batches {
        private let base: TableBase
        /// The beginning of all keys.
        private let beginning: Bytes
        private let isForward: Bool
        /// Where the next batch begins; nil at the first one.
        private var last: Bytes?
        // The first batch is small, because many callers look for one row.
        private var size = 8
        private var isAtEnd: Bool
        /// All rows so far, where they are cached once they are known to be few.
        private var all: [Entry]?

        fileprivate init(_ base: TableBase, _ beginning: Bytes, from place: Key?, isForward: Bool) {
            (self.base, self.beginning, self.isForward) = (base, beginning, isForward)
            last = place.map { $0.bytes(behind: base.name) }
            isAtEnd = !base.hasRows
            all = isForward && place == nil ? [] : nil
        }

        /// The next rows, which may be none; nil at the end.
        mutating func next() -> [Entry]? {
            if isAtEnd { return nil }
            if all != nil, last == nil, let known = base.walked[KeyBytes(beginning)] {
                isAtEnd = true
                return known
            }
            let found = base.scan(beginning, from: last, limit: size, isForward: isForward)
            let rows = found.compactMap(base.read)
            all?.append(contentsOf: rows)
            if (all?.count ?? 0) > TableBase.walkCapacity.rows { all = nil }
            if found.count < size {
                isAtEnd = true
                if let all { base.learn(all, under: KeyBytes(beginning)) }
            }
            last = found.last?.key
            size = 256
            return rows
        }
    }

    private func scan(
        _ beginning: Bytes, from place: Bytes?, limit: Int, isForward: Bool
    ) -> [DaybookEncoding.Row] {
        guard let rows = base.rows else { return [] }
        return isForward
            ? rows.scan(prefix: beginning, after: place, limit: limit)
            : rows.scanBackward(prefix: beginning, before: place, limit: limit)
    }

    /// Caches all rows under a prefix.
    private func learn(_ rows: [Entry], under beginning: KeyBytes) {
        if walked.count >= Self.walkCapacity.prefixes { walked = [:] }
        walked[beginning] = rows
    }

    private func read(_ entry: DaybookEncoding.Row) -> Entry? {
        var reader = KeyReader(entry.key[name.count...])
        guard let key = Key(&reader), reader.isAtEnd else {
            base.note(
                undecodedRow: FieldError(field: "row", expected: "under a key of its table"))
            return nil
        }
        if let row = known[key] { return row.map { Entry(key: key, row: $0) } }
        let row = decode(entry.value)
        // A walk over a long table must not push out the rows that are asked for one by one.
        if known.count < Self.capacity { known.updateValue(row, forKey: key) }
        return row.map { Entry(key: key, row: $0) }
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
