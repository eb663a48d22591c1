import DaybookChains
package import DaybookDomain
package import DaybookEncoding
package import DaybookNodes
package import DaybookSystem

/// The client of an embedded chain, which answers and refuses like a node.
package struct SandboxClient: ChainClient {
    let chain: Chain
    let chains: SandboxChains

    package func observe(
        _ query: ChainQuery, progress: ChainProgress?
    ) async throws(ChainFailure) -> ChainSnapshot {
        let answer: ChainSnapshot?
        do {
            answer =
                chain.rules.ledger == .accounts
                ? try await chains.lastICON { sandbox, now in
                    sandbox.switches.isSilent ? nil : Self.answer(query, sandbox, now)
                }
                : try await chains.lastUTXO(chain) { [mempool = chains.mempool] sandbox in
                    sandbox.switches.isSilent ? nil : Self.answer(query, sandbox, mempool)
                }
        } catch {
            throw ChainFailure(.unreachable, "\(error)")
        }
        guard let answer else { throw Self.silence }
        return answer
    }

    private static let silence = ChainFailure(.noAnswer, "the sandbox is told to be silent")

    package func transactions(_ ids: [Bytes]) async throws(ChainFailure) -> [Bytes] {
        guard chain.rules.ledger == .outputs else {
            guard let id = ids.first else { return [] }
            throw .missing(id)
        }
        // The switch for silence concerns only scans and sending.
        let found: [Bytes?]
        do {
            found = try await chains.lastUTXO(chain) { sandbox in
                ids.map { displayed in
                    TransactionID(displayed: displayed).flatMap(sandbox.transaction)
                }
            }
        } catch {
            throw ChainFailure(.unreachable, "\(error)")
        }
        var all: [Bytes] = []
        for (id, bytes) in zip(ids, found) {
            guard let bytes else { throw .missing(id) }
            all.append(bytes)
        }
        return all
    }

    package func broadcast(_ bytes: Bytes, txid: Bytes) async -> BroadcastAnswered {
        do {
            return chain.rules.ledger == .accounts
                ? try await chains.icon { sandbox, now in
                    Self.send(bytes, txid, &sandbox, at: now)
                }
                : try await chains.utxo(chain) { sandbox, _ in
                    Self.send(bytes, txid, &sandbox)
                }
        } catch {
            return BroadcastAnswered(answer: .unknown, message: "unreachable")
        }
    }

    // MARK: - Dash and Axe

    /// What a Dash or Axe chain answers.
    package static func answer(
        _ question: ChainQuery, _ sandbox: UTXOSandbox,
        _ mempool: Monitor<MempoolReports> = Monitor(MempoolReports())
    ) -> ChainSnapshot {
        var answer = ChainSnapshot(chain: sandbox.parameters.chain, network: .sandbox)
        let tip = sandbox.tip
        answer.height = UInt64(tip.height)
        answer.tip = tip.hash.displayed
        answer.feeRate = UTXOSandbox.feeRatePerKilobyte
        answer.instantSend = !sandbox.switches.withholdsLocks
        var asked = question.watched.filter { !question.skipped.contains($0.script) }
        var statuses: [TransactionID: UTXOStatus] = [:]
        if let known = question.tip { answer.since = since(known, sandbox) }
        if question.tip != nil, !question.watched.isEmpty {
            let rows = sandbox.rows(since: Int(clamping: answer.since))
            for report in mempool.change({ $0.reports(of: rows, on: answer.chain) }) {
                answer.outputs += report.outputs
                answer.spends += report.spends
                statuses[report.txid] = report.status
            }
            asked.removeAll(where: \.isUsed)
        }
        answer.take(sandbox.outputs(of: asked.map(\.script)))
        answer.transactions = question.transactions.compactMap { displayed in
            guard let txid = TransactionID(displayed: displayed) else { return nil }
            switch statuses[txid] ?? sandbox.status(of: txid) {
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
    private static func since(_ known: ChainQuery.Tip, _ sandbox: UTXOSandbox) -> UInt64 {
        guard let height = Int(exactly: known.height),
            let hash = sandbox.blockHash(at: height), hash.displayed == known.hash
        else { return 0 }
        return known.height + 1
    }

    /// What a Dash or Axe chain says to a transaction.
    package static func send(_ bytes: Bytes, _ txid: Bytes, _ sandbox: inout UTXOSandbox)
        -> BroadcastAnswered
    {
        switch sandbox.submit(bytes) {
        case .accepted: return BroadcastAnswered(answer: .accepted)
        case .silence: return BroadcastAnswered(answer: .unknown, message: "no answer")
        case .refused(let refusal):
            // A chain that has the transaction has accepted it, whatever the refusal says.
            let isKnown = TransactionID(displayed: txid)
                .map { sandbox.status(of: $0) != .unknown } ?? false
            if isKnown { return BroadcastAnswered(answer: .accepted) }
            let meaning = CoreRefusal(code: Int64(refusal.code), message: refusal.message)
            let lacksParent = meaning.parents(of: bytes)
                .contains { sandbox.status(of: $0) == .unknown }
            if lacksParent { return CoreRefusal.withoutParent.answer }
            // No real node gives this refusal: a user has set it with `setFault`.
            if meaning != .unclear { return meaning.answer }
            return BroadcastAnswered(
                answer: .refused, code: Int64(refusal.code), message: refusal.message)
        }
    }

    // MARK: - ICON

    /// What the ICON network answers.
    package static func answer(
        _ question: ChainQuery, _ sandbox: ICONSandbox, _ now: UInt64
    ) -> ChainSnapshot {
        var answer = ChainSnapshot(chain: .icon, network: .sandbox)
        let tip = sandbox.tip
        answer.height = tip.height
        answer.tip = tip.hash
        answer.steps = ChainObserved.Steps(
            price: ICONSandbox.stepPrice, transfer: ICONSandbox.steps.default,
            inputByte: ICONSandbox.steps.input, contractCall: ICONSandbox.steps.contractCall)
        let holders = question.addresses.compactMap { ICONAddress($0) }
        for holder in holders {
            answer.balances.append(
                .init(address: holder.text, asset: "ICX", amount: sandbox.balance(of: holder)))
        }
        for contract in question.tokens {
            guard let address = ICONAddress(contract), let token = token(address, sandbox) else {
                continue
            }
            answer.tokens.append(token)
            for holder in holders {
                let held = try? sandbox.ask(address, .balance(of: holder))
                let amount = held?.stringValue.flatMap(ICONInteger.parse) ?? .zero
                answer.balances.append(
                    .init(address: holder.text, asset: contract, amount: amount))
            }
        }
        answer.transactions = question.transactions.compactMap { status(of: $0, sandbox) }
        answer.estimate = question.estimate.flatMap { try? sandbox.estimateSteps($0) }
        return answer
    }

    private static func token(_ contract: ICONAddress, _ sandbox: ICONSandbox)
        -> ChainObserved.Token?
    {
        guard let symbol = (try? sandbox.ask(contract, .symbol))?.stringValue,
            let decimals = (try? sandbox.ask(contract, .decimals))?.stringValue
                .flatMap(ICONInteger.parseSmall)
        else { return nil }
        return ChainObserved.Token(contract: contract.text, symbol: symbol, decimals: decimals)
    }

    private static func status(of hash: Bytes, _ sandbox: ICONSandbox)
        -> ChainObserved.TransactionStatus?
    {
        switch sandbox.result(of: hash) {
        case .pending: .init(txid: hash, height: nil, locked: false)
        case .unknown: .init(txid: hash, height: nil, locked: false, isGone: true)
        case .executed(let receipt):
            .init(
                txid: hash, height: receipt.height, locked: false,
                failure: receipt.failure.map { "\($0.code): \($0.message)" }, fee: receipt.fee)
        }
    }

    /// What the ICON network says to a transaction.
    package static func send(
        _ bytes: Bytes, _ hash: Bytes, _ sandbox: inout ICONSandbox, at now: UInt64
    ) -> BroadcastAnswered {
        guard let params = try? JSON.parse(bytes) else {
            return BroadcastAnswered(answer: .refused, code: -32700, message: "ParseError")
        }
        switch sandbox.submit(params, at: now) {
        case .accepted: return BroadcastAnswered(answer: .accepted)
        case .nothing: return BroadcastAnswered(answer: .unknown, message: "no answer")
        case .refused(let refusal):
            return sandbox.result(of: hash) != .unknown
                ? BroadcastAnswered(answer: .accepted)
                : BroadcastAnswered(
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

/// What answers say of the transactions in the mempool, kept from one answer to the next.
///
/// Every answer lists the whole mempool, of which few transactions are new.
package struct MempoolReports {
    private var known: [Chain: [TransactionID: TransactionReport]] = [:]

    package init() {}

    /// What an answer says of some transactions; a known one is decoded again if its row differs.
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

/// What an answer says of a transaction: all of its outputs and spends.
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
