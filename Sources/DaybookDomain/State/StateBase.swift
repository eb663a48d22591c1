import DaybookEncoding
import Synchronization

/// The encoded rows below a state, as of one position; copies of the state on all threads share it.
package final class StateBase: Sendable {
    /// Whether there are rows.
    let hasRows: Bool
    /// Whether the state writes its changes here when memory holds many.
    let isOwn: Bool
    /// Rows that never change.
    private let fixed: (any Rows)?
    private let own: Mutex<any Rows>
    private let faults = Mutex<(damage: FieldError?, undecodedRow: FieldError?)>((nil, nil))

    /// A base of rows that never change, or of none.
    init(_ rows: (any Rows)?) {
        (hasRows, isOwn, fixed) = (rows != nil, false, rows)
        own = Mutex(MemoryRows())
    }

    /// A base of rows that only the state changes.
    init(own rows: any Rows) {
        (hasRows, isOwn, fixed) = (true, true, nil)
        own = Mutex(rows)
    }

    /// The rows as they are now.
    var rows: (any Rows)? { isOwn ? own.withLock { $0 } : fixed }

    /// Changes the state's own rows.
    func change(_ body: (inout any Rows) -> Void) { own.withLock { body(&$0) } }

    /// The first row that did not decode or that contradicts others.
    var damage: FieldError? { faults.withLock { $0.damage } }
    /// The first row that did not decode, and so counted as missing.
    package var undecodedRow: FieldError? { faults.withLock { $0.undecodedRow } }

    func note(damage: FieldError) {
        faults.withLock { $0.damage = $0.damage ?? damage }
    }

    fileprivate func note(undecodedRow error: FieldError) {
        faults.withLock { $0 = ($0.damage ?? error, $0.undecodedRow ?? error) }
    }
}

/// The rows of one table in a base, with a cache of decoded rows that all threads share.
///
/// No lock is held while rows are read or decoded.
final class TableBase<Key: TableKey, Row: StateRow>: Sendable {
    private let base: StateBase
    private let name: Bytes
    private let cache: Mutex<Cache>
    /// Whether there are rows to read.
    let hasRows: Bool

    fileprivate struct Cache: Sendable {
        var known: [Key: Row?] = [:]
        /// All rows under a prefix, of prefixes with few rows that were walked.
        var walked: [KeyBytes: [Entry]] = [:]
    }

    /// The maximum number of cached rows, so that memory stays bounded however long a log is.
    private static var capacity: Int { 1024 }
    /// The maximum number of rows under a prefix that are cached, and of such prefixes.
    private static var walkCapacity: (rows: Int, prefixes: Int) { (256, 16) }

    /// The rows of a table, which are not read where the table has them all.
    init(_ base: StateBase, _ name: Bytes, isRead: Bool = true) {
        self.base = base
        self.name = name
        hasRows = base.hasRows && isRead
        cache = Mutex(Cache())
    }

    /// The table in a base that has the rows of an older one, and some changes.
    ///
    /// It keeps the cached rows of the older one if `isSound` then says that no read of that one
    /// failed: a base answers as if it were empty once a read has failed.
    init(
        _ base: StateBase, after old: TableBase, _ changes: OrderedMap<Key, Row?>,
        ifKept isSound: () -> Bool
    ) {
        self.base = base
        (name, hasRows) = (old.name, base.hasRows)
        let kept = old.cache.withLock { $0 }
        var cache = isSound() ? kept : Cache()
        cache.learn(changes)
        self.cache = Mutex(cache)
    }

    func note(damage: FieldError) { base.note(damage: damage) }

    subscript(key: Key) -> Row? {
        if !hasRows { return nil }
        if let row = cache.withLock({ $0.known[key] }) { return row }
        let row = base.rows?.value(key.bytes(behind: name)).flatMap(decode)
        cache.withLock { $0.learn(key, row) }
        return row
    }

    /// Caches rows that the base has got.
    func learn(_ changes: OrderedMap<Key, Row?>) {
        if hasRows { cache.withLock { $0.learn(changes) } }
    }

    /// The rows under a prefix, some at a time: those after a key, or those before it backwards.
    func batches(_ prefix: KeyPrefix<Key>?, from place: Key?, isForward: Bool) -> Batches {
        Batches(self, name + (prefix?.bytes ?? []), from: place, isForward: isForward)
    }

    /// All rows.
    var all: [Entry] {
        var (all, batches) = ([Entry](), batches(nil, from: nil, isForward: true))
        while let batch = batches.next() { all += batch }
        return all
    }

    /// A row with its key; not a tuple, which would be copied by the runtime's slow functions.
    struct Entry: Sendable {
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
        // The first batches are small, because many callers look for one row: for the last one if
        // they walk backwards.
        private var size: Int
        private var isAtEnd: Bool
        /// All rows so far, where they are cached once they are known to be few.
        private var all: [Entry]?

        fileprivate init(_ base: TableBase, _ beginning: Bytes, from place: Key?, isForward: Bool) {
            (self.base, self.beginning, self.isForward) = (base, beginning, isForward)
            last = place.map { $0.bytes(behind: base.name) }
            size = isForward ? 8 : 1
            isAtEnd = !base.hasRows
            all = isForward && place == nil ? [] : nil
        }

        /// The next rows, which may be none; nil at the end.
        mutating func next() -> [Entry]? {
            if isAtEnd { return nil }
            let walk = KeyBytes(beginning)
            if all != nil, last == nil, let known = base.cache.withLock({ $0.walked[walk] }) {
                isAtEnd = true
                return known
            }
            let found = base.scan(beginning, from: last, limit: size, isForward: isForward)
            let rows = found.compactMap(base.read)
            all?.append(contentsOf: rows)
            if (all?.count ?? 0) > TableBase.walkCapacity.rows { all = nil }
            if found.count < size {
                isAtEnd = true
                if let all { base.learn(all, under: walk) }
            }
            last = found.last?.key
            // A caller may want the rows of a short range, and each that is read is decoded.
            size = size == 1 ? 8 : min(size * 2, 256)
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
        cache.withLock { cache in
            if cache.walked.count >= Self.walkCapacity.prefixes { cache.walked = [:] }
            cache.walked[beginning] = rows
        }
    }

    private func read(_ entry: DaybookEncoding.Row) -> Entry? {
        var reader = KeyReader(entry.key[name.count...])
        guard let key = Key(&reader), reader.isAtEnd else {
            base.note(
                undecodedRow: FieldError(field: "row", expected: "under a key of its table"))
            return nil
        }
        if let row = cache.withLock({ $0.known[key] }) {
            return row.map { Entry(key: key, row: $0) }
        }
        let row = decode(entry.value)
        // A walk over a long table must not push out the rows that are asked for one by one.
        cache.withLock { cache in
            if cache.known.count < Self.capacity { cache.known.updateValue(row, forKey: key) }
        }
        return row.map { Entry(key: key, row: $0) }
    }

    private func decode(_ bytes: Bytes) -> Row? {
        do {
            return try Row(bytes, path: "row")
        } catch {
            base.note(undecodedRow: error)
            return nil
        }
    }
}

extension TableBase.Cache {
    /// Caches a row of the base, or that there is none.
    mutating func learn(_ key: Key, _ row: Row?) {
        if known.count >= TableBase.capacity { known.removeAll(keepingCapacity: true) }
        known.updateValue(row, forKey: key)
    }

    /// Caches rows that the base has got: of many the last, such as the newest requests.
    mutating func learn(_ changes: OrderedMap<Key, Row?>) {
        if changes.count > 0 { walked = [:] }
        // Not all changes fit, so that some cached rows would be outdated.
        if changes.count > TableBase.capacity { known.removeAll(keepingCapacity: true) }
        var index = changes.endIndex
        for _ in 0..<TableBase.capacity {
            guard let change = changes.previous(&index) else { break }
            learn(changes.key(at: change), changes.value(at: change))
        }
    }
}
