import DaybookChains

/// Transactions of the mempool that depend on each other.
extension UTXOSandbox {
    /// Refuses a transaction that would make a row of dependent ones too long.
    func checkFamily(_ transaction: UTXOTransaction) throws(UTXOFault) {
        let limit = RelayPolicy.ancestorLimit
        let ancestors = family(transaction.inputs.map(\.outpoint.txid)) { entry in
            entry.transaction.inputs.map(\.outpoint.txid)
        }
        guard ancestors.count + 1 <= limit else {
            throw .rule(
                "too-long-mempool-chain", .nonstandard,
                detail: "too many unconfirmed ancestors [limit: \(limit)]")
        }
        for ancestor in ancestors {
            let descendants = family([ancestor]) { entry in
                let txid = entry.transaction.txid
                return entry.transaction.outputs.indices.compactMap { index in
                    spender(of: Outpoint(txid, UInt32(index)))?.txid
                }
            }
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

    /// The mempool's transactions that are reached from some ids, until there are too many.
    private func family(
        _ start: [TransactionID], next: (UTXOEntry) -> [TransactionID]
    ) -> [TransactionID] {
        var found: [TransactionID] = []
        var waiting = start
        while found.count <= RelayPolicy.ancestorLimit, let txid = waiting.popLast() {
            guard !found.contains(txid), let entry = entry(txid), !entry.isConfirmed
            else { continue }
            found.append(txid)
            waiting += next(entry)
        }
        return found
    }
}
