import DaybookChains
import DaybookDomain
import DaybookEncoding

/// One question on its way through the calls that answer it.
struct ICONObservation {
    private let node: ICONNode
    private let question: ChainQuestion
    private let holders: [ICONAddress]
    private let progress: ChainProgress?
    private var done = 0
    private var all: Int

    /// Balances and transactions are looked at no more often than this.
    static let mostLooks = 5

    init(_ node: ICONNode, _ question: ChainQuestion, _ progress: ChainProgress?) {
        self.node = node
        self.question = question
        self.progress = progress
        holders = question.addresses.compactMap { ICONAddress($0) }.withoutRepeats
        let calls = holders.count + 2 * question.transactions.count
        // The network's id, the step price, the step costs, the tip; two calls name a token.
        all = 4 + calls + question.tokens.count * (2 + holders.count)
    }

    /// Makes the calls; throws when one brings nothing usable.
    mutating func answer() async throws(ChainFailure) -> ChainAnswer {
        var answer = ChainAnswer(chain: .icon, network: node.network)
        let nid = try await node.identify(question.networkIDs)
        answer.identity = "nid \(ICONInteger.text(nid))"
        count()
        let steps = try await node.calls.steps()
        answer.steps = steps
        count(2)
        let tokens = try await tokens()
        let look = try await settledLook(at: tokens)
        answer.height = look.tip.height
        answer.tip = look.tip.hash
        answer.transactions = look.transactions
        answer.balances = look.balances
        answer.tokens = look.tokens.map(\.description)
        answer.estimate = try await estimate(steps)
        progress?(all, all)
        return answer
    }

    private mutating func count(_ calls: Int = 1) {
        done += calls
        progress?(done, all)
    }

    // MARK: - Balances and transactions

    /// What was seen between two equal looks at the transactions.
    private struct Look {
        var transactions: [ChainObserved.TransactionStatus]
        var balances: [ChainObserved.Balance] = []
        var tokens: [Token] = []
        var tip: ICONBlock
    }

    /// Looks until nothing moved meanwhile: a balance without what became of the transactions
    /// that changed it would be taken for a payment.
    private mutating func settledLook(at tokens: [Token]) async throws(ChainFailure) -> Look {
        for number in 1...Self.mostLooks {
            if number > 1 {
                all += 1 + holders.count * (1 + tokens.count) + 2 * question.transactions.count
            }
            if let look = try await look(at: tokens) { return look }
        }
        throw ChainFailure(
            .unsettled, "transactions changed during each of \(Self.mostLooks) looks at balances")
    }

    private mutating func look(at tokens: [Token]) async throws(ChainFailure) -> Look? {
        let before = try await transactions()
        var balances: [ChainObserved.Balance] = []
        for holder in holders {
            let amount = try await node.calls.balance(of: holder)
            balances.append(.init(address: holder.text, asset: "ICX", amount: amount))
            count()
        }
        var answering: [Token] = []
        for token in tokens {
            guard let held = try await self.balances(of: token) else { continue }
            balances += held
            answering.append(token)
        }
        let after = try await transactions()
        let tip = try await node.calls.lastBlock()
        try ICONClock.check(tip, at: node.clock())
        count()
        // Behind one address there may be several nodes, some of them a block behind the others.
        let isBelowTip = after.allSatisfy { $0.height ?? 0 <= tip.height }
        guard before == after, isBelowTip else { return nil }
        return Look(transactions: after, balances: balances, tokens: answering, tip: tip)
    }

    private mutating func transactions() async throws(ChainFailure)
        -> [ChainObserved.TransactionStatus]
    {
        var statuses: [ChainObserved.TransactionStatus] = []
        for hash in question.transactions {
            if let status = try await node.calls.status(of: hash) { statuses.append(status) }
            count()
        }
        return statuses
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

    /// The contracts asked about that are tokens; others are left out.
    private mutating func tokens() async throws(ChainFailure) -> [Token] {
        var tokens: [Token] = []
        for text in question.tokens {
            if let contract = ICONAddress(text), contract.kind == .contract,
                let token = try await token(contract)
            {
                tokens.append(token)
                count(2)
            } else {
                count(2 + holders.count)
            }
        }
        return tokens
    }

    private func token(_ contract: ICONAddress) async throws(ChainFailure) -> Token? {
        guard let symbol = try await node.calls.ask(contract, .symbol)?.stringValue,
            (1...Self.longestSymbol).contains(symbol.utf8.count), !symbol.utf8.contains(0),
            let decimals = try await node.calls.ask(contract, .decimals)?.stringValue
                .flatMap(ICONInteger.parseSmall),
            decimals <= Self.mostDecimals
        else { return nil }
        return Token(contract: contract, symbol: symbol, decimals: decimals)
    }

    /// What the addresses hold of a token; nil when the contract does not tell of each.
    private mutating func balances(of token: Token) async throws(ChainFailure)
        -> [ChainObserved.Balance]?
    {
        var balances: [ChainObserved.Balance] = []
        var isTold = true
        for holder in holders {
            if isTold {
                let held = try await node.calls.ask(token.contract, .balance(of: holder))
                if let amount = ICONCalls.amount(held) {
                    let asset = token.contract.text
                    balances.append(.init(address: holder.text, asset: asset, amount: amount))
                } else {
                    isTold = false
                }
            }
            count()
        }
        return isTold ? balances : nil
    }

    /// Bytes of a symbol that are still taken; those in use have a handful.
    private static let longestSymbol = 64
    /// With more decimals not even one whole token would be an amount.
    private static let mostDecimals: UInt64 = 77

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
        return estimate <= (try await node.calls.mostSteps()) ? estimate : nil
    }
}

extension [ICONAddress] {
    /// The addresses, each where it stands first.
    fileprivate var withoutRepeats: [ICONAddress] {
        var seen: Set<ICONAddress> = []
        return filter { seen.insert($0).inserted }
    }
}
