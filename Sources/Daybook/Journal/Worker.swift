import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookNodes

/// Does outside what the state says remains to be done, and records what came of it.
///
/// Signing is not its business: it needs an unlocked wallet, and so the user.
struct Worker {
    let journal: Journal
    let nodes: Nodes
    let underway: Underway
    let turns: any Turns
    let clock: @Sendable () -> UInt64
    let pause: @Sendable (_ seconds: Int) async throws -> Void
    let probe: Probe?

    /// Does everything that needs no key, until nothing of it remains or a node is silent.
    ///
    /// `places` are the only ones whose nodes are asked; all of them if there are none. Requests
    /// that other tasks of the store have in hand are left to them; `own` is the caller's.
    func run(for own: UInt64? = nil, at places: [Place]? = nil) async throws {
        var tried: [Effect] = []
        while let effect = try next(for: own, after: tried, at: places) {
            tried.append(effect)
            try await perform(effect, for: own)
        }
    }

    /// Each effect is tried once in a run: a node that does not answer now is asked next time.
    private func next(
        for own: UInt64?, after tried: [Effect], at places: [Place]?
    ) throws -> Effect? {
        try journal.read { state in
            state.work(where: { $0 == own || !underway.contains($0) }).first { effect in
                if tried.contains(effect) { return false }
                guard let places else { return true }
                return place(of: effect, in: state).map(places.contains) ?? false
            }
        }
    }

    /// The chain and network that an effect is about.
    private func place(of effect: Effect, in state: State) -> Place? {
        let wallet: WalletAdded?
        switch effect {
        case .observe(let id):
            let request = state.request(id)?.request
            wallet = request.flatMap { state.candidates(for: $0).first?.row.wallet }
        case .broadcast(let id), .awaitLock(let id):
            wallet = state.request(id)?.wallet.flatMap { state.wallet($0) }?.wallet
        }
        return wallet.map { Place($0.chain, $0.network) }
    }

    private func perform(_ effect: Effect, for own: UInt64?) async throws {
        switch effect {
        case .observe(let id): try await observe(for: id)
        case .broadcast(let id): try await broadcast(id, inHand: id == own)
        case .awaitLock(let id):
            guard let wallet = try wallet(of: id) else { return }
            try await lookUnlessSilent(wallet)
        }
    }

    /// Looks at a wallet's chain where the request in hand is done whatever the look brings: a
    /// node that is silent now is asked next time. What the store itself refuses is an error.
    private func lookUnlessSilent(_ wallet: WalletAdded) async throws {
        do {
            try await look(wallet.chain, wallet.network)
        } catch is ChainFailure {
            return
        }
    }

    private func wallet(of id: UInt64) throws -> WalletAdded? {
        try journal.read { state in
            state.request(id)?.wallet.flatMap { state.wallet($0) }?.wallet
        }
    }

    /// Looks at the chain that a new request would be paid on, so that the user is shown today's
    /// coins and fee. A node that is silent shows later, when the user approves.
    func refresh(for id: UInt64) async throws {
        let wallet = try journal.read { state -> WalletAdded? in
            guard let row = state.request(id), row.status == .pending, let request = row.request,
                case .pay = request.action
            else { return nil }
            return state.candidates(for: request).first?.row.wallet
        }
        guard let wallet, wallet.network != .sandbox else { return }
        try await lookUnlessSilent(wallet)
    }

    /// Makes sure that a node answers, and is of the right network, before anything is signed.
    func reach(_ chain: Chain, _ network: Network) async throws {
        var question = try journal.read { ChainQuestion(chain, network, in: $0) }
        question.watched = []
        question.addresses = []
        question.tokens = []
        question.transactions = []
        _ = try await client(chain, network).observe(question, progress: nil)
    }

    /// Whole transactions of a chain, each checked to have its id.
    func transactions(
        _ ids: [TransactionID], _ chain: Chain, _ network: Network
    ) async throws -> [UTXOTransaction] {
        let bytes = try await client(chain, network).transactions(
            ids.map { Bytes($0.bytes.reversed()) })
        return try bytes.map { try UTXOTransaction.parse($0) }
    }

    private func client(_ chain: Chain, _ network: Network) throws -> any ChainClient {
        guard let client = try nodes.client(chain, network) else {
            throw ChainFailure(
                .noNode, "no node of \(chain.rawValue) \(network.rawValue) is set up")
        }
        return client
    }

    /// Looks for InstantSend's lock for a while where a real network has still to make it.
    func waitForLock(of id: UInt64) async throws {
        for _ in 0..<Self.lockSeconds {
            guard try journal.read({ $0.request(id)?.status }) == .sent,
                let wallet = try wallet(of: id), wallet.network != .sandbox
            else { return }
            try await pause(1)
            try await lookUnlessSilent(wallet)
        }
    }

    /// Locks were seen within fifteen seconds on a network of five nodes.
    private static let lockSeconds = 30

    // MARK: - Asking

    /// Asks what a deferred request is judged by; without an answer the request is told so.
    private func observe(for id: UInt64) async throws {
        let wallet = try journal.read { state in
            state.request(id)?.request.flatMap { state.candidates(for: $0).first?.row.wallet }
        }
        guard let wallet else { return }
        do {
            for _ in 0..<Self.mostOvertaken {
                if try await isObserved(for: id, wallet) { return }
            }
            throw Self.overtaken
        } catch let failure as ChainFailure {
            try await journal.record { state in
                guard state.request(id)?.status == .deferred else { return [] }
                let unavailable = ChainUnavailable(
                    chain: wallet.chain, network: wallet.network, reason: failure.reason.rawValue)
                return [.init(.chainUnavailable(unavailable), request: .at(id), actor: .node)]
            }
        }
    }

    /// Asks for a request once; false if the answer was overtaken and has to be asked for again.
    private func isObserved(for id: UInt64, _ wallet: WalletAdded) async throws -> Bool {
        let asked = try journal.read { state -> (ChainQuestion, known: ChainQuestion)? in
            guard let row = state.request(id), row.status == .deferred, let request = row.request,
                let question = ChainQuestion(for: request, wallet, at: clock(), in: state)
            else { return nil }
            return (question, ChainQuestion(wallet.chain, wallet.network, in: state))
        }
        guard let (question, known) = asked else { return true }
        let answer = try await client(wallet.chain, wallet.network)
            .observe(question, progress: nil)
        probe?("asked")
        let isNews = try await record(answer, ifStill: known, request: id) { state in
            guard state.request(id)?.status == .deferred else { return [] }
            return answer.news(in: state, forRequest: true, at: clock())
        }
        probe?("observation recorded")
        return isNews
    }

    /// Looks at everything that the wallets of a chain and network want to know.
    ///
    /// Payments to the last derived addresses make more of them, which are looked at in turn, but
    /// only so many in one look: true if there are more, at which the next look goes on.
    /// `tokens` are contracts of which the wallets may hold something for the first time.
    @discardableResult
    func look(
        _ chain: Chain, _ network: Network, tokens: [String] = [],
        progress: ChainProgress? = nil
    ) async throws -> Bool {
        guard let client = try nodes.client(chain, network) else { return false }
        let looks = underway.looks(at: Place(chain, network))
        do {
            return try await looks.join((tokens, progress)) { looks in
                await look(chain, network, client, for: looks)
            }.get()
        } catch is CancellationError where !Task.isCancelled {
            return try await look(chain, network, tokens: tokens, progress: progress)
        }
    }

    /// Looks once for all who wait for it; the first of them does it.
    private func look(
        _ chain: Chain, _ network: Network, _ client: any ChainClient, for looks: [Underway.Look]
    ) async -> [Result<Bool, any Error>] {
        do {
            let hearing = looks.compactMap(\.progress)
            let tokens = looks.flatMap(\.tokens)
            let isMoreLeft = try await look(chain, network, client, tokens: tokens) { done, all in
                for progress in hearing { progress(done, all) }
            }
            return looks.map { _ in .success(isMoreLeft) }
        } catch {
            // What fails because its task gave up says nothing to the others: they look again.
            let others: any Error = Task.isCancelled ? CancellationError() : error
            return looks.indices.map { .failure($0 == 0 ? error : others) }
        }
    }

    private func look(
        _ chain: Chain, _ network: Network, _ client: any ChainClient, tokens: [String],
        progress: @escaping ChainProgress
    ) async throws -> Bool {
        let start = clock()
        var (rounds, overtaken) = (0, 0)
        var asked: ChainQuestion.Subjects?
        while true {
            let known = try journal.read { ChainQuestion(chain, network, in: $0) }
            var question = known
            question.tokens += tokens.filter { !question.tokens.contains($0) }
            if let asked, question.subjects.areAmong(asked) { return false }
            let now = clock()
            if rounds == Self.mostRounds || now > start + Self.longestLook { return true }
            rounds += 1
            // An embedded chain is ours, and tells all at once.
            if network != .sandbox { question.skipUnused(asked: asked) }
            let sending = HeldTurns(turns)
            defer { sending.end() }
            let answer = try await wholeAnswer(of: client, to: question, known, sending, progress)
            probe?("looked")
            let isNews = try await record(answer, ifStill: known) { state in
                answer.news(in: state, forRequest: false, at: clock())
            }
            if isNews {
                asked = asked?.adding(question.subjects) ?? question.subjects
                probe?("news recorded")
            } else {
                overtaken += 1
                guard overtaken < Self.mostOvertaken else { throw Self.overtaken }
            }
        }
    }

    /// A round finds the payments to at most 20 addresses more of each branch: a node that makes up
    /// payments to all that come must not keep the look going.
    private static let mostRounds = 30
    /// No round begins later than this, in microseconds.
    private static let longestLook: UInt64 = 120_000_000

    /// Records what is new of an answer; false if it was overtaken.
    ///
    /// An answer is compared with the state that its question was made from. Where another process
    /// has recorded a newer answer or sent a payment meanwhile, an older one would undo that: what
    /// is not in it would seem to be gone.
    private func record(
        _ answer: ChainAnswer, ifStill known: ChainQuestion, request: UInt64? = nil,
        _ news: @escaping (State) -> [ChainObserved]
    ) async throws -> Bool {
        var isOvertaken = false
        try await journal.record { state in
            isOvertaken = !Self.isStill(known, answer, state)
            if isOvertaken { return [] }
            return news(state).map {
                .init(
                    .chainObserved($0), request: request.map { .at($0) } ?? .none, actor: .node)
            }
        }
        return !isOvertaken
    }

    /// So often in a row another process may be faster.
    private static let mostOvertaken = 10

    private static var overtaken: ChainFailure {
        ChainFailure(
            .unsettled,
            "other looks at the chain were recorded during each of \(mostOvertaken) attempts")
    }

    /// What a node answers, after it was given again what it lacks of our own transactions.
    ///
    /// One that it takes can be what another needs, which it refused before, or bring a coin to
    /// sight that another spends: what is still missing then is sent as well. What somebody else
    /// sends just now, or has recorded something of meanwhile, is left alone.
    private func wholeAnswer(
        of client: any ChainClient, to question: ChainQuestion, _ known: ChainQuestion,
        _ sending: HeldTurns, _ progress: ChainProgress?
    ) async throws -> ChainAnswer {
        var answer: ChainAnswer
        var missing: [MissingTransaction]
        var replies: [Bytes: BroadcastAnswered.Answer] = [:]
        var hasTakenMore: Bool
        repeat {
            answer = try await client.observe(question, progress: progress)
            let unproven: Outpoint?
            (unproven, missing) = try journal.read {
                (answer.unprovenSpend(in: $0), answer.missing(in: $0, to: question))
            }
            if let unproven { throw ChainFailure(unproven: unproven) }
            hasTakenMore = false
            for transaction in missing where replies[transaction.txid] != .accepted {
                guard try sending.take(of: transaction.request),
                    try journal.read({ Self.isStill(known, answer, $0) })
                else { continue }
                let reply = await client.broadcast(transaction.bytes, txid: transaction.txid)
                probe?("sent again")
                replies[transaction.txid] = reply.answer
                if reply.answer == .accepted { hasTakenMore = true }
            }
        } while hasTakenMore
        for transaction in missing {
            if replies[transaction.txid] == .refused {
                answer.drop(transaction)
            } else {
                answer.hold(transaction)
            }
        }
        return answer
    }

    /// Whether nothing was recorded that changes what an answer's question was made from.
    private static func isStill(
        _ known: ChainQuestion, _ answer: ChainAnswer, _ state: State
    ) -> Bool {
        ChainQuestion(answer.chain, answer.network, in: state) == known
    }

    // MARK: - Sending

    private func broadcast(_ id: UInt64, inHand: Bool) async throws {
        guard let wallet = try await send(id, inHand: inHand) else { return }
        try await lookUnlessSilent(wallet)
    }

    /// Sends a request's transaction and records what came of it; the wallet that pays.
    private func send(_ id: UInt64, inHand: Bool) async throws -> WalletAdded? {
        guard let turn = try await turn(of: id, waits: inHand) else { return nil }
        defer { turn.end() }
        let work = try journal.read { state -> (WalletAdded, TransactionSigned)? in
            guard let row = state.request(id), row.status == .signed, let signed = row.signed,
                let wallet = row.wallet.flatMap({ state.wallet($0) })?.wallet
            else { return nil }
            return (wallet, signed)
        }
        guard let (wallet, signed) = work,
            let client = try nodes.client(wallet.chain, wallet.network)
        else { return nil }
        let answer = await client.broadcast(signed.bytes, txid: signed.txid)
        probe?("broadcast")
        // A node that is asked every few seconds says no more by saying the same again.
        if answer.answer == .unknown, try journal.endsWith(answer, request: id) { return wallet }
        try await journal.record { state in
            guard state.request(id)?.status == .signed else { return [] }
            return [.init(.broadcastAnswered(answer), request: .at(id), actor: .node)]
        }
        probe?("answer recorded")
        return wallet
    }

    /// The turn to send a request's transaction; nil if that is left to who has it.
    private func turn(of id: UInt64, waits: Bool) async throws -> (any Turn)? {
        for second in 0..<Self.turnSeconds {
            if let turn = try turns.take(of: id) { return turn }
            guard waits else { return nil }
            if second + 1 < Self.turnSeconds { try await pause(1) }
        }
        return nil
    }

    /// As long as a node may take to answer.
    private static let turnSeconds = 60
}

/// Called between steps, so that tests can end the process at each of them.
typealias Probe = @Sendable (String) -> Void
