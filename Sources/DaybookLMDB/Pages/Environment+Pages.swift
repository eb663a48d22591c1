internal import CLMDB

extension Environment {
    /// What is wrong with the pages of a snapshot, if anything; they are read without LMDB.
    ///
    /// A flipped bit in what LMDB goes by can end the process: check first, then read.
    package func pageFault(in view: TransactionView) throws -> PageFault? {
        var descriptor: Int32 = -1
        unsafe try withHandle { handle throws(LMDBError) in
            try check(unsafe mdb_env_get_fd(handle, &descriptor))
        }
        // A damaged file may say any number of 64 bits.
        let transaction = unsafe UInt64(UInt(bitPattern: mdb_txn_id(view.transaction)))
        return try PageCheck.fault(descriptor, transaction: transaction)
    }
}
