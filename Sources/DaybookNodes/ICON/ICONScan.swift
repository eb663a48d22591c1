import DaybookChains
import DaybookDomain
import DaybookEncoding

/// One scan of an ICON network for a query's addresses, tokens and transactions.
///
/// There are three steps, each of them one batch: the network and the transactions, the balances,
/// and the transactions again with the last block.
struct ICONScan {
    private let node: ICONNode
    private let query: ChainQuery
    private let holders: [ICONAddress]
    private var steps: StepCount

    /// How often balances and transactions are read until they are consistent.
    static let maximumAttempts = 5

    init(_ node: ICONNode, _ query: ChainQuery, _ progress: ChainProgress?) {
        self.node = node
        self.query = query
        steps = StepCount(progress)
        holders = query.addresses.compactMap { ICONAddress($0) }.withoutRepeats
        // Two calls for each token: its symbol and its decimals.
        steps.expect(
            4 + 2 * query.tokens.count + query.transactions.count + callsOfReading)
    }

    /// The calls for balances, transactions and the last block.
    private var callsOfReading: Int {
        holders.count * (1 + query.tokens.count) + query.transactions.count + 1
    }

    /// Makes the calls; throws if one of the answers is not usable.
    mutating func run() async throws(ChainFailure) -> ChainSnapshot {
        let start = try await begin()
        let reading = try await consistentReading(start)
        var snapshot = ChainSnapshot(chain: .icon, network: node.network)
        snapshot.identity = start.identity
        snapshot.continuesTip = query.tip != nil
        snapshot.iconFees = start.fees
        snapshot.height = reading.tip.height
        snapshot.tip = reading.tip.hash
        snapshot.transactions = reading.transactions
        snapshot.balances = reading.balances
        snapshot.tokens = reading.tokens.map(\.description)
        snapshot.setAside = (start.unclear + reading.unclear).inOrder
        if let fees = start.fees { snapshot.estimate = try await estimate(fees.steps) }
        steps.finishAll()
        return snapshot
    }

    // MARK: - The network

    /// The network's terms, the tokens, and the state of the transactions at the beginning.
    private struct Start {
        let identity: String
        /// Nil if the price or the costs were not understood.
        let fees: ICONFees?
        let tokens: [Token]
        let transactions: [ChainObserved.TransactionStatus]
        let unclear: [SetAside]
    }

    private mutating func begin() async throws(ChainFailure) -> Start {
        var batch = RPCBatch()
        let chain = ICONNode.ChainCalls(node.network, query, addingTo: &batch)
        let price = batch.add(ICONCalls.stepPrice)
        let costs = batch.add(ICONCalls.stepCosts)
        let contracts = query.tokens.compactMap { text -> TokenCalls? in
            guard let contract = ICONAddress(text), contract.kind == .contract else { return nil }
            return TokenCalls(contract, addingTo: &batch)
        }
        let outcomes = query.transactions.map { ($0, batch.add(ICONCalls.outcome(of: $0))) }
        let answers = try await node.calls.answers(to: batch)
        try node.require(try answers.value(chain.networkID), among: query.networkIDs)
        let identity = try chain.identity(answers, continuing: query)
        let (tokens, notTokens) = try Self.tokens(contracts, answers)
        steps.finish(4 + 2 * query.tokens.count + query.transactions.count)
        var fees: ICONFees?
        if let amount = try answers.unlessUnclear(price),
            let cost = try answers.unlessUnclear(costs)
        {
            fees = ICONFees(price: amount, steps: cost)
        }
        let noFees = "the node's answer is no price of a step, or no costs in steps"
        return Start(
            identity: identity, fees: fees,
            tokens: tokens, transactions: try Self.statuses(outcomes, answers).statuses,
            unclear: notTokens + (fees == nil ? [SetAside(.stepPrice, because: noFees)] : []))
    }

    /// The tokens among some contracts, and the contracts that do not answer as a token.
    private static func tokens(
        _ contracts: [TokenCalls], _ answers: RPCAnswers
    ) throws(ChainFailure) -> ([Token], [SetAside]) {
        var (tokens, others): ([Token], [SetAside]) = ([], [])
        for contract in contracts {
            if let token = try contract.token(answers) {
                tokens.append(token)
            } else {
                others.append(
                    SetAside(
                        .token, address: contract.contract.text,
                        because: "the contract tells no decimals of a token"))
            }
        }
        return (tokens, others)
    }

    /// The states of the transactions that the node knows, and what of them was not understood.
    private static func statuses(
        _ outcomes: [(txid: Bytes, pending: RPCBatch.Pending<ICONCalls.Outcome?>)],
        _ answers: RPCAnswers
    ) throws(ChainFailure) -> (
        statuses: [ChainObserved.TransactionStatus], unclear: [SetAside]
    ) {
        var statuses: [ChainObserved.TransactionStatus] = []
        var unclear: [SetAside] = []
        for (txid, pending) in outcomes {
            guard let outcome = try answers.value(pending) else { continue }
            if let status = outcome.status { statuses.append(status) }
            guard let reason = outcome.unclear else { continue }
            unclear.append(
                SetAside(
                    .result, txid: txid, height: outcome.status?.height, because: reason))
        }
        return (statuses, unclear)
    }

    // MARK: - Balances and transactions

    /// Balances, and the transactions as they were right after the balances were read.
    private struct Reading {
        var transactions: [ChainObserved.TransactionStatus]
        var balances: [ChainObserved.Balance] = []
        var tokens: [Token] = []
        var unclear: [SetAside]
        var tip: ICONBlockHeader
    }

    /// Reads until the transactions are the same before and after the balances.
    ///
    /// A balance without the transaction that changed it would be taken for an incoming payment.
    private mutating func consistentReading(
        _ start: Start
    ) async throws(ChainFailure) -> Reading {
        var before = start.transactions
        var behind: UInt64?
        for number in 1...Self.maximumAttempts {
            if number > 1 { steps.expect(callsOfReading) }
            let reading = try await read(start.tokens)
            // One URL can be served by several nodes, of which some lag a block behind.
            let tip = reading.tip.height
            behind = query.tip.flatMap { $0.height > tip ? tip : nil }
            let isBelowTip = reading.transactions.allSatisfy { $0.height ?? 0 <= tip }
            if reading.transactions == before, isBelowTip, behind == nil { return reading }
            before = reading.transactions
        }
        if let behind, let tip = query.tip {
            throw ChainFailure(
                .syncing,
                "the node has come to block \(behind), and block \(tip.height) was seen before")
        }
        throw ChainFailure(
            .unsettled,
            "transactions changed during each of \(Self.maximumAttempts) looks at balances")
    }

    private mutating func read(_ tokens: [Token]) async throws(ChainFailure) -> Reading {
        var batch = RPCBatch()
        let held = holders.map { ($0, batch.add(ICONCalls.balance(of: $0))) }
        let ofTokens = tokens.map { token in
            holders.map { ($0, batch.add(ICONCalls.ask(token.contract, .balance(of: $0)))) }
        }
        var balances: [ChainObserved.Balance] = []
        var answering: [Token] = []
        var unclear: [SetAside] = []
        if !batch.calls.isEmpty {
            let answers = try await node.calls.answers(to: batch)
            for (holder, pending) in held {
                guard let amount = try answers.unlessUnclear(pending) else {
                    unclear.append(
                        SetAside(
                            .balance, address: holder.text,
                            because: "the node's answer is no amount"))
                    continue
                }
                balances.append(.init(address: holder.text, asset: "ICX", amount: amount))
            }
            for (token, pending) in zip(tokens, ofTokens) {
                guard let held = try Self.balances(of: token, pending, answers) else {
                    unclear.append(
                        SetAside(
                            .token, address: token.contract.text,
                            because: "the contract tells no balance that a token can have"))
                    continue
                }
                balances += held
                answering.append(token)
            }
        }
        steps.finish(holders.count * (1 + query.tokens.count))
        let (after, unclearResults, tip) = try await end()
        return Reading(
            transactions: after, balances: balances, tokens: answering,
            unclear: unclear + unclearResults, tip: tip)
    }

    /// The state of the transactions after the balances, and the last block.
    private mutating func end() async throws(ChainFailure)
        -> ([ChainObserved.TransactionStatus], [SetAside], ICONBlockHeader)
    {
        var batch = RPCBatch()
        let outcomes = query.transactions.map { ($0, batch.add(ICONCalls.outcome(of: $0))) }
        let last = batch.add(ICONCalls.lastBlock)
        let answers = try await node.calls.answers(to: batch)
        let (statuses, unclear) = try Self.statuses(outcomes, answers)
        let tip = try answers.value(last)
        try ICONClock.check(tip, at: node.clock())
        steps.finish(query.transactions.count + 1)
        return (statuses, unclear, tip)
    }

    // MARK: - Tokens

    /// A token contract with its symbol and decimals.
    private struct Token {
        let contract: ICONAddress
        /// Empty if the contract tells none that can be read; amounts do not depend on it.
        let symbol: String
        let decimals: UInt64

        var description: ChainObserved.Token {
            .init(contract: contract.text, symbol: symbol, decimals: decimals)
        }
    }

    /// The calls that show whether a contract is a token.
    private struct TokenCalls {
        let contract: ICONAddress
        let symbol: RPCBatch.Pending<JSON?>
        let decimals: RPCBatch.Pending<JSON?>

        init(_ contract: ICONAddress, addingTo batch: inout RPCBatch) {
            self.contract = contract
            symbol = batch.add(ICONCalls.ask(contract, .symbol))
            decimals = batch.add(ICONCalls.ask(contract, .decimals))
        }

        func token(_ answers: RPCAnswers) throws(ChainFailure) -> Token? {
            let name = try answers.value(symbol)?.stringValue ?? ""
            guard
                let decimals = try answers.value(decimals)?.stringValue
                    .flatMap(ICONInteger.parseSmall),
                decimals <= ICONScan.maximumDecimals
            else { return nil }
            let isSymbol = name.utf8.count <= ICONScan.maximumSymbolBytes && !name.utf8.contains(0)
            return Token(
                contract: contract, symbol: isSymbol ? name : "", decimals: decimals)
        }
    }

    /// The addresses' balances of a token; nil if the contract does not answer for each of them.
    private static func balances(
        of token: Token, _ pending: [(ICONAddress, RPCBatch.Pending<JSON?>)], _ answers: RPCAnswers
    ) throws(ChainFailure) -> [ChainObserved.Balance]? {
        var balances: [ChainObserved.Balance] = []
        for (holder, call) in pending {
            guard let amount = ICONCalls.amount(try answers.value(call)) else { return nil }
            balances.append(
                .init(address: holder.text, asset: token.contract.text, amount: amount))
        }
        return balances
    }

    /// The most bytes of a symbol; those in use have three to five.
    fileprivate static let maximumSymbolBytes = 64
    /// With more decimals, one whole token would not fit into 256 bits.
    fileprivate static let maximumDecimals: UInt64 = 77

    // MARK: - Steps

    /// The estimated steps of the query's transaction; nil without a believable estimate.
    ///
    /// Only calls of contracts need one; the steps of other transactions follow from the costs.
    private func estimate(_ steps: ICONSteps) async throws(ChainFailure) -> UInt64? {
        guard let transaction = query.estimate,
            let to = transaction["to"]?.stringValue.flatMap({ ICONAddress($0) }),
            to.kind == .contract
        else { return nil }
        let estimate: UInt64
        do {
            estimate = try await node.calls.estimate(transaction)
        } catch {
            // The prompt then says that there is no estimate.
            return nil
        }
        guard let least = steps.least(for: transaction), estimate >= least else { return nil }
        do {
            let most = try await node.calls.value(ICONCalls.maximumSteps)
            return estimate <= most ? estimate : nil
        } catch {
            guard error.isUnclear else { throw error }
            return nil
        }
    }
}

extension [ICONAddress] {
    /// The addresses without duplicates, in their order.
    fileprivate var withoutRepeats: [ICONAddress] {
        var seen: Set<ICONAddress> = []
        return filter { seen.insert($0).inserted }
    }
}
