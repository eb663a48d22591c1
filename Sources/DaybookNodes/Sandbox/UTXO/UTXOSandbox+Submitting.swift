import DaybookChains
package import DaybookEncoding

extension UTXOSandbox {
    /// Sends a transaction to the chain, as `sendrawtransaction` does.
    ///
    /// What is in the mempool already is accepted again. The switches are heeded.
    package mutating func submit(_ bytes: Bytes) -> UTXOAnswer {
        var switches = self.switches
        if switches.isSilent { return .silence }
        if let refusal = switches.refuseNext {
            switches.refuseNext = nil
            self.switches = switches
            return .refused(refusal)
        }
        do {
            let txid = try admit(bytes)
            guard switches.losesNextAnswer else { return .accepted(txid) }
            switches.losesNextAnswer = false
            self.switches = switches
            return .silence
        } catch {
            return .refused(error.refusal(on: parameters.chain))
        }
    }

    /// Puts a transaction into the mempool, unless a rule speaks against it.
    mutating func admit(_ bytes: Bytes) throws(UTXOFault) -> TransactionID {
        let transaction: UTXOTransaction
        do {
            transaction = try UTXOTransaction.parse(bytes)
        } catch {
            throw .undecodable
        }
        let txid = transaction.txid
        if let known = entry(txid) {
            if !known.isConfirmed { return txid }
            if hasUnspentOutput(known, txid) { throw .alreadyInBlock }
        }
        let fee = try check(transaction, size: bytes.count)
        add(
            UTXOEntry(
                transaction, poolNumber: nextPoolNumber, isLocked: canBeLocked(transaction),
                fee: fee),
            txid)
        return txid
    }

    /// All rules, in the nodes' order; what the transaction pays the miner comes back.
    private func check(
        _ transaction: UTXOTransaction, size: Int
    ) throws(UTXOFault) -> UInt64 {
        let chain = parameters.chain
        try UTXORules.checkConsensus(transaction, size: size)
        try UTXORules.checkStandard(transaction, size: size, on: chain)
        try UTXORules.checkFinal(transaction, tip: tip)
        try checkConflicts(transaction)
        let spent = try spentOutputs(transaction)
        let fee = try fee(transaction, spending: spent)
        try checkInputsAreStandard(spent)
        guard fee >= UInt64(size) * RelayPolicy.minimumFeePerKilobyte / 1000 else {
            throw .rule("min relay fee not met", .insufficientFee, detail: "\(fee) < \(size)")
        }
        let isSuspicious = UTXORules.isAboveGuard(fee: fee, size: size, on: chain)
        // Dash tries everything else before it looks at the guard, Axe looks on the way.
        if isSuspicious, chain == .axe { throw .feeAboveGuard }
        try checkFamily(transaction)
        for (index, output) in spent.enumerated() {
            if let failure = transaction.scriptFailure(input: index, spending: output) {
                throw .script(failure)
            }
        }
        if isSuspicious { throw .feeAboveGuard }
        return fee
    }

    /// Whether a confirmed transaction still has an output that no block has spent.
    private func hasUnspentOutput(_ entry: UTXOEntry, _ txid: TransactionID) -> Bool {
        entry.transaction.outputs.enumerated().contains { index, output in
            guard !Script(output.script).isData else { return false }
            return spender(of: Outpoint(txid, UInt32(index)))?.entry.isConfirmed != true
        }
    }

    private func checkConflicts(_ transaction: UTXOTransaction) throws(UTXOFault) {
        let rivals = transaction.inputs.compactMap { spender(of: $0.outpoint)?.entry }
            .filter { !$0.isConfirmed }
        guard !rivals.contains(where: \.isLocked) else {
            throw .rule("tx-txlock-conflict", .invalid)
        }
        guard rivals.isEmpty else { throw .rule("txn-mempool-conflict", .duplicate) }
    }

    /// What the inputs spend; coinbases must be a hundred blocks deep in the next block.
    private func spentOutputs(
        _ transaction: UTXOTransaction
    ) throws(UTXOFault) -> [UTXOTransaction.Output] {
        let nextHeight = tip.height + 1
        var spent: [UTXOTransaction.Output] = []
        var depths: [Int] = []
        for input in transaction.inputs {
            guard let (output, entry) = output(at: input.outpoint),
                !Script(output.script).isData, spender(of: input.outpoint) == nil
            else { throw .missingInputs }
            spent.append(output)
            if entry.transaction.isCoinbase, let height = entry.height {
                depths.append(nextHeight - height)
            }
        }
        if let depth = depths.first(where: { $0 < RelayPolicy.coinbaseMaturity }) {
            throw .rule(
                "bad-txns-premature-spend-of-coinbase", .invalid,
                detail: "tried to spend coinbase at depth \(depth)")
        }
        return spent
    }

    private func fee(
        _ transaction: UTXOTransaction, spending spent: [UTXOTransaction.Output]
    ) throws(UTXOFault) -> UInt64 {
        guard let paid = Duffs.sum(transaction.outputs.map(\.amount)) else {
            throw .rule("bad-txns-txouttotal-toolarge", .invalid)
        }
        guard let available = Duffs.sum(spent.map(\.amount)) else {
            throw .rule("bad-txns-inputvalues-outofrange", .invalid)
        }
        guard available >= paid else {
            throw .rule(
                "bad-txns-in-belowout", .invalid,
                detail: "value in (\(Self.coins(available))) < value out (\(Self.coins(paid)))")
        }
        return available - paid
    }

    private func checkInputsAreStandard(
        _ spent: [UTXOTransaction.Output]
    ) throws(UTXOFault) {
        for output in spent {
            switch Script(output.script) {
            case .p2pkh, .p2pk: break
            case .p2sh, .data, .other:
                throw .rule("bad-txns-nonstandard-inputs", .nonstandard)
            }
        }
    }

    /// Coins as the nodes print them: at least two decimals, no more zeros than that.
    private static func coins(_ duffs: UInt64) -> String {
        var decimals = String(duffs % Duffs.perCoin)
        decimals = String(repeating: "0", count: Duffs.decimals - decimals.count) + decimals
        while decimals.count > 2, decimals.last == "0" { decimals.removeLast() }
        return "\(duffs / Duffs.perCoin).\(decimals)"
    }
}

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
