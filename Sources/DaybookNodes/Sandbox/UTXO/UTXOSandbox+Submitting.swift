import DaybookChains
package import DaybookEncoding

extension UTXOSandbox {
    /// Sends a transaction to the chain, as `sendrawtransaction` does.
    ///
    /// A transaction that is in the mempool is accepted again. The switches apply.
    package mutating func submit(_ bytes: Bytes) -> UTXOAnswer {
        var switches = self.switches
        if switches.losesNext {
            (switches.losesNext, switches.isSilent) = (false, true)
            self.switches = switches
        }
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

    /// Adds a transaction to the mempool; throws if it breaks a rule.
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
        let tip = self.tip
        let fee = try check(transaction, size: bytes.count, above: tip)
        add(
            UTXOEntry(
                transaction, poolNumber: nextPoolNumber,
                isLocked: canBeLocked(transaction, above: tip), fee: fee),
            txid)
        return txid
    }

    /// Checks all rules in the nodes' order, and returns the fee.
    private func check(
        _ transaction: UTXOTransaction, size: Int, above tip: UTXOTip
    ) throws(UTXOFault) -> UInt64 {
        let chain = parameters.chain
        try UTXORules.checkConsensus(transaction, size: size)
        try UTXORules.checkStandard(transaction, size: size, on: chain)
        try UTXORules.checkFinal(transaction, tip: tip)
        try checkConflicts(transaction)
        let spent = try spentOutputs(transaction, above: tip)
        let fee = try fee(transaction, spending: spent)
        try checkInputsAreStandard(spent)
        guard fee >= UInt64(size) * UTXOFees.leastRate / 1000 else {
            throw .rule("min relay fee not met", .insufficientFee, detail: "\(fee) < \(size)")
        }
        let isSuspicious = UTXORules.isAboveGuard(fee: fee, size: size, on: chain)
        // Dash checks the fee limit after all other rules, Axe before the last ones.
        if isSuspicious, chain == .axe { throw .feeAboveGuard }
        try checkAncestorLimits(transaction, size: size)
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
        let conflicts = transaction.inputs.compactMap { spender(of: $0.outpoint)?.entry }
            .filter { !$0.isConfirmed }
        guard !conflicts.contains(where: \.isLocked) else {
            throw .rule("tx-txlock-conflict", .invalid)
        }
        guard conflicts.isEmpty else { throw .rule("txn-mempool-conflict", .duplicate) }
    }

    /// The spent outputs; those of coinbases must be a hundred blocks deep in the next block.
    private func spentOutputs(
        _ transaction: UTXOTransaction, above tip: UTXOTip
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

    /// An amount as the nodes print it: at least two decimals, without further trailing zeros.
    private static func coins(_ duffs: UInt64) -> String {
        var decimals = String(duffs % Duffs.perCoin)
        decimals = String(repeating: "0", count: Duffs.decimals - decimals.count) + decimals
        while decimals.count > 2, decimals.last == "0" { decimals.removeLast() }
        return "\(duffs / Duffs.perCoin).\(decimals)"
    }
}

/// Ancestors and descendants in the mempool.
extension UTXOSandbox {
    /// Refuses a transaction with too many ancestors, or as one too many descendant of an ancestor.
    ///
    /// Both the number and the bytes of transactions are limited, in the nodes' order of checks.
    func checkAncestorLimits(_ transaction: UTXOTransaction, size: Int) throws(UTXOFault) {
        if isPoolSmall(adding: size) { return }
        let limit = RelayPolicy.ancestorLimit
        var read: [TransactionID: UTXOTransaction] = [:]
        func pooled(_ txid: TransactionID) -> UTXOTransaction? {
            if read[txid] == nil { read[txid] = self.pooled(txid) }
            return read[txid]
        }
        let ancestors = Self.reachable(transaction.inputs.map(\.outpoint.txid)) { txid in
            pooled(txid)?.inputs.map(\.outpoint.txid)
        }
        if ancestors.isEmpty { return }
        func bytes(_ ids: [TransactionID]) -> UInt64 {
            ids.reduce(UInt64(size)) { $0 + UInt64(pooled($1)?.serialized().count ?? 0) }
        }
        guard ancestors.count + 1 <= limit else {
            throw Self.tooLong("too many unconfirmed ancestors [limit: \(limit)]")
        }
        // In a chain of payments each is a descendant of all before it, so results are kept.
        var children: [TransactionID: [TransactionID]] = [:]
        func spending(_ txid: TransactionID) -> [TransactionID]? {
            if let known = children[txid] { return known }
            children[txid] = pooled(txid).map { spenders(of: $0, txid) }
            return children[txid]
        }
        let most = RelayPolicy.packageLimit
        // No ancestor has more descendants than all ancestors together.
        let all = Self.reachable(ancestors, next: spending)
        if all.count + 1 <= limit, bytes(all) <= most { return }
        for ancestor in ancestors {
            let descendants = Self.reachable([ancestor], next: spending)
            let subject = "for tx \(ancestor.hex)"
            guard bytes(descendants) <= most else {
                throw Self.tooLong("exceeds descendant size limit \(subject) [limit: \(most)]")
            }
            guard descendants.count + 1 <= limit else {
                throw Self.tooLong("too many descendants \(subject) [limit: \(limit)]")
            }
        }
        guard bytes(ancestors) <= most else {
            throw Self.tooLong("exceeds ancestor size limit [limit: \(most)]")
        }
    }

    /// Whether no transaction can break a limit, because the whole mempool with it does not.
    private func isPoolSmall(adding size: Int) -> Bool {
        let limit = RelayPolicy.ancestorLimit
        let pool = rows.scan(prefix: keys.pool, after: nil, limit: limit)
        guard pool.count + 1 <= limit else { return false }
        // A row has the transaction's bytes, and some more.
        let bytes = pool.reduce(UInt64(size)) { bytes, pooled in
            let row = TransactionID(pooled.value).flatMap { rows.value(keys.transaction($0)) }
            return bytes + UInt64(row?.count ?? 0)
        }
        return bytes <= RelayPolicy.packageLimit
    }

    private static func tooLong(_ detail: String) -> UTXOFault {
        .rule("too-long-mempool-chain", .nonstandard, detail: detail)
    }

    /// Whether InstantSend locks a transaction: each input must be locked or deep enough.
    func canBeLocked(_ transaction: UTXOTransaction, above tip: UTXOTip) -> Bool {
        guard !switches.withholdsLocks else { return false }
        let nextHeight = tip.height + 1
        return transaction.inputs.allSatisfy { input in
            guard let parent = entry(input.outpoint.txid) else { return false }
            let depth = parent.height.map { nextHeight - $0 } ?? 0
            return parent.isLocked || depth >= parameters.instantSendConfirmations
        }
    }

    /// A transaction of the mempool; nil if it is confirmed or unknown.
    private func pooled(_ txid: TransactionID) -> UTXOTransaction? {
        guard let entry = entry(txid), !entry.isConfirmed else { return nil }
        return entry.transaction
    }

    /// The transactions that spend the outputs of a transaction.
    private func spenders(
        of transaction: UTXOTransaction, _ txid: TransactionID
    ) -> [TransactionID] {
        transaction.outputs.indices.compactMap { index in
            rows.value(keys.spender(Outpoint(txid, UInt32(index)))).flatMap { TransactionID($0) }
        }
    }

    /// The mempool's transactions that can be reached from some ids, up to one above the limit.
    ///
    /// `next` returns the neighbours of an id; nil if it is not in the mempool.
    private static func reachable(
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
