import DaybookChains
package import DaybookDomain
package import DaybookEncoding

/// The answers of a client.
extension UTXOSandbox {
    /// The answer to a query, which keeps some of its parts for the next one.
    package func answer(
        to question: ChainQuery, _ kept: inout KeptAnswers
    ) -> ChainSnapshot {
        var answer = ChainSnapshot(chain: parameters.chain, network: parameters.network)
        let tip = self.tip
        answer.height = UInt64(tip.height)
        answer.tip = tip.hash.displayed
        answer.feeRate = Self.feeRatePerKilobyte
        answer.instantSend = !switches.withholdsLocks
        var statuses: [TransactionID: UTXOStatus] = [:]
        if let known = question.tip {
            let since = since(known, tip)
            answer.continuesTip = since > 0
            answer.since = question.isWhole ? 0 : since
        }
        if question.tip != nil, !question.watched.isEmpty {
            let rows = rows(since: Int(clamping: answer.since), upTo: tip)
            for report in kept.reports(of: rows, on: answer.chain) {
                answer.outputs += report.outputs
                answer.spends += report.spends
                statuses[report.txid] = report.status
            }
        }
        let unpaid = question.tip == nil ? [] : kept.unpaid(on: self, tip, since: answer.since)
        var scripts: [Bytes] = []
        var news: [Bytes] = []
        for address in question.watched where question.tip == nil || !address.isUsed {
            if !question.skipped.isEmpty, question.skipped.contains(address.script) { continue }
            scripts.append(address.script)
            if !unpaid.contains(address.script) { news.append(address.script) }
        }
        answer.take(outputs(of: news))
        kept.note(news.isEmpty ? unpaid : Set(scripts), in: answer, tip)
        answer.transactions = question.transactions.compactMap { displayed in
            guard let txid = TransactionID(displayed: displayed) else { return nil }
            switch statuses[txid] ?? status(of: txid) {
            case .unknown: return nil
            case .inMempool(let isLocked):
                return .init(txid: displayed, height: nil, locked: isLocked)
            case .inBlock(let height, let isLocked):
                return .init(txid: displayed, height: UInt64(height), locked: isLocked)
            }
        }
        return answer
    }

    /// The first block after the last tip; zero if that is no longer of the chain.
    private func since(_ known: ChainQuery.Tip, _ tip: UTXOTip) -> UInt64 {
        guard let height = Int(exactly: known.height),
            let hash = height == tip.height ? tip.hash : blockHash(at: height),
            hash.displayed == known.hash
        else { return 0 }
        return known.height + 1
    }

    /// Sends a transaction to the chain, and answers as the client of a node would.
    package mutating func send(_ bytes: Bytes, txid: Bytes) -> BroadcastAnswered {
        switch submit(bytes) {
        case .accepted: return BroadcastAnswered(answer: .accepted)
        case .silence: return BroadcastAnswered(answer: .unknown, message: "no answer")
        case .refused(let refusal):
            // A chain that has the transaction has accepted it, whatever the refusal says.
            let isKnown = TransactionID(displayed: txid)
                .map { status(of: $0) != .unknown } ?? false
            if isKnown { return BroadcastAnswered(answer: .accepted) }
            let meaning = CoreRefusal(code: Int64(refusal.code), message: refusal.message)
            let lacksParent = meaning.parents(of: bytes)
                .contains { status(of: $0) == .unknown }
            if lacksParent { return CoreRefusal.withoutParent.answer }
            // No real node gives this refusal: a user has set it with `setFault`.
            if meaning != .unclear { return meaning.answer }
            return BroadcastAnswered(
                answer: .refused, code: Int64(refusal.code), message: refusal.message)
        }
    }
}

extension ChainSnapshot {
    /// Adds outputs of older blocks, with their spenders.
    fileprivate mutating func take(_ found: [UTXOOutput]) {
        let listed = Set(outputs.map(\.outpoint))
        outputs += found.filter { !listed.contains($0.outpoint) }.map { output in
            ChainObserved.Output(
                outpoint: output.outpoint, script: output.script, amount: output.amount,
                height: output.height.map { UInt64($0) }, coinbase: output.isCoinbase,
                spentBy: output.spender.map { $0.txid.displayed },
                spentHeight: output.spender?.height.map { UInt64($0) })
        }
    }
}

/// The values that are kept from one answer to the next.
///
/// Every answer lists the whole mempool, of which few transactions are new. Every question asks
/// about all unused addresses, nearly none of which was paid since the last one.
package struct KeptAnswers {
    private var known: [Chain: [TransactionID: TransactionReport]] = [:]
    /// Scripts that no block up to a tip pays.
    private var unpaid: [Chain: (tip: UTXOTip, scripts: Set<Bytes>)] = [:]

    package init() {}

    /// The scripts that no block before `since` pays; the answer lists what came after that.
    fileprivate func unpaid(
        on sandbox: UTXOSandbox, _ tip: UTXOTip, since: UInt64
    ) -> Set<Bytes> {
        guard let (known, scripts) = unpaid[sandbox.parameters.chain],
            since <= UInt64(known.height) + 1, known.height <= tip.height,
            known == tip || sandbox.blockHash(at: known.height) == known.hash
        else { return [] }
        return scripts
    }

    /// Keeps those of the scripts asked about that no block of an answer pays.
    fileprivate mutating func note(
        _ asked: Set<Bytes>, in answer: ChainSnapshot, _ tip: UTXOTip
    ) {
        var scripts = asked
        for output in answer.outputs where output.height != nil { scripts.remove(output.script) }
        unpaid[answer.chain] = (tip, scripts)
    }

    /// The parts of an answer about some transactions; each is decoded again if its row differs.
    fileprivate mutating func reports(
        of rows: [(txid: TransactionID, row: Bytes)], on chain: Chain
    ) -> [TransactionReport] {
        let before = known[chain] ?? [:]
        let reports = rows.compactMap { txid, row in
            if let known = before[txid], known.row == row { return known }
            return UTXOListing(txid, row: row).map { TransactionReport($0, row: row) }
        }
        let pooled = reports.lazy.filter { $0.status.height == nil }.map { ($0.txid, $0) }
        known[chain] = Dictionary(pooled) { _, last in last }
        return reports
    }
}

/// The part of an answer about a transaction: all of its outputs and spends.
private struct TransactionReport {
    let row: Bytes
    let txid: TransactionID
    let status: UTXOStatus
    let outputs: [ChainObserved.Output]
    let spends: [ChainSnapshot.Spend]

    init(_ listing: UTXOListing, row: Bytes) {
        self.row = row
        (txid, status) = (listing.txid, listing.status)
        let transaction = listing.transaction
        let (txid, height) = (txid, status.height.map { UInt64($0) })
        outputs = transaction.outputs.enumerated().map { index, output in
            ChainObserved.Output(
                outpoint: Outpoint(txid, UInt32(index)), script: output.script,
                amount: output.amount, height: height, coinbase: transaction.isCoinbase)
        }
        let displayed = txid.displayed
        // The chain checked each signature and its key when it took the transaction.
        spends = transaction.isCoinbase ? [] : transaction.inputs.enumerated().map { index, input in
            ChainSnapshot.Spend(
                outpoint: input.outpoint, spender: displayed, height: height,
                script: transaction.claimedScript(input: index))
        }
    }
}
