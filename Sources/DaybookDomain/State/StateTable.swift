import DaybookEncoding

/// A table of the state: rows of one type, found by keys of one type.
///
/// Changes lie in memory, as values, above a base of encoded rows. A state that is computed
/// entirely in memory has no base.
package struct StateTable<Key: TableKey, Row: StateRow> {
    // Not an array, because each copy of a state would count a reference to it.
    private let title: StaticString
    /// The rows that were set, and nil for each row of the base that was removed.
    private var changes = OrderedMap<Key, Row?>()
    private var base: TableBase<Key, Row>?
    /// The old rows of all changes, in order; nil where nobody tracks them.
    private var replaced: [(key: Key, row: Row?)]?

    init(_ title: StaticString) {
        self.title = title
    }

    /// The prefix of all its keys in bytes.
    private var name: Bytes { Bytes("\(title)/".utf8) }

    package subscript(key: Key) -> Row? {
        get {
            if let change = changes[key] { return change }
            return base?[key]
        }
        set {
            if replaced != nil { noteReplaced(key) }
            if key.isLong { checkLength(of: key) }
            if newValue != nil || base?.hasRows == true {
                changes.set(key, to: newValue)
            } else {
                changes.remove(key)
            }
        }
    }

    /// Whether there is a row.
    package func contains(_ key: Key) -> Bool {
        changes.containsValue(of: key) ?? (base?[key] != nil)
    }

    /// Returns the result of `body` for a row; a changed row is not copied.
    package func read<Value>(_ key: Key, _ body: (Row) -> Value) -> Value? {
        let read: Value?? = changes.read(key) { row in
            if let row { body(row) } else { nil }
        }
        return read ?? base?[key].map(body)
    }

    /// Changes a row and returns true, or returns false if there is none.
    @discardableResult
    package mutating func update(_ key: Key, _ change: (inout Row) -> Void) -> Bool {
        if replaced != nil { noteReplaced(key) }
        let isChanged = changes.change(key) { row in
            guard var changed = row.take() else { return false }
            change(&changed)
            row = changed
            return true
        }
        if let isChanged { return isChanged }
        guard var row = base?[key] else { return false }
        change(&row)
        changes.set(key, to: row)
        return true
    }

    /// Takes a row out to be changed without copying it; the caller must `put` it back.
    mutating func take(_ key: Key) -> Row? {
        if replaced != nil { noteReplaced(key) }
        let taken: Row?? = changes.change(key) { $0.take() }
        return taken ?? base?[key]
    }

    /// Puts back a row that `take` returned.
    mutating func put(_ row: consuming Row, at key: Key) {
        changes.set(key, to: row)
    }

    /// The rows with a prefix that follow a key, in the order of the keys, `limit` at most.
    package func rows(
        _ prefix: KeyPrefix<Key>? = nil, after: Key? = nil, limit: Int = .max
    ) -> [(key: Key, row: Row)] {
        var rows: [(key: Key, row: Row)] = []
        walk(prefix, after: after) { key, row in
            rows.append((key, row))
            return rows.count < limit
        }
        return rows
    }

    /// Whether the table has fewer rows than a limit; without a base, no row is read.
    package func isShorter(than limit: Int) -> Bool {
        if changes.count < limit, base?.hasRows != true { return true }
        return rows(limit: limit).count < limit
    }

    /// The keys of the rows with a prefix, in order.
    package func keys(_ prefix: KeyPrefix<Key>? = nil) -> [Key] {
        rows(prefix).map(\.key)
    }

    /// Removes every row whose key has a prefix.
    package mutating func removeAll(_ prefix: KeyPrefix<Key>) {
        for key in keys(prefix) { self[key] = nil }
    }

    /// Hands out the rows under a prefix that come after a key until `body` says to stop.
    package func walk(
        _ prefix: KeyPrefix<Key>? = nil, after: Key? = nil, _ body: (Key, Row) -> Bool
    ) {
        var above = start(prefix, after)
        guard base?.hasRows == true else {
            return changes.each(from: above) { key, row in
                guard prefix?.holds(key) ?? true else { return false }
                return if let row { body(key, row) } else { true }
            }
        }
        var new = changes.next(&above)
        func isNext(_ key: Key?) -> Bool { key.map { prefix?.holds($0) ?? true } ?? false }
        if !isNext(new?.key) { new = nil }
        var isGoingOn = true
        func hand(_ key: Key, _ row: Row?) {
            if isGoingOn, let row { isGoingOn = body(key, row) }
        }
        func step() {
            new = changes.next(&above)
            if !isNext(new?.key) { new = nil }
        }
        base?.walk(prefix, after: after) { key, row in
            while isGoingOn, let next = new, next.key < key {
                hand(next.key, next.value)
                step()
            }
            if let next = new, next.key == key {
                hand(key, next.value)
                step()
            } else {
                hand(key, row)
            }
            return isGoingOn
        }
        while isGoingOn, let next = new {
            hand(next.key, next.value)
            step()
        }
    }

    /// Hands out the rows under a prefix before a key, the last one first.
    ///
    /// It ends when `body` returns false.
    package func walkBackward(
        _ prefix: KeyPrefix<Key>? = nil, before: Key? = nil, _ body: (Key, Row) -> Bool
    ) {
        var index = changes.firstIndex(behind: { key in
            if let before { return key < before }
            return prefix.map { $0.isAfter(key) || $0.holds(key) } ?? true
        })
        var new = changes.previous(&index)
        func step() { new = changes.previous(&index) }
        func isNext() -> Bool { new.map { prefix?.holds($0.key) ?? true } ?? false }
        var isGoingOn = true
        func hand(_ key: Key, _ row: Row?) {
            if isGoingOn, let row { isGoingOn = body(key, row) }
        }
        base?.walkBackward(prefix, before: before) { key, row in
            while isGoingOn, isNext(), let next = new, next.key > key {
                hand(next.key, next.value)
                step()
            }
            if isNext(), let next = new, next.key == key {
                hand(key, next.value)
                step()
            } else {
                hand(key, row)
            }
            return isGoingOn
        }
        while isGoingOn, isNext(), let next = new {
            hand(next.key, next.value)
            step()
        }
    }

    private func start(_ prefix: KeyPrefix<Key>?, _ after: Key?) -> OrderedMap<Key, Row?>.Index {
        guard prefix != nil || after != nil else { return changes.startIndex }
        return changes.firstIndex(behind: { key in
            prefix?.isAfter(key) ?? false || after.map { !($0 < key) } ?? false
        })
    }

    // MARK: - Changes

    /// Tracks the old row of each change from now on.
    package mutating func trackReplaced() { replaced = [] }

    /// Returns the keys that changed since the last call, each with its row before the first
    /// change.
    package mutating func takeReplaced() -> [(key: Key, row: Row?)] {
        guard let taken = replaced, !taken.isEmpty else { return [] }
        replaced = []
        var seen: Set<Key> = []
        return taken.filter { seen.insert($0.key).inserted }
    }

    private mutating func noteReplaced(_ key: Key) {
        let row = self[key]
        replaced?.append((key, row))
    }
}

// MARK: - The base

extension StateTable {
    /// Puts the table above a base.
    mutating func attach(to base: StateBase) {
        self.base = TableBase(base, name)
    }

    /// The number of rows that differ from the base.
    var changeCount: Int { changes.count }

    /// The encoded rows that differ from the base, and nil for each that was removed.
    var encodedChanges: [(key: Bytes, value: Bytes?)] {
        var encoded: [(key: Bytes, value: Bytes?)] = []
        encoded.reserveCapacity(changes.count)
        let name = name
        var index = changes.startIndex
        while let change = changes.next(&index) {
            encoded.append((change.key.bytes(behind: name), change.value?.coded.encoded()))
        }
        return encoded
    }

    /// Drops the changes, because the base contains them now.
    mutating func forgetChanges() {
        var index = changes.startIndex
        while let change = changes.next(&index) { base?.learn(change.key, change.value) }
        changes = OrderedMap()
    }

    /// Records damage if a key is too long for the derived tables.
    private func checkLength(of key: Key) {
        guard key.bytes(behind: name).count > Self.maxKeyBytes else { return }
        base?.note(
            damage: FieldError(
                field: "key of \(title)",
                expected: "of \(Self.maxKeyBytes) bytes at most"))
    }

    /// The maximum length of a key in LMDB.
    private static var maxKeyBytes: Int { 511 }
}

/// The encoded rows below a state, as of one position.
final class StateBase {
    var rows: (any Rows)?
    /// The first row that did not decode or that contradicts others.
    var damage: FieldError?

    /// Whether the state writes its changes here when memory holds many.
    let isOwn: Bool

    init(_ rows: (any Rows)?, isOwn: Bool = false) {
        self.rows = rows
        self.isOwn = isOwn
    }

    func note(damage: FieldError) {
        self.damage = self.damage ?? damage
    }
}

/// The rows of one table in a base, with a cache of decoded rows.
final class TableBase<Key: TableKey, Row: StateRow> {
    private let base: StateBase
    private let name: Bytes
    private var known: [Key: Row?] = [:]

    /// The maximum number of cached rows, so that memory stays bounded however long a log is.
    private static var capacity: Int { 1024 }

    init(_ base: StateBase, _ name: Bytes) {
        self.base = base
        self.name = name
    }

    /// Whether there is a base.
    var hasRows: Bool { base.rows != nil }

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

    /// Hands out the rows under a prefix that come after a key until `body` says to stop.
    func walk(_ prefix: KeyPrefix<Key>?, after: Key?, _ body: (Key, Row) -> Bool) {
        guard let rows = base.rows else { return }
        let beginning = name + (prefix?.bytes ?? [])
        var last = after.map { $0.bytes(behind: name) }
        // The first batch is small, because many callers look for one row.
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
            base.note(damage: FieldError(field: "row", expected: "under a key of its table"))
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
            base.note(damage: error)
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
