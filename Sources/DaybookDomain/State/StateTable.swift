import DaybookEncoding

/// A table of the state: rows of one type, found by keys of one type.
///
/// Changes lie in memory, as values, above a base of encoded rows. A state that is computed
/// entirely in memory has no base. Of a table of what is under way memory holds all rows: they are
/// few, and removed and looked for all the time.
package struct StateTable<Key: TableKey, Row: StateRow>: Sendable {
    // Not an array, because each copy of a state would count a reference to it.
    private let title: StaticString
    /// Whether memory holds all rows.
    private let isWhole: Bool
    /// The rows that were set, and nil for each row of the base that was removed; or all rows.
    private var changes = OrderedMap<Key, Row?>()
    private var base: TableBase<Key, Row>?
    /// Where memory holds all rows, the keys of those that may differ from the base.
    private var unstored: [Key]?
    /// The old rows of all changes, in order; nil where nobody tracks them.
    private var replaced: [(key: Key, row: Row?)]?
    /// Identifies what the table contains; nil unless something is kept that follows from it.
    private(set) var content: TableContent?

    init(_ title: StaticString, content: TableContent? = nil) {
        self.title = title
        self.content = content
        isWhole = false
    }

    /// A table of what is under way, of which memory holds all rows.
    init(whole title: StaticString) {
        self.title = title
        isWhole = true
    }

    /// The prefix of all its keys in bytes.
    var name: Bytes { Bytes("\(title)/".utf8) }

    package subscript(key: Key) -> Row? {
        get {
            if let change = changes[key] { return change }
            return base?[key]
        }
        set {
            note(changeOf: key)
            if key.isLong { checkLength(of: key) }
            // Matched, because to compare it with nil would copy it.
            if case .none = newValue, base?.hasRows != true {
                changes.remove(key)
            } else {
                changes.set(key, to: consume newValue)
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
        note(changeOf: key)
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
        note(changeOf: key)
        let taken: Row?? = changes.change(key) { $0.take() }
        return taken ?? base?[key]
    }

    /// Puts back a row that `take` returned, and leaves nil in its place.
    mutating func put(_ row: inout Row?, at key: Key) {
        // Exchanged, because to set it would copy it.
        guard case .some = row else { return }
        let isBack: Void? = changes.change(key) { swap(&$0, &row) }
        if isBack == nil { changes.set(key, to: row.take()) }
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
        var keys: [Key] = []
        walk(prefix) { key, _ in
            keys.append(key)
            return true
        }
        return keys
    }

    /// Removes every row whose key has a prefix.
    package mutating func removeAll(_ prefix: KeyPrefix<Key>) {
        for key in keys(prefix) { self[key] = nil }
    }

    /// Hands out the rows under a prefix that come after a key until `body` says to stop.
    package func walk(
        _ prefix: KeyPrefix<Key>? = nil, after: Key? = nil, _ body: (Key, Row) -> Bool
    ) {
        let start = start(prefix, after)
        guard let base, base.hasRows else {
            return changes.each(from: start) { key, row in
                guard prefix?.holds(key) ?? true else { return false }
                return if let row { body(key, row) } else { true }
            }
        }
        merge(
            Changed(changes, from: start, under: prefix, isForward: true),
            base.batches(prefix, from: after, isForward: true), body)
    }

    /// Hands out the rows under a prefix before a key, the last one first.
    ///
    /// It ends when `body` returns false.
    package func walkBackward(
        _ prefix: KeyPrefix<Key>? = nil, before: Key? = nil, _ body: (Key, Row) -> Bool
    ) {
        let end = changes.firstIndex(behind: { key in
            if let before { return key < before }
            return prefix.map { $0.isAfter(key) || $0.holds(key) } ?? true
        })
        merge(
            Changed(changes, from: end, under: prefix, isForward: false),
            base?.batches(prefix, from: before, isForward: false), body)
    }

    /// Hands out the rows of the base, each replaced by its change, and the changes between them.
    private func merge(
        _ changed: consuming Changed, _ batches: consuming TableBase<Key, Row>.Batches?,
        _ body: (Key, Row) -> Bool
    ) {
        var changed = changed
        var batches = batches
        while let batch = batches?.next() {
            let rows = batch.span
            var index = 0
            while index < rows.count {
                guard let key = changed.key, !changed.follows(rows[index].key) else {
                    guard body(rows[index].key, rows[index].row) else { return }
                    index += 1
                    continue
                }
                if key == rows[index].key { index += 1 }
                if let row = changed.row, !body(key, row) { return }
                changed.advance()
            }
        }
        while let key = changed.key {
            if let row = changed.row, !body(key, row) { return }
            changed.advance()
        }
    }

    /// The changes under a prefix, one after the other.
    private struct Changed {
        private let all: OrderedMap<Key, Row?>
        private let prefix: KeyPrefix<Key>?
        private let isForward: Bool
        private var index: OrderedMap<Key, Row?>.Index
        private var place: OrderedMap<Key, Row?>.Index?
        /// The key of the present one; nil behind the last one.
        private(set) var key: Key?

        init(
            _ all: OrderedMap<Key, Row?>, from index: OrderedMap<Key, Row?>.Index,
            under prefix: KeyPrefix<Key>?, isForward: Bool
        ) {
            (self.all, self.index, self.prefix) = (all, index, prefix)
            self.isForward = isForward
            advance()
        }

        /// The row of the present one; nil if it was removed.
        var row: Row? { place.flatMap { all.value(at: $0) } }

        mutating func advance() {
            place = isForward ? all.next(&index) : all.previous(&index)
            key = place.map { all.key(at: $0) }
            if let found = key, !(prefix?.holds(found) ?? true) { key = nil }
        }

        /// Whether the present one comes after a key in the direction of the walk.
        func follows(_ other: Key) -> Bool {
            guard let key else { return true }
            return isForward ? other < key : key < other
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

    /// Notes that a row is about to be changed.
    private mutating func note(changeOf key: Key) {
        unstored?.append(key)
        if replaced != nil {
            let row = self[key]
            replaced?.append((key, row))
        }
        if content != nil, !isKnownUniquelyReferenced(&content) { content = TableContent() }
    }
}

// MARK: - The base

extension StateTable {
    /// Puts the table above a base.
    mutating func attach(to base: StateBase) {
        self.base = TableBase(base, name, isRead: !isWhole)
        guard isWhole, base.hasRows, unstored == nil else { return }
        unstored = keys()
        for entry in TableBase<Key, Row>(base, name).all where !contains(entry.key) {
            changes.set(entry.key, to: entry.row)
        }
    }

    /// Puts the table above a base that has its changes.
    mutating func rebase(above base: StateBase, ifKept isSound: () -> Bool) {
        // A list that was made while the old base had failed must not count for the new one.
        if content != nil { content = TableContent() }
        guard isWhole else {
            self.base = self.base.map { TableBase(base, after: $0, changes, ifKept: isSound) }
                ?? TableBase(base, name)
            changes = OrderedMap()
            return
        }
        unstored = isSound() ? [] : nil
        if unstored == nil { changes = OrderedMap() }
        attach(to: base)
    }

    /// The number of rows that differ from the base.
    var changeCount: Int { unstored?.count ?? changes.count }

    /// Encodes the rows that differ from the base, and nil for each that was removed.
    var encodingChanges: @Sendable () -> [(key: Bytes, value: Bytes?)] {
        { [changes, unstored, name] in
            if let unstored {
                return Set(unstored).sorted().map { key in
                    (key.bytes(behind: name), (changes[key] ?? nil)?.encoded())
                }
            }
            var encoded: [(key: Bytes, value: Bytes?)] = []
            encoded.reserveCapacity(changes.count)
            var index = changes.startIndex
            while let change = changes.next(&index) {
                encoded.append((
                    changes.key(at: change).bytes(behind: name),
                    changes.value(at: change)?.encoded()
                ))
            }
            return encoded
        }
    }

    /// Drops the changes, because the base contains them now.
    mutating func forgetChanges() {
        if unstored != nil {
            unstored = []
            return
        }
        base?.learn(changes)
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

/// Identifies what a table contains: while two tables have the same one, they have the same rows.
///
/// A change replaces it, unless nothing else refers to it.
final class TableContent: Sendable {}
