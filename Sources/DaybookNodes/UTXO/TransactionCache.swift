import DaybookChains

/// Transactions that proved themselves before: their bytes never change, wherever they stand.
actor TransactionCache {
    private var transactions: [TransactionID: UTXOTransaction] = [:]
    private let limit: Int

    /// Keeps at most so many transactions.
    init(limit: Int = 10_000) {
        self.limit = limit
    }

    /// A transaction that was kept.
    func transaction(_ txid: TransactionID) -> UTXOTransaction? { transactions[txid] }

    /// Keeps a transaction, and forgets all others when there are too many.
    func keep(_ transaction: UTXOTransaction, _ txid: TransactionID) {
        if transactions.count >= limit { transactions = [:] }
        transactions[txid] = transaction
    }
}
