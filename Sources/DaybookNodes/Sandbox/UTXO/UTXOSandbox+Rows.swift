import DaybookChains
import DaybookEncoding

/// The chain's rows, typed.
extension UTXOSandbox {
    func entry(_ txid: TransactionID) -> UTXOEntry? {
        if txid == genesis.txid, let transaction = genesis.transaction {
            return UTXOEntry(transaction, height: 0, fee: 0)
        }
        return rows.value(keys.transaction(txid)).flatMap { UTXOEntry(row: $0) }
    }

    /// Writes what is known of a transaction, and what it spends and pays.
    mutating func add(_ entry: UTXOEntry, _ txid: TransactionID) {
        rows.set(keys.transaction(txid), entry.row)
        if let number = entry.poolNumber { rows.set(keys.pooled(number), txid.bytes) }
        for input in entry.transaction.inputs where input.outpoint != .null {
            rows.set(keys.spender(input.outpoint), txid.bytes)
        }
        for (index, output) in entry.transaction.outputs.enumerated() {
            rows.set(keys.output(output.script, Outpoint(txid, UInt32(index))), [])
        }
    }

    /// Takes everything away that `add` wrote.
    mutating func remove(_ entry: UTXOEntry, _ txid: TransactionID) {
        rows.remove(keys.transaction(txid))
        if let number = entry.poolNumber { rows.remove(keys.pooled(number)) }
        for input in entry.transaction.inputs where input.outpoint != .null {
            rows.remove(keys.spender(input.outpoint))
        }
        for (index, output) in entry.transaction.outputs.enumerated() {
            rows.remove(keys.output(output.script, Outpoint(txid, UInt32(index))))
        }
    }

    /// The transaction that spends an output, in a block or in the mempool.
    func spender(of outpoint: Outpoint) -> (txid: TransactionID, entry: UTXOEntry)? {
        guard let txid = rows.value(keys.spender(outpoint)).flatMap({ TransactionID($0) }),
            let entry = entry(txid)
        else { return nil }
        return (txid, entry)
    }

    /// The output that an outpoint names, and its transaction.
    func output(
        at outpoint: Outpoint
    ) -> (output: UTXOTransaction.Output, entry: UTXOEntry)? {
        guard let entry = entry(outpoint.txid),
            entry.transaction.outputs.indices.contains(Int(outpoint.index))
        else { return nil }
        return (entry.transaction.outputs[Int(outpoint.index)], entry)
    }

    func block(at height: Int) -> UTXOBlock? {
        rows.value(keys.block(height)).flatMap { UTXOBlock(row: $0) }
    }

    /// The ids of the mempool's transactions, in the order of their coming.
    var pool: [TransactionID] {
        var ids: [TransactionID] = []
        var last: Bytes?
        while true {
            let page = rows.scan(prefix: keys.pool, after: last, limit: 256)
            ids += page.compactMap { TransactionID($0.value) }
            guard let end = page.last else { return ids }
            last = end.key
        }
    }

    /// The number that the next transaction of the mempool gets.
    var nextPoolNumber: UInt64 {
        guard let last = rows.scanBackward(prefix: keys.pool, before: nil, limit: 1).first
        else { return 0 }
        return BigEndian.number(last.key.suffix(8)) + 1
    }

    /// How many times the chain was reorganised.
    var forks: UInt64 {
        rows.value(keys.forks).map { BigEndian.number($0[...]) } ?? 0
    }
}
