package import DaybookChains
import DaybookEncoding

extension UTXOSandbox {
    /// The most blocks that one call mines.
    package static let maximumBlocks = 10_000

    /// Mines blocks; the first takes the mempool's transactions that fit, the miner gets the fees.
    ///
    /// - Parameter script: what the coinbases pay to; nobody's where none is given.
    package mutating func mine(_ count: Int, at time: UInt64, to script: Script? = nil) {
        for _ in 0..<min(count, Self.maximumBlocks) {
            mineBlock(takingTransactions: true, at: time, to: script)
        }
    }

    /// Replaces the last blocks by others, one more, that hold no transactions.
    ///
    /// The transactions of the lost blocks are in the mempool afterwards, but those that can't be
    /// any more: they spend, however distantly, a coinbase of a lost block. False, and nothing
    /// done, where there are not so many blocks.
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
        // A block is never earlier than the one before.
        let block = UTXOBlock(
            after: previous.hash, time: max(time, previous.time),
            txids: [txid] + taken.map(\.txid))
        rows.set(keys.block(height), block.row)
    }

    /// Takes the mempool's transactions, in their order, as long as they fit into a block.
    private mutating func confirmPool(
        at height: Int
    ) -> [(txid: TransactionID, fee: UInt64)] {
        var taken: [(txid: TransactionID, fee: UInt64)] = []
        var size = 0
        for txid in pool {
            guard var entry = entry(txid), let number = entry.poolNumber else { continue }
            size += entry.transaction.serialized().count
            // The mempool is ordered: whatever depends on a transaction comes after it.
            guard size <= Self.maximumTransactionBytes else { break }
            rows.remove(keys.pooled(number))
            entry.poolNumber = nil
            entry.height = height
            add(entry, txid)
            taken.append((txid, entry.fee))
        }
        return taken
    }

    /// Bit by bit what the nodes' regtest makes, to height 150 and as long as there is no fork.
    private func coinbase(height: Int, fees: UInt64, to script: Script) -> UTXOTransaction {
        let number = height <= 16 ? [UInt8(0x50 + height)] : Script.pushing([Self.number(height)])
        let extraNonce = Script.pushing([Self.number(Int(forks) + 1)])
        return UTXOTransaction(
            inputs: [UTXOTransaction.Input(.null, script: number + extraNonce)],
            outputs: [UTXOTransaction.Output(amount: Self.subsidy + fees, script: script.bytes)])
    }

    /// Takes a block off the chain; the ids of its transactions come back, without the coinbase.
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

    /// Numbers the mempool again: what came back from blocks first, then what was there.
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

    /// Whether what a transaction of the mempool spends is still there, and mature.
    private func canStay(_ entry: UTXOEntry) -> Bool {
        let nextHeight = tip.height + 1
        return entry.transaction.inputs.allSatisfy { input in
            guard let parent = self.entry(input.outpoint.txid) else { return false }
            guard parent.transaction.isCoinbase, let height = parent.height else { return true }
            return nextHeight - height >= RelayPolicy.coinbaseMaturity
        }
    }

    /// A number as scripts write it: the lowest byte first, the highest bit is the sign.
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
