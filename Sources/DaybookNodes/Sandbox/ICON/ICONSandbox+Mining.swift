package import DaybookChains
import DaybookCrypto
package import DaybookEncoding

extension ICONSandbox {
    /// The most blocks that one call mines.
    package static let maximumBlocks = 10_000

    /// Mines blocks; the first one executes the pending transactions. Returns the receipts.
    ///
    /// A block is always later than its parent, whatever `time` is. Expired transactions are
    /// dropped, those that can't pay stay pending.
    @discardableResult
    package mutating func mine(_ count: Int = 1, at time: UInt64) -> [ICONReceipt] {
        (0..<max(min(count, Self.maximumBlocks), 0)).flatMap { _ in mineBlock(at: time) }
    }

    /// Removes the last blocks; returns the hashes of their transactions, which are pending again.
    ///
    /// Returns nil, and does nothing, if there are fewer blocks. For tests only: the blocks of a
    /// real ICON network are final.
    @discardableResult
    package mutating func reorganise(_ depth: Int) -> [Bytes]? {
        guard depth > 0, UInt64(depth) <= tip.height else { return nil }
        return (0..<depth).flatMap { _ in removeBlock() }
    }

    private mutating func mineBlock(at time: UInt64) -> [ICONReceipt] {
        let parent = tip
        let height = parent.height + 1
        let time = max(time, parent.time + 1)
        var ledger = ICONLedger(rows)
        var receipts: [ICONReceipt] = []
        for row in rows.scan(prefix: ICONKey.pool, after: nil, limit: .max) {
            guard var entry = entry(row.value), let transaction = entry.transaction
            else { continue }
            switch ICONAge(of: transaction.timestamp, at: time) {
            case .future: continue
            case .fresh where transaction.stepLimit >= UInt256(Self.leastSteps(of: transaction)):
                break
            case .expired, .fresh:
                rows.remove(row.key)
                rows.remove(ICONKey.transaction(row.value))
                continue
            }
            guard let receipt = Self.execute(transaction, on: &ledger, height: height)
            else { continue }
            entry.receipt = receipt
            rows.remove(row.key)
            rows.set(ICONKey.transaction(row.value), entry.row)
            receipts.append(receipt)
        }
        let changed = ledger.changed
        let block = ICONSandboxBlock(
            parent: parent, transactions: receipts.map(\.hash),
            former: changed.map { ICONSandboxBlock.Former(key: $0.key, value: rows.value($0.key)) })
        for row in changed { rows.set(row.key, row.value) }
        rows.set(ICONKey.block(height), block.row)
        let contents = BigEndian.bytes(height) + BigEndian.bytes(time) + parent.hash
        let hash = SHA3_256.hash(contents + block.transactions.flatMap { $0 })
        rows.set(ICONKey.tip, ICONTip(height: height, time: time, hash: hash).row)
        return receipts
    }

    /// Executes a transaction and charges the fee; nil if its sender can't pay for it.
    private static func execute(
        _ transaction: ICONTransaction, on ledger: inout ICONLedger, height: UInt64
    ) -> ICONReceipt? {
        guard let work = ICONWork(transaction.params), let cost = greatestCost(of: transaction),
            ledger.balance(of: transaction.from) >= cost
        else { return nil }
        let limit = UInt64(transaction.stepLimit.decimal) ?? maximumSteps
        var execution = ICONExecution(work, on: ledger, stepLimit: limit)
        execution.run()
        let used = UInt256(execution.stepUsed)
        var after = execution.ledger
        // The used steps are within the limit, so that the fee is below the checked cost.
        guard let fee = fees.fee(ofSteps: used),
            let rest = after.balance(of: transaction.from).subtracting(fee)
        else { return nil }
        after.setBalance(rest, of: transaction.from)
        ledger = after
        return ICONReceipt(
            hash: transaction.hash, height: height, stepUsed: used, stepPrice: fees.price,
            failure: execution.failure.map {
                ICONReceipt.Failure(code: $0.code, message: $0.message)
            },
            logs: execution.logs)
    }

    private mutating func removeBlock() -> [Bytes] {
        let tip = self.tip
        let key = ICONKey.block(tip.height)
        guard let block = rows.value(key).flatMap({ ICONSandboxBlock($0) }) else { return [] }
        for former in block.former {
            if let value = former.value {
                rows.set(former.key, value)
            } else {
                rows.remove(former.key)
            }
        }
        for hash in block.transactions {
            guard let entry = entry(hash) else { continue }
            pool(ICONEntry(number: entry.number, params: entry.params), hash)
        }
        rows.remove(key)
        rows.set(ICONKey.tip, block.parent.row)
        return block.transactions
    }
}
