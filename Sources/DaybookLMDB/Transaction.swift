internal import CLMDB
internal import DaybookSystem

/// The operations inside a transaction of LMDB; using it after the end is a bug and traps.
///
/// Bytes are copied out, because LMDB's buffers are valid only inside the transaction. Safe because
/// the handle is dropped in `end` before LMDB frees it, and never leaves this module.
@safe
package final class TransactionView: StorageView {
    /// Whether a write found the map full, even if the error was caught.
    private(set) var foundMapFull = false
    let isWritable: Bool
    /// The pages of the commit that it began from.
    let pages: CheckedPages
    private let damage: DamageMark
    private var handle: OpaquePointer?

    init(
        _ handle: OpaquePointer, isWritable: Bool, _ pages: CheckedPages, _ damage: DamageMark
    ) {
        unsafe self.handle = handle
        self.isWritable = isWritable
        self.pages = pages
        self.damage = damage
    }

    var isOpen: Bool { unsafe handle != nil }

    var transaction: OpaquePointer {
        guard let handle = unsafe handle else {
            preconditionFailure("a view is only handed to closures that end before it does")
        }
        return unsafe handle
    }

    package var commit: UInt64? {
        unsafe UInt64(mdb_txn_id(transaction)) - (isWritable ? 1 : 0)
    }

    /// Gives up the handle, which the caller commits or aborts.
    func end() -> OpaquePointer? {
        defer { unsafe handle = nil }
        return unsafe handle
    }

    /// Opens a table, or creates it if `create` is true; nil if there is none.
    package func table(_ name: String, create: Bool = false) throws(LMDBError) -> Table? {
        try pages.find(name)
        var handle: MDB_dbi = 0
        let code = unsafe mdb_dbi_open(
            transaction, name, create ? UInt32(MDB_CREATE) : 0, &handle)
        if code == MDB_NOTFOUND { return nil }
        try checked(code)
        return Table(number: handle, name: name)
    }

    /// The value of a key; nil if there is none.
    package func value(_ table: Table, _ key: [UInt8]) throws(LMDBError) -> [UInt8]? {
        try pages.check(table, at: .key(key), for: .reading)
        var found = unsafe MDB_val()
        let code = unsafe withValue(key) { unsafe mdb_get(transaction, table.handle, &$0, &found) }
        if code == MDB_NOTFOUND { return nil }
        try checked(code)
        return unsafe copied(found)
    }

    /// Writes a value.
    package func put(
        _ table: Table, _ key: [UInt8], _ value: [UInt8], mode: PutMode = .replace
    ) throws(LMDBError) {
        try pages.check(table, at: .key(key), for: .writing)
        let code = unsafe withValue(key) { key in
            unsafe withValue(value) { value in
                unsafe mdb_put(transaction, table.handle, &key, &value, mode.flags)
            }
        }
        try checked(code)
    }

    /// Removes a key; false if it was not there.
    @discardableResult
    package func remove(_ table: Table, _ key: [UInt8]) throws(LMDBError) -> Bool {
        // Many keys were never stored, and LMDB reads fewer pages to look for one.
        guard try value(table, key) != nil else { return false }
        try pages.check(table, at: .key(key), for: .removing)
        let code = unsafe withValue(key) { unsafe mdb_del(transaction, table.handle, &$0, nil) }
        if code == MDB_NOTFOUND { return false }
        try checked(code)
        return true
    }

    /// How many entries a table has.
    package func count(_ table: Table) throws(LMDBError) -> UInt64 {
        try pages.find(table.name)
        var statistics = MDB_stat()
        try checked(unsafe mdb_stat(transaction, table.handle, &statistics))
        return UInt64(statistics.ms_entries)
    }

    package func moves(in table: Table) throws(LMDBError) -> any CursorMoves {
        try TransactionCursor(self, table)
    }

    func noteMapFull() {
        foundMapFull = true
    }

    /// Throws for a code that is not success, and remembers a full map.
    func checked(_ code: Int32) throws(LMDBError) {
        if code == MDB_MAP_FULL { foundMapFull = true }
        damage.note(code)
        try check(code)
    }
}

extension PutMode {
    fileprivate var flags: UInt32 {
        switch self {
        case .replace: 0
        case .insert: UInt32(MDB_NOOVERWRITE)
        case .append: UInt32(MDB_APPEND)
        }
    }
}

/// Lends bytes to C as an `MDB_val`; C does not keep or change them.
func withValue<Result>(_ bytes: [UInt8], _ body: (inout MDB_val) -> Result) -> Result {
    unsafe bytes.withUnsafeBytes { buffer in
        var value = unsafe MDB_val(
            mv_size: buffer.count,
            mv_data: UnsafeMutableRawPointer(mutating: buffer.baseAddress))
        return unsafe body(&value)
    }
}

/// Copies bytes out of LMDB's memory.
func copied(_ value: MDB_val) -> [UInt8] {
    unsafe [UInt8](UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size))
}

/// A snapshot of the environment; ends when it is destroyed.
package struct ReadTransaction: ~Copyable {
    /// The view of the snapshot.
    package let view: TransactionView
    private let environment: Environment
    private let thread = ThreadID.current

    init(_ view: TransactionView, _ environment: Environment) {
        self.view = view
        self.environment = environment
    }

    deinit {
        environment.keep(view.pages.sound)
        // Not aborted: that would close the tables that were opened in it (lmdb.h, mdb_dbi_open).
        if let handle = unsafe view.end() { _ = unsafe mdb_txn_commit(handle) }
        environment.transactionEnded(thread)
    }
}

/// The only write transaction of the environment, in all processes; aborts unless committed.
package struct WriteTransaction: ~Copyable {
    /// The view of the transaction.
    package let view: TransactionView
    private let environment: Environment
    private let thread = ThreadID.current

    init(_ view: TransactionView, _ environment: Environment) {
        self.view = view
        self.environment = environment
    }

    /// Commits everything durably, or nothing; ends the transaction either way.
    package consuming func commit() throws(LMDBError) {
        guard let handle = unsafe view.end() else { throw .badTransaction }
        let code = unsafe mdb_txn_commit(handle)
        if code == MDB_MAP_FULL { view.noteMapFull() }
        environment.noteFailure(code)
        try check(code)
    }

    deinit {
        if let handle = unsafe view.end() { unsafe mdb_txn_abort(handle) }
        environment.transactionEnded(thread)
    }
}

/// A named, ordered table of a storage; keys compare bytewise.
package struct Table: Sendable {
    /// The number by which its storage identifies it.
    package let number: UInt32
    /// The name under which it is stored.
    package let name: String

    /// A table with a number and a name.
    package init(number: UInt32, name: String) {
        self.number = number
        self.name = name
    }

    var handle: MDB_dbi { number }
}
