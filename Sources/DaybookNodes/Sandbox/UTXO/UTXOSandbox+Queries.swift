package import DaybookChains
package import DaybookDomain
package import DaybookEncoding

/// The queries that a node answers by JSON-RPC.
extension UTXOSandbox {
    /// The last block.
    package var tip: UTXOTip {
        let last = rows.scanBackward(prefix: keys.blocks, before: nil, limit: 1).first
        let tip = last.flatMap { last in
            let height: UInt64 = BigEndian.number(last.key.suffix(8))
            return UTXOTip(block: last.value, at: Int(clamping: height))
        }
        return tip
            ?? UTXOTip(
                height: genesis.height, hash: genesis.blockHash(at: genesis.height), time: 0)
    }

    /// The hash of the block at a height; nil above the tip and below the first block.
    package func blockHash(at height: Int) -> TransactionID? {
        guard height >= 0, height <= tip.height else { return nil }
        return block(at: height)?.hash ?? genesis.blockHash(at: height)
    }

    /// All outputs to some scripts, spent or not, sorted by height with the mempool's last.
    package func outputs(of scripts: [Bytes]) -> [UTXOOutput] {
        var outpoints: [Outpoint] = []
        var asked: Set<Bytes> = []
        for script in scripts where asked.insert(script).inserted {
            outpoints += self.outpoints(of: script)
        }
        return outpoints.compactMap { output($0) }.sorted { left, right in
            let (leftHeight, rightHeight) = (left.height ?? Int.max, right.height ?? Int.max)
            return leftHeight == rightHeight
                ? left.outpoint < right.outpoint : leftHeight < rightHeight
        }
    }

    /// The status of a transaction.
    package func status(of txid: TransactionID) -> UTXOStatus {
        entry(txid)?.status ?? .unknown
    }

    /// A transaction's bytes.
    package func transaction(_ txid: TransactionID) -> Bytes? {
        entry(txid)?.transaction.serialized()
    }

    /// The time of the block at a height, in microseconds since 1970; 0 for those without a row.
    package func blockTime(at height: Int) -> UInt64 {
        block(at: height)?.time ?? 0
    }

    /// The times of the blocks at some heights, without those that have none.
    package func times(of heights: [UInt64]) -> [ChainObserved.Block] {
        heights.compactMap { height in
            let time = blockTime(at: Int(clamping: height))
            return time == 0 ? nil : ChainObserved.Block(height: height, time: time)
        }
    }

    /// The ids of a block's transactions, the coinbase first.
    package func transactions(inBlockAt height: Int) -> [TransactionID] {
        if height == 0, let txid = genesis.txid { return [txid] }
        return block(at: height)?.txids ?? []
    }

    /// The transactions of the blocks from a height on, then those of the mempool.
    package func transactions(since height: Int) -> [UTXOListing] {
        rows(since: height, upTo: tip).compactMap { UTXOListing($0, row: $1) }
    }

    /// The same with their rows, from which `UTXOListing` is made.
    func rows(since height: Int, upTo tip: UTXOTip) -> [(txid: TransactionID, row: Bytes)] {
        let mined = height <= tip.height
            ? (max(height, 0)...tip.height).flatMap(transactions(inBlockAt:)) : []
        return (mined + pool).compactMap { txid in row(of: txid).map { (txid, $0) } }
    }

    /// The ids of the mempool's transactions, in the order of their arrival.
    package var mempool: [TransactionID] { pool }

    /// Every output to a script, spent or not.
    func outpoints(of script: Bytes) -> [Outpoint] {
        var outpoints: [Outpoint] = []
        if let txid = genesis.txid, script == genesis.faucetScript {
            outpoints = (0..<UTXOGenesis.coins).map { Outpoint(txid, UInt32($0)) }
        }
        let prefix = keys.outputs(script)
        var last: Bytes?
        while true {
            let page = rows.scan(prefix: prefix, after: last, limit: Self.pageRows)
            outpoints += page.compactMap { UTXOKeys.outpoint(endOf: $0.key) }
            guard page.count == Self.pageRows else { return outpoints }
            last = page.last?.key
        }
    }

    /// An output, spent or not; nil if no transaction of the chain or the mempool has it.
    package func output(_ outpoint: Outpoint) -> UTXOOutput? {
        guard let (output, entry) = output(at: outpoint) else { return nil }
        return UTXOOutput(
            outpoint: outpoint, amount: output.amount, script: output.script,
            height: entry.height, isCoinbase: entry.transaction.isCoinbase,
            isLocked: entry.isLocked,
            spender: spender(of: outpoint).map { spender in
                UTXOOutput.Spender(txid: spender.txid, height: spender.entry.height)
            })
    }
}

/// The chain's rows, typed.
extension UTXOSandbox {
    /// How many rows are read at a time.
    private static let pageRows = 256

    func entry(_ txid: TransactionID) -> UTXOEntry? {
        genesisEntry(txid) ?? rows.value(keys.transaction(txid)).flatMap { UTXOEntry(row: $0) }
    }

    private func row(of txid: TransactionID) -> Bytes? {
        genesisEntry(txid)?.row ?? rows.value(keys.transaction(txid))
    }

    private func genesisEntry(_ txid: TransactionID) -> UTXOEntry? {
        guard txid == genesis.txid, let transaction = genesis.transaction else { return nil }
        return UTXOEntry(transaction, height: 0, fee: 0)
    }

    /// Writes a transaction's row, and the rows of its spends and outputs.
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

    /// Removes everything that `add` wrote.
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

    /// The ids of the mempool's transactions, in the order of their arrival.
    var pool: [TransactionID] {
        var ids: [TransactionID] = []
        var last: Bytes?
        while true {
            let page = rows.scan(prefix: keys.pool, after: last, limit: Self.pageRows)
            ids += page.compactMap { TransactionID($0.value) }
            guard page.count == Self.pageRows else { return ids }
            last = page.last?.key
        }
    }

    /// The number of the next transaction in the mempool.
    var nextPoolNumber: UInt64 {
        guard let last = rows.scanBackward(prefix: keys.pool, before: nil, limit: 1).first
        else { return 0 }
        return BigEndian.number(last.key.suffix(8)) + 1
    }

    /// How often the chain was reorganized.
    var forks: UInt64 {
        rows.value(keys.forks).map { BigEndian.number($0[...]) } ?? 0
    }
}
