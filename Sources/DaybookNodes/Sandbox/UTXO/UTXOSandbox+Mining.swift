package import DaybookChains
import DaybookEncoding

extension UTXOSandbox {
    /// The most blocks that one call mines.
    package static let maximumBlocks = 10_000

    /// Mines blocks; the first one confirms the mempool's transactions as far as they fit.
    ///
    /// - Parameter script: the script that the coinbases pay to; unspendable if none is given.
    package mutating func mine(_ count: Int, at time: UInt64, to script: Script? = nil) {
        for _ in 0..<min(count, Self.maximumBlocks) {
            mineBlock(takingTransactions: true, at: time, to: script)
        }
    }

    /// Reorganizes the chain: replaces its last blocks by one more block without transactions.
    ///
    /// The transactions of the replaced blocks return to the mempool, except those that descend
    /// from a replaced coinbase. Returns false, and does nothing, if there are fewer blocks.
    package mutating func reorganise(_ depth: Int, at time: UInt64) -> Bool {
        let height = tip.height
        guard depth > 0, depth <= height - genesis.height else { return false }
        var returned: [TransactionID] = []
        for height in ((height - depth + 1)...height).reversed() {
            returned = disconnect(height) + returned
        }
        rows.set(keys.forks, BigEndian.bytes(forks + 1))
        for _ in 0...depth { mineBlock(takingTransactions: false, at: time, to: nil) }
        refill(with: returned)
        return true
    }

    private mutating func mineBlock(
        takingTransactions: Bool, at time: UInt64, to script: Script?
    ) {
        let previous = tip
        let height = previous.height + 1
        let taken = takingTransactions ? confirmPool(at: height) : []
        let coinbase = coinbase(
            height: height, fees: taken.reduce(0) { $0 + $1.fee },
            to: script ?? Self.nobody)
        let txid = coinbase.txid
        add(UTXOEntry(coinbase, height: height, fee: 0), txid)
        // A block is never earlier than its parent.
        let block = UTXOBlock(
            after: previous.hash, time: max(time, previous.time),
            txids: [txid] + taken.map(\.txid))
        rows.set(keys.block(height), block.row)
    }

    /// Confirms the mempool's transactions in their order, as long as they fit into a block.
    private mutating func confirmPool(
        at height: Int
    ) -> [(txid: TransactionID, fee: UInt64)] {
        var taken: [(txid: TransactionID, fee: UInt64)] = []
        var size = 0
        for txid in pool {
            guard var entry = entry(txid), let number = entry.poolNumber else { continue }
            size += entry.transaction.serialized().count
            // Children come after their parents, so none is confirmed without its parent.
            guard size <= Self.maximumTransactionBytes else { break }
            rows.remove(keys.pooled(number))
            entry.poolNumber = nil
            entry.height = height
            add(entry, txid)
            taken.append((txid, entry.fee))
        }
        return taken
    }

    /// The same bytes as on the nodes' regtest, up to height 150 and without reorganizations.
    private func coinbase(height: Int, fees: UInt64, to script: Script) -> UTXOTransaction {
        let number = height <= 16 ? [UInt8(0x50 + height)] : Script.pushing([Self.number(height)])
        let extraNonce = Script.pushing([Self.number(Int(forks) + 1)])
        return UTXOTransaction(
            inputs: [UTXOTransaction.Input(.null, script: number + extraNonce)],
            outputs: [UTXOTransaction.Output(amount: Self.subsidy + fees, script: script.bytes)])
    }

    /// Removes a block from the chain and returns its transaction ids, without the coinbase's.
    private mutating func disconnect(_ height: Int) -> [TransactionID] {
        guard let block = block(at: height) else { return [] }
        rows.remove(keys.block(height))
        for txid in block.txids {
            guard var entry = entry(txid) else { continue }
            if entry.transaction.isCoinbase {
                remove(entry, txid)
            } else {
                entry.height = nil
                add(entry, txid)
            }
        }
        return Array(block.txids.dropFirst())
    }

    /// Renumbers the mempool: first the transactions from removed blocks, then those it had.
    private mutating func refill(with returned: [TransactionID]) {
        let waiting = pool
        for txid in waiting {
            if let number = entry(txid)?.poolNumber { rows.remove(keys.pooled(number)) }
        }
        var number: UInt64 = 0
        for txid in returned + waiting {
            guard var entry = entry(txid) else { continue }
            entry.poolNumber = nil
            guard canStay(entry) else {
                remove(entry, txid)
                continue
            }
            entry.poolNumber = number
            number += 1
            add(entry, txid)
        }
    }

    /// Whether all outputs that a transaction spends still exist and are mature.
    private func canStay(_ entry: UTXOEntry) -> Bool {
        let nextHeight = tip.height + 1
        return entry.transaction.inputs.allSatisfy { input in
            guard let parent = self.entry(input.outpoint.txid) else { return false }
            guard parent.transaction.isCoinbase, let height = parent.height else { return true }
            return nextHeight - height >= RelayPolicy.coinbaseMaturity
        }
    }

    /// A number in script encoding: little-endian, with the sign in the highest bit.
    private static func number(_ value: Int) -> Bytes {
        var bytes = Bytes()
        var rest = value
        while rest > 0 {
            bytes.append(UInt8(rest & 0xff))
            rest >>= 8
        }
        if let last = bytes.last, last & 0x80 != 0 { bytes.append(0) }
        return bytes
    }

    /// A script that nobody can spend.
    private static let nobody = Script.data([0x6a])

    /// Two megabytes hold a block, less what its header and coinbase take.
    private static let maximumTransactionBytes = 1_990_000
}
