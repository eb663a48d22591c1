internal import CLMDB
internal import DaybookSystem

/// A snapshot of the environment; ends when it goes.
package struct ReadTransaction: ~Copyable {
    /// What can be read.
    package let view: TransactionView
    private let environment: Environment
    private let thread = ThreadID.current

    init(_ view: TransactionView, _ environment: Environment) {
        self.view = view
        self.environment = environment
    }

    deinit {
        // Not aborted: that would close the tables that were opened in it (lmdb.h, mdb_dbi_open).
        if let handle = unsafe view.end() { _ = unsafe mdb_txn_commit(handle) }
        environment.transactionEnded(thread)
    }
}
