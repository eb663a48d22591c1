import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookNodes

/// Performs the effects that the state says remain, and records their results.
///
/// Signing is not among them: it needs an unlocked wallet, and so the user.
struct Worker {
    let journal: Journal
    let nodes: Nodes
    let activeRequests: ActiveRequests
    let sendLock: SendLocking
    let clock: @Sendable () -> UInt64
    let pause: @Sendable (_ seconds: Int) async throws -> Void
    let probe: Probe?

    /// Performs all effects that need no key, until none is left or a node does not answer.
    ///
    /// `chainIDs` limits the run to effects on these chains. Requests that other tasks of the store
    /// work on are left to them.
    func run(on chainIDs: [ChainID]? = nil) async throws {
        try await run(for: nil, on: chainIDs)
    }

    /// Performs the effects of a request of the caller's, which waits for no other request's node.
    ///
    /// Only what others have to send on the same chain is sent with its transaction, which may
    /// spend their outputs.
    func run(for own: RequestID) async throws { try await run(for: own, on: nil) }

    private func run(for own: RequestID?, on chainIDs: [ChainID]?) async throws {
        var tried: [Effect] = []
        while true {
            let effects = try next(for: own, after: tried, on: chainIDs)
            guard let first = effects.first else { return }
            tried += effects
            try await perform(first, with: effects, for: own)
        }
    }

    /// The next effect, or all broadcasts to the same chain, which are sent together.
    ///
    /// Each effect is tried once in a run: a node that does not answer now is asked next time.
    private func next(
        for own: RequestID?, after tried: [Effect], on chainIDs: [ChainID]?
    ) throws -> [Effect] {
        // Before a request of the caller's own, the call has read or recorded something.
        try journal.recorded(.published) { state, _ in
            let untried = state.work(where: { $0 == own || !activeRequests.contains($0) })
                .filter { effect in
                    if tried.contains(effect) { return false }
                    guard let chainIDs else { return true }
                    return chainID(of: effect, in: state).map(chainIDs.contains) ?? false
                }
            guard let first = untried.first(where: { own == nil || $0.request == own })
            else { return [] }
            guard case .broadcast = first, let chainID = chainID(of: first, in: state)
            else { return [first] }
            return untried.filter { effect in
                guard case .broadcast = effect else { return false }
                return self.chainID(of: effect, in: state) == chainID
            }
        }
    }

    private func chainID(of effect: Effect, in state: State) -> ChainID? {
        switch effect {
        case .observe(let id):
            let request = state.request(id)?.request
            return request.flatMap { state.candidates(for: $0).first?.row.wallet.chainID }
        case .broadcast(let id), .awaitLock(let id):
            return state.request(id)?.wallet.flatMap { state.wallet($0) }?.wallet.chainID
        }
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
            if let chainID = try await send(ids, for: own) { try await scanIfReachable(chainID) }
        case .awaitLock(let id):
            guard let wallet = try wallet(of: id) else { return }
            try await scanIfReachable(wallet.chainID)
        }
    }

    /// Scans a chain, but ignores a node that does not answer: it is asked next time.
    ///
    /// For a scan that the current request does not depend on.
    func scanIfReachable(_ chainID: ChainID) async throws {
        do {
            try await scan(chainID)
        } catch is ChainFailure {
            return
        }
    }

    private func wallet(of id: RequestID) throws -> WalletAdded? {
        try journal.recorded(.published) { state, _ in
            state.request(id)?.wallet.flatMap { state.wallet($0) }?.wallet
        }
    }

    func client(of chainID: ChainID) throws -> any ChainClient {
        guard let client = try nodes.client(of: chainID) else {
            throw ChainFailure(
                .noNode,
                "no node of \(chainID.chain.rawValue) \(chainID.network.rawValue) is set up")
        }
        return client
    }

    /// Waits a while for the InstantSend lock that a payment requires, if the chain makes locks.
    func waitForLock(of id: RequestID, _ begins: () -> Void) async throws {
        for second in 0..<Self.lockSeconds {
            let awaited = try journal.recorded(.published) { state, _ -> ChainID? in
                guard let row = state.request(id), row.waitsForLock,
                    let wallet = row.wallet.flatMap({ state.wallet($0) })?.wallet,
                    state.chain(wallet.chain, wallet.network).instantSend != false
                else { return nil }
                return wallet.chainID
            }
            guard let awaited else { return }
            if second == 0 { begins() }
            try await pause(1)
            try await scanIfReachable(awaited)
        }
    }

    /// On a network of five nodes, locks appeared within fifteen seconds.
    private static let lockSeconds = 30

    // MARK: - Sending

    /// Sends the transactions of requests that pay on one chain, and records the node's answers.
    ///
    /// Returns the chain, which then has to be scanned; nil if there was nothing to send. A scan
    /// may take long, and the callback needs only the answer.
    private func send(_ ids: [RequestID], for own: RequestID?) async throws -> ChainID? {
        var held: [any SendLock] = []
        defer { for lock in held { lock.end() } }
        var locked: [RequestID] = []
        for id in ids {
            guard let lock = try await lockSending(of: id, waits: id == own) else { continue }
            held.append(lock)
            locked.append(id)
        }
        if locked.isEmpty { return nil }
        // The process that had a lock before may have recorded an answer.
        guard let (wallet, requests, payments) = try unsent(locked),
            let client = try nodes.client(of: wallet.chainID)
        else { return nil }
        let answers = await client.send(payments)
        probe?("broadcast")
        let all = answers.compactMap { txid, answer in
            requests[txid].map { SendReply(request: $0, txid: txid, answer: answer) }
        }
        for reply in all { activeRequests.note(reply.answer, of: reply.request) }
        // A repeated unclear answer adds nothing to the log, and nodes are asked every few seconds.
        let replies = try all.filter { reply in
            try reply.answer.answer != .unknown || !journal.isOld(reply.answer, of: reply.request)
        }
        if !replies.isEmpty { try await record(replies) }
        return wallet.chainID
    }

    /// A wallet of requests that are signed and not sent, and their transactions; nil if all are
    /// sent.
    private func unsent(
        _ ids: [RequestID]
    ) throws -> (WalletAdded, [Bytes: RequestID], OutgoingPayments)? {
        try journal.recorded(.asWriter) { state, log in
            var wallet: WalletAdded?
            var (requests, signed): ([Bytes: RequestID], [TransactionSigned]) = ([:], [])
            for id in ids {
                guard let row = state.request(id), row.status == .signed, let txid = row.txid,
                    let payer = row.wallet.flatMap({ state.wallet($0) })?.wallet
                else { continue }
                wallet = payer
                requests[txid] = id
                signed.append(try log.snapshot.signed(by: id, txid))
            }
            return wallet.map { ($0, requests, log.payments(signed)) }
        }
    }

    private func record(_ replies: [SendReply]) async throws {
        try await journal.record { state, _, _ in
            replies.filter { $0.isOpen(in: state) }.map(\.input)
        }
        probe?("answer recorded")
    }

    /// Locks the sending of a request; nil if another task or process keeps the lock.
    private func lockSending(of id: RequestID, waits: Bool) async throws -> (any SendLock)? {
        for second in 0..<Self.sendLockSeconds {
            if let lock = try sendLock(id) { return lock }
            guard waits else { return nil }
            if second + 1 < Self.sendLockSeconds { try await pause(1) }
        }
        return nil
    }

    /// As long as a node may take to answer.
    private static let sendLockSeconds = 60
}

/// Called between steps, so that tests can end the process at each of them.
typealias Probe = @Sendable (String) -> Void

/// A node's answer to a request's transaction, until it is recorded.
struct SendReply {
    let request: RequestID
    /// The transaction's id, as displayed.
    let txid: Bytes
    let answer: BroadcastAnswered

    /// Whether the request still waits for an answer.
    func isOpen(in state: State) -> Bool { state.request(request)?.status == .signed }

    var input: Journal.Input {
        .init(.broadcastAnswered(answer), request: .at(request), actor: .node)
    }
}

extension ChainClient {
    /// Sends transactions; returns the answer to each, by the transaction's id.
    func send(_ payments: OutgoingPayments) async -> [(txid: Bytes, answer: BroadcastAnswered)] {
        let outgoing = payments.signed.map { OutgoingTransaction(bytes: $0.bytes, txid: $0.txid) }
        return Array(zip(outgoing.map(\.txid), await broadcast(outgoing)))
    }
}

extension [TransactionSigned] {
    /// The transactions in a topological order: each after those whose outputs it spends.
    ///
    /// Independent transactions keep their order; ICON's are all independent.
    var parentsFirst: [TransactionSigned] {
        let indexes = Dictionary(
            enumerated().map { ($1.txid, $0) }, uniquingKeysWith: { first, _ in first })
        var parents: [Set<Int>] = []
        var children: [[Int]] = Array<[Int]>(repeating: [], count: count)
        for (index, transaction) in enumerated() {
            let inputs = (try? UTXOTransaction.parse(transaction.bytes))?.inputs ?? []
            let own = Set(inputs.compactMap { indexes[$0.outpoint.displayed] })
                .subtracting([index])
            parents.append(own)
            for parent in own.sorted() { children[parent].append(index) }
        }
        var parentsLeft = parents.map(\.count)
        var ready = indices.filter { parentsLeft[$0] == 0 }
        var next = 0
        while next < ready.count {
            for child in children[ready[next]] {
                parentsLeft[child] -= 1
                if parentsLeft[child] == 0 { ready.append(child) }
            }
            next += 1
        }
        return ready.map { self[$0] }
    }
}
