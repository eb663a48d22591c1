import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookLinks
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
    func run(for own: UInt64? = nil, at places: [ChainID]? = nil) async throws {
        var tried: [Effect] = []
        while let effect = try next(for: own, after: tried, at: places) {
            tried.append(effect)
            try await perform(effect, for: own)
        }
    }

    /// Each effect is tried once in a run: a node that does not answer now is asked next time.
    private func next(
        for own: UInt64?, after tried: [Effect], at places: [ChainID]?
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
    private func place(of effect: Effect, in state: State) -> ChainID? {
        let wallet: WalletAdded?
        switch effect {
        case .observe(let id):
            let request = state.request(id)?.request
            wallet = request.flatMap { state.candidates(for: $0).first?.row.wallet }
        case .broadcast(let id), .awaitLock(let id):
            wallet = state.request(id)?.wallet.flatMap { state.wallet($0) }?.wallet
        }
        return wallet.map { ChainID($0.chain, $0.network) }
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
    func lookUnlessSilent(_ wallet: WalletAdded) async throws {
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
            ids.map(\.displayed))
        return try bytes.map { try UTXOTransaction.parse($0) }
    }

    func client(_ chain: Chain, _ network: Network) throws -> any ChainClient {
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
            try await journal.record { state, _ in
                guard state.request(id)?.status == .deferred else { return [] }
                return [Self.input(failure, wallet, request: id)]
            }
        }
    }

    private static func input(
        _ failure: ChainFailure, _ wallet: WalletAdded, request: UInt64
    ) -> Journal.Input {
        let unavailable = ChainUnavailable(
            chain: wallet.chain, network: wallet.network, reason: failure.reason.rawValue)
        return .init(.chainUnavailable(unavailable), request: .at(request), actor: .node)
    }

    /// Finds the inputs that judge a request, from the state in which it has been received.
    typealias Judgement = @Sendable (State, _ request: UInt64) -> [Journal.Input]

    /// Asks an embedded chain what a request will be judged by that is about to be received, so
    /// that the request and its judgement are one commit; nil where nothing needs to be asked.
    ///
    /// A real node may take long: what it is asked for is recorded first, as a deferred request.
    func judgement(of text: Bytes) async throws -> Judgement? {
        guard case .request(let request) = Links.read(text), request.needsChain else { return nil }
        let asked = try journal.read { state -> (WalletAdded, ChainQuestion, ChainQuestion)? in
            guard let wallet = state.candidates(for: request).first?.row.wallet,
                wallet.network == .sandbox,
                let question = ChainQuestion(for: request, wallet, at: clock(), in: state)
            else { return nil }
            return (wallet, question, ChainQuestion(wallet.chain, wallet.network, in: state))
        }
        guard let (wallet, question, known) = asked else { return nil }
        do {
            let answer = try await client(wallet.chain, wallet.network)
                .observe(question, progress: nil)
            probe?("asked")
            return { [clock] state, id in
                // An answer that was overtaken is asked for again, once the request is recorded.
                guard Self.isStill(known, answer, state) else { return [] }
                return answer.news(in: state, forRequest: true, at: clock()).map {
                    .init(.chainObserved($0), request: .at(id), actor: .node)
                }
            }
        } catch let failure as ChainFailure {
            return { _, id in [Self.input(failure, wallet, request: id)] }
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
        let isNews = try await record(answer, ifStill: known, request: id) { state, now in
            guard state.request(id)?.status == .deferred else { return [] }
            return answer.news(in: state, forRequest: true, at: now)
        }
        probe?("observation recorded")
        return isNews
    }

    // MARK: - Sending

    private func broadcast(_ id: UInt64, inHand: Bool) async throws {
        guard let wallet = try await send(id, inHand: inHand) else { return }
        try await lookUnlessSilent(wallet)
    }

    /// Sends a request's transaction and records what came of it; the wallet that pays, if its
    /// chain is still to be looked at.
    ///
    /// An embedded chain is looked at before its answer is recorded, so that both are one commit. A
    /// look at a real node may take long, and the callback needs its answer alone.
    private func send(_ id: UInt64, inHand: Bool) async throws -> WalletAdded? {
        guard let turn = try await turn(of: id, waits: inHand) else { return nil }
        defer { turn.end() }
        let work = try journal.read { state -> (WalletAdded, txid: Bytes)? in
            guard let row = state.request(id), row.status == .signed, let txid = row.txid,
                let wallet = row.wallet.flatMap({ state.wallet($0) })?.wallet
            else { return nil }
            return (wallet, txid)
        }
        guard let (wallet, txid) = work,
            let client = try nodes.client(wallet.chain, wallet.network)
        else { return nil }
        let signed = try journal.signed(by: id, txid)
        let answer = await client.broadcast(signed.bytes, txid: signed.txid)
        probe?("broadcast")
        // A node that is asked every few seconds says no more by saying the same again.
        if answer.answer == .unknown, try journal.endsWith(answer, request: id) { return wallet }
        let reply = SendReply(request: id, txid: signed.txid, answer: answer)
        if wallet.network == .sandbox, answer.answer == .accepted {
            do {
                try await look(wallet.chain, wallet.network, recording: reply)
                return nil
            } catch {
                // Whatever became of the look, the chain has said what it has said.
                try await record(reply)
                guard error is ChainFailure else { throw error }
                return wallet
            }
        }
        try await record(reply)
        return wallet
    }

    private func record(_ reply: SendReply) async throws {
        try await journal.record { state, _ in reply.isOpen(in: state) ? [reply.input()] : [] }
        probe?("answer recorded")
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

/// What a node said to a request's transaction, until it is recorded.
struct SendReply {
    let request: UInt64
    /// The transaction's id, as displayed.
    let txid: Bytes
    let answer: BroadcastAnswered

    /// Whether the request still waits for what a node says.
    func isOpen(in state: State) -> Bool { state.request(request)?.status == .signed }

    func input(
        with companions: @escaping (State, [Outcome]) throws -> [Journal.Input] = { _, _ in [] }
    ) -> Journal.Input {
        .init(
            .broadcastAnswered(answer), request: .at(request), actor: .node, with: companions)
    }
}

/// Called between steps, so that tests can end the process at each of them.
typealias Probe = @Sendable (String) -> Void
