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
    let activeRequests: ActiveRequests
    let sendLocks: any SendLocks
    let clock: @Sendable () -> UInt64
    let pause: @Sendable (_ seconds: Int) async throws -> Void
    let probe: Probe?

    /// Does everything that needs no key, until nothing of it remains or a node is silent.
    ///
    /// `places` are the only ones whose nodes are asked; all of them if there are none. Requests
    /// that other tasks of the store have in hand are left to them; `own` is the caller's.
    func run(for own: RequestID? = nil, at places: [ChainID]? = nil) async throws {
        var tried: [Effect] = []
        while true {
            let effects = try next(for: own, after: tried, at: places)
            guard let first = effects.first else { return }
            tried += effects
            try await perform(first, with: effects, for: own)
        }
    }

    /// What is to be done next: one effect, or all that are to be sent to one real node.
    ///
    /// Each effect is tried once in a run: a node that does not answer now is asked next time.
    private func next(
        for own: RequestID?, after tried: [Effect], at places: [ChainID]?
    ) throws -> [Effect] {
        try journal.read { state in
            let open = state.work(where: { $0 == own || !activeRequests.contains($0) })
                .filter { effect in
                if tried.contains(effect) { return false }
                guard let places else { return true }
                return place(of: effect, in: state).map(places.contains) ?? false
            }
            guard let first = open.first else { return [] }
            guard case .broadcast = first, let place = place(of: first, in: state),
                place.network != .sandbox
            else { return [first] }
            return open.filter { effect in
                guard case .broadcast = effect else { return false }
                return self.place(of: effect, in: state) == place
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

    private func perform(
        _ effect: Effect, with others: [Effect], for own: RequestID?
    ) async throws {
        switch effect {
        case .observe(let id): try await observe(for: id)
        case .broadcast:
            let ids = others.compactMap { effect -> RequestID? in
                if case .broadcast(let id) = effect { id } else { nil }
            }
            if let wallet = try await send(ids, inHand: own) { try await lookUnlessSilent(wallet) }
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

    private func wallet(of id: RequestID) throws -> WalletAdded? {
        try journal.read { state in
            state.request(id)?.wallet.flatMap { state.wallet($0) }?.wallet
        }
    }

    /// Looks at the chain that a new request would be paid on, so that the user is shown today's
    /// coins and fee. A node that is silent shows later, when the user approves.
    func refresh(for id: RequestID) async throws {
        let wallet = try journal.read { state -> WalletAdded? in
            guard let row = state.request(id), row.status == .pending, let request = row.request,
                case .pay = request.action
            else { return nil }
            return state.offered(for: request, id, repeats: row.repeats)
                .flatMap { state.wallet($0) }?.wallet
        }
        guard let wallet, wallet.network != .sandbox else { return }
        try await lookUnlessSilent(wallet)
    }

    /// Makes sure that a node answers, and is of the right network, before anything is signed.
    ///
    /// Where it asks for a higher fee than is on record, that is recorded: what was shown is then
    /// no longer what would be done, and the user is asked again.
    func reach(_ chain: Chain, _ network: Network) async throws {
        var question = try journal.read { ChainQuery(chain, network, in: $0) }
        question.watched = []
        question.addresses = []
        question.tokens = []
        question.transactions = []
        let answer = try await client(chain, network).observe(question, progress: nil)
        guard try journal.read({ answer.higherPrice(in: $0) }) != nil else { return }
        try await journal.record { state, _ in
            answer.higherPrice(in: state).map { [.init(.chainObserved($0), actor: .node)] } ?? []
        }
        probe?("price recorded")
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
    func waitForLock(of id: RequestID, _ begins: () -> Void) async throws {
        for second in 0..<Self.lockSeconds {
            guard try journal.read({ $0.request(id).map { $0.waitsForLock } }) == true,
                let wallet = try wallet(of: id), wallet.network != .sandbox
            else { return }
            if second == 0 { begins() }
            try await pause(1)
            try await lookUnlessSilent(wallet)
        }
    }

    /// Locks were seen within fifteen seconds on a network of five nodes.
    private static let lockSeconds = 30

    // MARK: - Asking

    /// Asks what a deferred request is judged by; without an answer the request is told so.
    private func observe(for id: RequestID) async throws {
        let wallet = try journal.read { state in
            state.request(id)?.request.flatMap { state.candidates(for: $0).first?.row.wallet }
        }
        guard let wallet else { return }
        do {
            // Of a payment it is asked last whether a node has it, after all else is known.
            if wallet.chain != .icon { try await look(wallet.chain, wallet.network) }
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
        _ failure: ChainFailure, _ wallet: WalletAdded, request: RequestID
    ) -> Journal.Input {
        let unavailable = ChainUnavailable(
            chain: wallet.chain, network: wallet.network, reason: failure.reason.rawValue)
        return .init(.chainUnavailable(unavailable), request: .at(request), actor: .node)
    }

    /// Finds the inputs that judge a request, from the state in which it has been received.
    typealias Judgement = @Sendable (State, _ request: RequestID) -> [Journal.Input]

    /// Asks an embedded chain what a request will be judged by that is about to be received, so
    /// that the request and its judgement are one commit; nil where nothing needs to be asked.
    ///
    /// A real node may take long: what it is asked for is recorded first, as a deferred request.
    func judgement(of text: Bytes) async throws -> Judgement? {
        guard case .request(let request) = Links.parse(text), request.needsChain else { return nil }
        let wallet = try journal.read { $0.candidates(for: request).first?.row.wallet }
        guard let wallet, wallet.network == .sandbox else { return nil }
        do {
            guard let (answer, known) = try await ask(for: request, wallet) else { return nil }
            return { [clock] state, id in
                // An answer that was overtaken is asked for again, once the request is recorded.
                guard Self.isStill(known, answer, state) else { return [] }
                return answer.changes(from: state, forRequest: true, at: clock()).map {
                    .init(.chainObserved($0), request: .at(id), actor: .node)
                }
            }
        } catch let failure as ChainFailure {
            return { _, id in [Self.input(failure, wallet, request: id)] }
        }
    }

    /// Asks for a request once; false if the answer was overtaken and has to be asked for again.
    private func isObserved(for id: RequestID, _ wallet: WalletAdded) async throws -> Bool {
        let request = try journal.read { state in
            state.request(id).flatMap { $0.status == .deferred ? $0.request : nil }
        }
        guard let request, let (answer, known) = try await ask(for: request, wallet) else {
            return true
        }
        let isNews = try await record(answer, ifStill: known, request: id) { state, now in
            guard state.request(id)?.status == .deferred else { return [] }
            if wallet.chain != .icon { return [answer.standing(in: state)] }
            return answer.changes(from: state, forRequest: true, at: now)
        }
        probe?("observation recorded")
        return isNews
    }

    /// Asks a wallet's node what a request is decided by; nil if there is nothing to ask.
    ///
    /// `known` is what was known of the chain before: another answer may overtake this one.
    private func ask(
        for request: Request, _ wallet: WalletAdded
    ) async throws -> (answer: ChainSnapshot, known: ChainQuery)? {
        let asked = try journal.read { state in
            ChainQuery(for: request, wallet, at: clock(), in: state).map { question in
                (question, ChainQuery(wallet.chain, wallet.network, in: state))
            }
        }
        guard let (question, known) = asked else { return nil }
        let answer = try await client(wallet.chain, wallet.network)
            .observe(question, progress: nil)
        probe?("asked")
        return (answer, known)
    }

    // MARK: - Sending

    /// Sends the transactions of requests that pay on one chain, and records what came of them;
    /// the wallet that pays, if its chain is still to be looked at.
    ///
    /// An embedded chain is looked at before its answer is recorded, so that both are one commit. A
    /// look at a real node may take long, and the callback needs its answer alone.
    private func send(_ ids: [RequestID], inHand own: RequestID?) async throws -> WalletAdded? {
        var held: [any SendLock] = []
        defer { for lock in held { lock.end() } }
        var wallet: WalletAdded?
        var requests: [Bytes: RequestID] = [:]
        var signed: [TransactionSigned] = []
        for id in ids {
            guard let lock = try await sendLock(of: id, waits: id == own) else { continue }
            held.append(lock)
            guard let (payer, txid) = try unsent(id) else { continue }
            wallet = payer
            requests[txid] = id
            signed.append(try journal.signed(by: id, txid))
        }
        guard let wallet, let client = try nodes.client(wallet.chain, wallet.network) else {
            return nil
        }
        let ordered = signed.parentsFirst
        let answers = await client.broadcast(ordered.map(\.outgoing))
        probe?("broadcast")
        let all = zip(ordered, answers).compactMap { signed, answer in
            requests[signed.txid].map { SendReply(request: $0, txid: signed.txid, answer: answer) }
        }
        // A node that is asked every few seconds says no more by saying the same again.
        for reply in all { activeRequests.note(reply.answer, of: reply.request) }
        let replies = try all.filter { reply in
            try reply.answer.answer != .unknown || !journal.isOld(reply.answer, of: reply.request)
        }
        if wallet.network == .sandbox, let reply = replies.first, reply.answer.answer == .accepted {
            do {
                try await look(wallet.chain, wallet.network, recording: reply)
                return nil
            } catch {
                // Whatever became of the look, the chain has said what it has said.
                try await record([reply])
                guard error is ChainFailure else { throw error }
                return wallet
            }
        }
        if !replies.isEmpty { try await record(replies) }
        return wallet
    }

    /// The wallet that pays for a request and the id of its transaction, while it is to be sent.
    private func unsent(_ id: RequestID) throws -> (WalletAdded, txid: Bytes)? {
        try journal.read { state in
            guard let row = state.request(id), row.status == .signed, let txid = row.txid,
                let wallet = row.wallet.flatMap({ state.wallet($0) })?.wallet
            else { return nil }
            return (wallet, txid)
        }
    }

    private func record(_ replies: [SendReply]) async throws {
        try await journal.record { state, _ in
            replies.filter { $0.isOpen(in: state) }.map { $0.input() }
        }
        probe?("answer recorded")
    }

    /// The lock to send a request's transaction; nil if another task keeps it.
    private func sendLock(of id: RequestID, waits: Bool) async throws -> (any SendLock)? {
        for second in 0..<Self.sendLockSeconds {
            if let lock = try sendLocks.take(of: id) { return lock }
            guard waits else { return nil }
            if second + 1 < Self.sendLockSeconds { try await pause(1) }
        }
        return nil
    }

    /// As long as a node may take to answer.
    private static let sendLockSeconds = 60
}

/// What a node said to a request's transaction, until it is recorded.
struct SendReply {
    let request: RequestID
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

extension Worker {
    /// Makes sure that a payment still stands so that a request can bump or cancel it.
    ///
    /// What the chain knows of it is recorded. Whether a node has it changes from one moment to the
    /// next: where the answer is now another than when the user was asked, nothing is signed.
    func checkRemedy(_ id: RequestID, _ wallet: WalletAdded) async throws {
        try await look(wallet.chain, wallet.network)
        let asked = try journal.read { state -> (Remedy, ChainQuery)? in
            guard let request = state.request(id)?.request,
                case .remedy(let remedy, _) = request.action,
                let question = ChainQuery(for: request, wallet, at: clock(), in: state)
            else { return nil }
            return (remedy, question)
        }
        guard let (remedy, question) = asked else { return }
        let answer = try await client(wallet.chain, wallet.network)
            .observe(question, progress: nil)
        // What a block has is refused by the decision, which is on record.
        if answer.transactions.contains(where: { $0.height != nil }) { return }
        switch remedy {
        case .bump where answer.transactions.isEmpty: throw DaybookError(Refusal(.notSent))
        case .cancel where !answer.transactions.isEmpty:
            throw DaybookError(Refusal(.alreadySent))
        default: return
        }
    }
}

extension Worker {
    /// What another node says against a transaction that is to be signed and sent.
    ///
    /// Nil where nothing is, where the chain has one node, and where no other one answers.
    func contradiction(
        to proposal: Proposal, _ begins: @Sendable () -> Void
    ) async throws -> ChainFailure? {
        let place = ChainID(proposal.wallet.chain, proposal.wallet.network)
        guard let prepared = proposal.prepared, let group = try nodes.group(at: place),
            group.members.count > 1
        else { return nil }
        let id = proposal.request
        let question = try journal.read { state -> ChainQuery? in
            guard state.request(id)?.request?.sendsTransaction == true else { return nil }
            return ChainQuery(reliedOnBy: prepared, for: id, in: state)
        }
        guard let question else { return nil }
        begins()
        guard let other = try await group.otherAnswer(to: question) else {
            return nil
        }
        probe?("compared")
        let found = try journal.read { other.answer.contradiction(to: prepared, for: id, in: $0) }
        guard let found else { return nil }
        var failure = ChainFailure(
            .contradiction,
            "of \(found.subject) this node says \(found.recorded), and \(other.url) says"
                + " \(found.said)")
        failure.origin = ChainFailure.Origin(place: place, url: group.servingURL)
        return failure
    }
}
