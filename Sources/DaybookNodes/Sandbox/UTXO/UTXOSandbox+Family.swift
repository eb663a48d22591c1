import DaybookChains
import DaybookEncoding

/// Transactions of the mempool that depend on each other.
extension UTXOSandbox {
    /// Refuses a transaction that would make a row of dependent ones too long.
    func checkFamily(_ transaction: UTXOTransaction) throws(UTXOFault) {
        let limit = RelayPolicy.ancestorLimit
        var read: [TransactionID: UTXOTransaction] = [:]
        func pooled(_ txid: TransactionID) -> UTXOTransaction? {
            if read[txid] == nil { read[txid] = self.pooled(txid) }
            return read[txid]
        }
        let ancestors = Self.family(transaction.inputs.map(\.outpoint.txid)) { txid in
            pooled(txid)?.inputs.map(\.outpoint.txid)
        }
        guard ancestors.count + 1 <= limit else {
            throw .rule(
                "too-long-mempool-chain", .nonstandard,
                detail: "too many unconfirmed ancestors [limit: \(limit)]")
        }
        // In a row of payments each is a descendant of all before it: it is read once.
        var children: [TransactionID: [TransactionID]] = [:]
        func spending(_ txid: TransactionID) -> [TransactionID]? {
            if let known = children[txid] { return known }
            children[txid] = pooled(txid).map { spenders(of: $0, txid) }
            return children[txid]
        }
        // No ancestor has more descendants than all of them together.
        if Self.family(ancestors, next: spending).count + 1 <= limit { return }
        for ancestor in ancestors {
            let descendants = Self.family([ancestor], next: spending)
            guard descendants.count + 1 <= limit else {
                throw .rule(
                    "too-long-mempool-chain", .nonstandard,
                    detail: "too many descendants for tx \(ancestor.hex) [limit: \(limit)]")
            }
        }
    }

    /// Whether InstantSend locks a transaction: each input is locked itself, or deep enough.
    func canBeLocked(_ transaction: UTXOTransaction) -> Bool {
        guard !switches.withholdsLocks else { return false }
        let nextHeight = tip.height + 1
        return transaction.inputs.allSatisfy { input in
            guard let parent = entry(input.outpoint.txid) else { return false }
            let depth = parent.height.map { nextHeight - $0 } ?? 0
            return parent.isLocked || depth >= parameters.instantSendConfirmations
        }
    }

    /// A transaction that waits for a block.
    private func pooled(_ txid: TransactionID) -> UTXOTransaction? {
        guard let entry = entry(txid), !entry.isConfirmed else { return nil }
        return entry.transaction
    }

    /// What spends the outputs of a transaction.
    private func spenders(
        of transaction: UTXOTransaction, _ txid: TransactionID
    ) -> [TransactionID] {
        transaction.outputs.indices.compactMap { index in
            rows.value(keys.spender(Outpoint(txid, UInt32(index)))).flatMap { TransactionID($0) }
        }
    }

    /// The mempool's transactions that are reached from some ids, until there are too many.
    ///
    /// `next` says where one leads; nil for what is not in the mempool.
    private static func family(
        _ start: [TransactionID], next: (TransactionID) -> [TransactionID]?
    ) -> [TransactionID] {
        var found: [TransactionID] = []
        var waiting = start
        while found.count <= RelayPolicy.ancestorLimit, let txid = waiting.popLast() {
            guard !found.contains(txid), let more = next(txid) else { continue }
            found.append(txid)
            waiting += more
        }
        return found
    }
}
