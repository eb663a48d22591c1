internal import CLMDB
internal import DaybookSystem

/// The only writer of the environment, in all processes; aborts unless it is committed.
package struct WriteTransaction: ~Copyable {
    /// What can be read and written.
    package let view: TransactionView
    private let environment: Environment
    private let thread = ThreadID.current

    init(_ view: TransactionView, _ environment: Environment) {
        self.view = view
        self.environment = environment
    }

    /// Makes everything durable, or nothing; the transaction is over either way.
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
