import DaybookChains
import DaybookDomain
import DaybookEncoding

/// One question on its way through the calls that answer it.
///
/// There are three steps, each of which asks all that it needs at once: who the node is and what
/// became of transactions, then the balances, then the transactions again and the last block.
struct ICONObservation {
    private let node: ICONNode
    private let question: ChainQuery
    private let holders: [ICONAddress]
    private var steps: StepCount

    /// Balances and transactions are looked at no more often than this.
    static let mostLooks = 5

    init(_ node: ICONNode, _ question: ChainQuery, _ progress: ChainProgress?) {
        self.node = node
        self.question = question
        steps = StepCount(progress)
        holders = question.addresses.compactMap { ICONAddress($0) }.withoutRepeats
        // Of a token the symbol and the decimals.
        steps.expect(
            4 + 2 * question.tokens.count + question.transactions.count + callsOfLook)
    }

    /// Balances, transactions and the last block.
    private var callsOfLook: Int {
        holders.count * (1 + question.tokens.count) + question.transactions.count + 1
    }

    /// Makes the calls; throws when one brings nothing usable.
    mutating func answer() async throws(ChainFailure) -> ChainSnapshot {
        let start = try await begin()
        let look = try await settledLook(start)
        var answer = ChainSnapshot(chain: .icon, network: node.network)
        answer.identity = start.identity
        answer.steps = start.steps
        answer.height = look.tip.height
        answer.tip = look.tip.hash
        answer.transactions = look.transactions
        answer.balances = look.balances
        answer.tokens = look.tokens.map(\.description)
        answer.estimate = try await estimate(start.steps)
        steps.finishAll()
        return answer
    }

    // MARK: - The network

    /// What does not depend on the moment, and where the transactions stand.
    private struct Start {
        let identity: String
        let steps: ChainObserved.Steps
        let tokens: [Token]
        let transactions: [ChainObserved.TransactionStatus]
    }

    private mutating func begin() async throws(ChainFailure) -> Start {
        var batch = RPCBatch()
        let network = batch.add(ICONCalls.networkID)
        let price = batch.add(ICONCalls.stepPrice)
        let costs = batch.add(ICONCalls.stepCosts)
        let second = node.network == .mainnet ? nil : batch.add(ICONCalls.block(at: 1))
        let last = question.tip.map { ($0, batch.add(ICONCalls.block(at: $0.height))) }
        let contracts = question.tokens.compactMap { text -> TokenCalls? in
            guard let contract = ICONAddress(text), contract.kind == .contract else { return nil }
            return TokenCalls(contract, addingTo: &batch)
        }
        let statuses = question.transactions.map { batch.add(ICONCalls.status(of: $0)) }
        let answers = try await node.calls.answers(to: batch)
        let nid = try answers.value(network)
        try node.require(nid, among: question.networkIDs)
        var identity = ChainIdentity("nid \(ICONInteger.text(nid))")
        if let second { identity.note(try answers.value(second)) }
        if let (tip, place) = last, let hash = try answers.value(place), hash != tip.hash {
            throw ChainFailure(
                .wrongChain,
                "the node's chain is another one of the same name: its block \(tip.height) is not"
                    + " the one that was recorded")
        }
        let cost = try answers.value(costs)
        var tokens: [Token] = []
        for contract in contracts {
            if let token = try contract.token(answers) { tokens.append(token) }
        }
        var transactions: [ChainObserved.TransactionStatus] = []
        for status in statuses {
            if let status = try answers.value(status) { transactions.append(status) }
        }
        steps.finish(4 + 2 * question.tokens.count + question.transactions.count)
        return Start(
            identity: try identity.text(goingOnFrom: question.identity),
            steps: ChainObserved.Steps(
                price: try answers.value(price), transfer: cost.default, inputByte: cost.input,
                contractCall: cost.contractCall),
            tokens: tokens, transactions: transactions)
    }

    // MARK: - Balances and transactions

    /// What was seen between two equal looks at the transactions.
    private struct Look {
        var transactions: [ChainObserved.TransactionStatus]
        var balances: [ChainObserved.Balance] = []
        var tokens: [Token] = []
        var tip: ICONBlockHeader
    }

    /// Looks until nothing moved meanwhile: a balance without what became of the transactions
    /// that changed it would be taken for a payment.
    private mutating func settledLook(_ start: Start) async throws(ChainFailure) -> Look {
        var before = start.transactions
        var behind: UInt64?
        for number in 1...Self.mostLooks {
            if number > 1 { steps.expect(callsOfLook) }
            let look = try await look(at: start.tokens)
            // Behind one address there may be several nodes, some a block behind the others.
            behind = question.tip.flatMap { $0.height > look.tip.height ? look.tip.height : nil }
            let isBelowTip = look.transactions.allSatisfy { $0.height ?? 0 <= look.tip.height }
            if look.transactions == before, isBelowTip, behind == nil { return look }
            before = look.transactions
        }
        if let behind, let tip = question.tip {
            throw ChainFailure(
                .syncing,
                "the node has come to block \(behind), and block \(tip.height) was seen before")
        }
        throw ChainFailure(
            .unsettled, "transactions changed during each of \(Self.mostLooks) looks at balances")
    }

    private mutating func look(at tokens: [Token]) async throws(ChainFailure) -> Look {
        var batch = RPCBatch()
        let held = holders.map { ($0, batch.add(ICONCalls.balance(of: $0))) }
        let ofTokens = tokens.map { token in
            holders.map { ($0, batch.add(ICONCalls.ask(token.contract, .balance(of: $0)))) }
        }
        var balances: [ChainObserved.Balance] = []
        var answering: [Token] = []
        if !batch.calls.isEmpty {
            let answers = try await node.calls.answers(to: batch)
            for (holder, place) in held {
                let amount = try answers.value(place)
                balances.append(.init(address: holder.text, asset: "ICX", amount: amount))
            }
            for (token, places) in zip(tokens, ofTokens) {
                guard let held = try Self.balances(of: token, places, answers) else { continue }
                balances += held
                answering.append(token)
            }
        }
        steps.finish(holders.count * (1 + question.tokens.count))
        let (after, tip) = try await end()
        return Look(transactions: after, balances: balances, tokens: answering, tip: tip)
    }

    /// Where the transactions stand behind the balances, and the last block.
    private mutating func end() async throws(ChainFailure)
        -> ([ChainObserved.TransactionStatus], ICONBlockHeader)
    {
        var batch = RPCBatch()
        let statuses = question.transactions.map { batch.add(ICONCalls.status(of: $0)) }
        let last = batch.add(ICONCalls.lastBlock)
        let answers = try await node.calls.answers(to: batch)
        var transactions: [ChainObserved.TransactionStatus] = []
        for status in statuses {
            if let status = try answers.value(status) { transactions.append(status) }
        }
        let tip = try answers.value(last)
        try ICONClock.check(tip, at: node.clock())
        steps.finish(question.transactions.count + 1)
        return (transactions, tip)
    }

    // MARK: - Tokens

    /// A contract that says what its tokens are called.
    private struct Token {
        let contract: ICONAddress
        let symbol: String
        let decimals: UInt64

        var description: ChainObserved.Token {
            .init(contract: contract.text, symbol: symbol, decimals: decimals)
        }
    }

    /// The calls that tell whether a contract is a token; others are left out.
    private struct TokenCalls {
        let contract: ICONAddress
        let symbol: RPCBatch.Place<JSON?>
        let decimals: RPCBatch.Place<JSON?>

        init(_ contract: ICONAddress, addingTo batch: inout RPCBatch) {
            self.contract = contract
            symbol = batch.add(ICONCalls.ask(contract, .symbol))
            decimals = batch.add(ICONCalls.ask(contract, .decimals))
        }

        func token(_ answers: RPCAnswers) throws(ChainFailure) -> Token? {
            guard let symbol = try answers.value(symbol)?.stringValue,
                (1...ICONObservation.longestSymbol).contains(symbol.utf8.count),
                !symbol.utf8.contains(0),
                let decimals = try answers.value(decimals)?.stringValue
                    .flatMap(ICONInteger.parseSmall),
                decimals <= ICONObservation.mostDecimals
            else { return nil }
            return Token(contract: contract, symbol: symbol, decimals: decimals)
        }
    }

    /// What the addresses hold of a token; nil when the contract does not tell of each.
    private static func balances(
        of token: Token, _ places: [(ICONAddress, RPCBatch.Place<JSON?>)], _ answers: RPCAnswers
    ) throws(ChainFailure) -> [ChainObserved.Balance]? {
        var balances: [ChainObserved.Balance] = []
        for (holder, place) in places {
            guard let amount = ICONCalls.amount(try answers.value(place)) else { return nil }
            balances.append(
                .init(address: holder.text, asset: token.contract.text, amount: amount))
        }
        return balances
    }

    /// Bytes of a symbol that are still taken; those in use have a handful.
    fileprivate static let longestSymbol = 64
    /// With more decimals not even one whole token would be an amount.
    fileprivate static let mostDecimals: UInt64 = 77

    // MARK: - Steps

    /// The steps that the transaction asked about will use; nil without a believable estimate.
    ///
    /// Only contracts need one: what anything else uses follows from the step costs.
    private func estimate(_ steps: ChainObserved.Steps) async throws(ChainFailure) -> UInt64? {
        guard let transaction = question.estimate,
            let to = transaction["to"]?.stringValue.flatMap({ ICONAddress($0) }),
            to.kind == .contract
        else { return nil }
        let estimate: UInt64
        do {
            estimate = try await node.calls.estimate(transaction)
        } catch {
            // The prompt says that there is none; a contract's no shows in its own time.
            return nil
        }
        let costs = ICONSteps(
            default: steps.transfer, input: steps.inputByte, contractCall: steps.contractCall)
        let least = costs.minimum(dataSize: ICONSteps.dataSize(of: transaction))
        guard let least, estimate >= least else { return nil }
        return estimate <= (try await node.calls.value(ICONCalls.mostSteps)) ? estimate : nil
    }
}

extension [ICONAddress] {
    /// The addresses, each where it stands first.
    fileprivate var withoutRepeats: [ICONAddress] {
        var seen: Set<ICONAddress> = []
        return filter { seen.insert($0).inserted }
    }
}
