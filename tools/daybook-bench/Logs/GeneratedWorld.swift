import Daybook
import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookNodes
import DaybookReplay
import TestSupport

/// The simulated environment of a store: callers, users, chains, and time.
///
/// It is a value, so that a repeated commit starts from the same world.
struct GeneratedWorld {
    var random: Seeded
    var utxo: [Chain: UTXOSandbox]
    var icon: ICONSandbox
    var time: UInt64
    /// Requests that have not been decided.
    var open: [RequestID] = []
    /// The transactions that the next block of each chain will confirm.
    var unconfirmed: [Chain: Unconfirmed] = [:]
    /// The number of requests; Connect's callers number theirs.
    var requests: UInt64 = 0
    private var days: UInt64 = 0
    let keys: Keys
    /// After so many requests the next day comes; nil if all follow each other.
    var requestsADay: UInt64?

    /// Unconfirmed transactions, their scripts, and how long they have waited.
    struct Unconfirmed {
        var since: UInt64
        var transactions: [Bytes] = []
        var scripts: [Bytes] = []
    }

    /// A generated log begins on 2026-01-01.
    static let beginning: UInt64 = 1_767_225_600_000_000
    /// The number of requests that are pending.
    private static let openRequests = 6
    /// A block is mined for this many transactions, or when one has waited for a minute.
    private static let blockTransactions = 8
    private static let blockMicroseconds: UInt64 = 60_000_000

    init(seed: UInt64) throws {
        random = Seeded(seed)
        keys = Keys(&random)
        time = Self.beginning
        utxo = [:]
        for chain in [Chain.dash, .axe] {
            guard let parameters = UTXOParameters.of(chain, .sandbox) else {
                throw LogWriteError("\(chain.rawValue) has no sandbox")
            }
            utxo[chain] = UTXOSandbox(MemoryRows(), parameters)
        }
        icon = ICONSandbox(MemoryRows())
    }

    /// Performs one step: a request arrives or a user decides, with everything that follows.
    mutating func step(_ scribe: inout Scribe, _ transaction: inout LogTransaction) throws {
        time += random.among(100_000...900_000)
        if let requestsADay, requests >= (days + 1) * requestsADay {
            days += 1
            time += 86_400_000_000
        }
        try passTime(&scribe, &transaction)
        if open.count < Self.openRequests || random.below(2) == 0 {
            try receive(&scribe, &transaction)
        } else {
            let id = open.remove(at: Int(random.below(UInt64(open.count))))
            try decide(id, &scribe, &transaction)
        }
        for chain in Chain.allCases {
            guard let waiting = unconfirmed[chain] else { continue }
            let isDue = waiting.since + Self.blockMicroseconds <= time
            if isDue || waiting.transactions.count >= Self.blockTransactions {
                try mine(chain, &scribe, &transaction)
            }
        }
    }

    /// Records that requests have expired, before anything else happens.
    private mutating func passTime(
        _ scribe: inout Scribe, _ transaction: inout LogTransaction
    ) throws {
        let first = transaction.state.pending.rows(limit: 1).first
        guard let first, first.key.first <= time else { return }
        try scribe.write(.timePassed(TimePassed()), at: time, to: &transaction)
        open.removeAll { transaction.state.request($0)?.status != .pending }
    }
}

extension GeneratedWorld {
    /// Gives every wallet more coins than it will spend, in one block of each chain.
    mutating func fund(_ scribe: inout Scribe, _ transaction: inout LogTransaction) throws {
        for (id, row) in transaction.state.wallets() {
            if row.wallet.chain.rules.ledger == .accounts {
                guard let holder = ICONAddress(row.address) else { continue }
                _ = try icon.fund(holder, loop: Self.icx, at: time)
                _ = try icon.fundTokens(holder, amount: Self.icx, at: time)
                continue
            }
            let text = transaction.state.nextAddress(id, account: 0, caller: nil)?.text ?? ""
            guard let address = UTXOAddress(text, chain: row.wallet.chain),
                var sandbox = utxo.removeValue(forKey: row.wallet.chain)
            else { continue }
            for _ in 0..<Self.coins { _ = try sandbox.fund(address, amount: Self.coinAmount) }
            utxo[row.wallet.chain] = sandbox
            unconfirmed[row.wallet.chain, default: Unconfirmed(since: time)].scripts
                .append(address.scriptPubKey)
        }
        for chain in Chain.allCases { try mine(chain, &scribe, &transaction) }
    }

    /// A payment reserves a coin until its block is mined: twice as many as can be unconfirmed.
    private static let coins = 16
    /// A thousand, in duffs.
    private static let coinAmount: UInt64 = 1_000 * Duffs.perCoin
    /// Ten million ICX or tokens, in loop.
    private static let icx = UInt256(10_000_000).multiplied(by: UInt256(Duffs.perCoin))?
        .multiplied(by: UInt256(10_000_000_000)) ?? .max

    /// Mines a block and records its changes.
    mutating func mine(
        _ chain: Chain, _ scribe: inout Scribe, _ transaction: inout LogTransaction
    ) throws {
        let touched = unconfirmed.removeValue(forKey: chain) ?? Unconfirmed(since: time)
        let news: [ChainObserved]
        if var sandbox = utxo.removeValue(forKey: chain) {
            sandbox.mine(1, at: time)
            news = [Self.news(of: sandbox, touched, transaction.state)]
            utxo[chain] = sandbox
        } else {
            icon.mine(1, at: time)
            var question = ChainQuery(chain, .sandbox, in: transaction.state)
            question.tokens = [ICONSandbox.token.text]
            news = icon.answer(to: question)
                .changes(from: transaction.state, forRequest: false)
        }
        for observed in news {
            try scribe.write(.chainObserved(observed), at: time, to: &transaction)
        }
    }

    /// The changes of the last block; a large wallet's other outputs are not compared.
    private static func news(
        of sandbox: UTXOSandbox, _ touched: Unconfirmed, _ state: State
    ) -> ChainObserved {
        let chain = sandbox.parameters.chain
        var question = ChainQuery()
        question.watched = touched.scripts.map { .init(address: "", script: $0, isUsed: true) }
        question.transactions = touched.transactions
        var mempool = KeptAnswers()
        let answer = sandbox.answer(to: question, &mempool)
        let known = state.chain(chain, .sandbox)
        var news = ChainObserved(chain: chain, network: .sandbox)
        news.height = answer.height
        news.tip = answer.tip
        if known.feeRate != answer.feeRate { news.feeRate = answer.feeRate }
        if known.instantSend != answer.instantSend { news.instantSend = answer.instantSend }
        news.transactions = answer.transactions
        news.outputs = answer.outputs.filter { output in
            (output.height == answer.height || output.spentHeight == answer.height)
                && state.owner(of: output.script, chain, .sandbox) != nil
        }
        return news
    }

    /// Asks the ICON network what a deferred request is resolved by.
    mutating func observe(
        for id: RequestID, _ request: Request, _ scribe: inout Scribe,
        _ transaction: inout LogTransaction
    ) throws {
        guard let wallet = transaction.state.candidates(for: request).first?.row.wallet,
            let question = ChainQuery(for: request, wallet, at: time, in: transaction.state)
        else { throw LogWriteError("request \(id) asks nothing of its chain") }
        time += random.among(5_000...50_000)
        let answer = icon.answer(to: question)
        for observed in answer.changes(from: transaction.state, forRequest: true) {
            try scribe.write(.chainObserved(observed), .at(id), at: time, to: &transaction)
        }
    }
}
