import DaybookChains

/// Transactions that proved themselves before: their bytes never change, wherever they stand.
actor TransactionCache {
    private var transactions: [TransactionID: UTXOTransaction] = [:]
    private var size = 0
    private let limit: Int

    /// Keeps transactions of at most so many bytes together.
    init(bytes limit: Int = 32 << 20) {
        self.limit = limit
    }

    /// A transaction that was kept.
    func transaction(_ txid: TransactionID) -> UTXOTransaction? { transactions[txid] }

    /// Keeps a transaction, and forgets all others when they are too long together.
    func keep(_ transaction: UTXOTransaction, _ txid: TransactionID) {
        let bytes = transaction.serialized().count
        guard bytes <= limit, transactions[txid] == nil else { return }
        if size + bytes > limit { (transactions, size) = ([:], 0) }
        transactions[txid] = transaction
        size += bytes
    }
}
