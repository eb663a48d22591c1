import DaybookChains
package import DaybookEncoding

/// Where transactions are kept from one run of a program to the next.
///
/// What it gives back is not believed: bytes that do not hash to the id are asked for again.
package protocol TransactionFiles: Sendable {
    /// The bytes that were kept under an id; nil where there are none.
    func bytes(of txid: String) -> Bytes?
    /// Keeps the bytes of a transaction; a failure to do so costs only another question.
    func keep(_ bytes: Bytes, of txid: String)
}

/// Transactions that proved themselves before: their bytes never change, wherever they stand.
actor TransactionCache {
    private var transactions: [TransactionID: UTXOTransaction] = [:]
    private var size = 0
    private let limit: Int
    private let files: (any TransactionFiles)?

    /// Keeps transactions of at most so many bytes together in memory, and all in files.
    init(bytes limit: Int = 32 << 20, files: (any TransactionFiles)? = nil) {
        self.limit = limit
        self.files = files
    }

    /// A transaction that was kept.
    func transaction(_ txid: TransactionID) -> UTXOTransaction? {
        if let known = transactions[txid] { return known }
        guard let bytes = files?.bytes(of: txid.hex), TransactionID(hashing: bytes) == txid,
            let transaction = try? UTXOTransaction.parse(bytes),
            Duffs.sum(transaction.outputs.map(\.amount)) != nil
        else { return nil }
        remember(transaction, txid, bytes.count)
        return transaction
    }

    /// Keeps a transaction, and forgets all others when they are too long together.
    func keep(_ transaction: UTXOTransaction, _ txid: TransactionID) {
        guard transactions[txid] == nil else { return }
        let bytes = transaction.serialized()
        remember(transaction, txid, bytes.count)
        files?.keep(bytes, of: txid.hex)
    }

    private func remember(
        _ transaction: UTXOTransaction, _ txid: TransactionID, _ bytes: Int
    ) {
        guard bytes <= limit else { return }
        if size + bytes > limit { (transactions, size) = ([:], 0) }
        transactions[txid] = transaction
        size += bytes
    }
}
