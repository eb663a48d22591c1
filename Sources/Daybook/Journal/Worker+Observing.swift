import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookNodes

/// The answers about its chain that a single request needs: before it is shown, while deferred, and
/// before it is signed.
extension Worker {
    /// Asks the chain what the prompt of a request depends on; other requests' nodes are not asked.
    ///
    /// The request is recorded before: a node may take long, or never answer.
    func prepare(_ id: RequestID) async throws {
        if !activeRequests.contains(id) { try await run(for: id) }
        try await refresh(for: id)
    }

    /// Scans the chain that a new request would be paid on, so that its prompt is up to date.
    ///
    /// A node that does not answer is reported when the user approves.
    private func refresh(for id: RequestID) async throws {
        let wallet = try journal.read(.published) { state, _ -> WalletAdded? in
            guard let row = state.request(id), row.status == .pending, let request = row.request,
                case .pay = request.action
            else { return nil }
            return state.offered(for: request, id, repeats: row.repeats)
                .flatMap { state.wallet($0) }?.wallet
        }
        guard let wallet else { return }
        try await scanIfReachable(wallet.chainID)
    }

    /// Checks that a node of the right network answers, before anything is signed.
    ///
    /// A fee that is higher than the recorded one is recorded: the prompt that the user saw is then
    /// out of date, and the user is asked again.
    func checkReachable(_ chainID: ChainID, _ query: ChainQuery) async throws {
        let snapshot = try await client(of: chainID).observe(query, progress: nil)
        let higher = try journal.recorded(.published) { state, _ in
            snapshot.higherPrice(in: state)
        }
        if higher == nil { return }
        try await journal.record { state, _, _ in
            snapshot.higherPrice(in: state).map { [.init(.chainObserved($0), actor: .node)] } ?? []
        }
        probe?("price recorded")
    }

    /// Fetches whole transactions from a node, each checked against its id.
    func transactions(
        _ ids: [TransactionID], on chainID: ChainID
    ) async throws -> [UTXOTransaction] {
        let bytes = try await client(of: chainID).transactions(ids.map(\.displayed))
        return try bytes.map { try UTXOTransaction.parse($0) }
    }

    // MARK: - Deferred requests

    /// Resolves a deferred request by the chain; without an answer, that is recorded instead.
    func observe(for id: RequestID) async throws {
        let wallet = try journal.recorded(.published) { state, _ in
            state.request(id)?.request.flatMap { state.candidates(for: $0).first?.row.wallet }
        }
        guard let wallet else { return }
        do {
            // Whether a node has a payment is asked last, when everything else is known.
            if wallet.chain.rules.ledger == .outputs { try await scan(wallet.chainID) }
            for _ in 0..<Self.overtakenLimit {
                if try await isObserved(for: id, wallet) { return }
            }
            throw Self.overtaken
        } catch let failure as ChainFailure {
            try await journal.record { state, _, _ in
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

    /// Asks for a request once; false if the snapshot was overtaken and must be asked for again.
    private func isObserved(for id: RequestID, _ wallet: WalletAdded) async throws -> Bool {
        let request = try journal.recorded(.published) { state, _ in
            state.request(id).flatMap { $0.status == .deferred ? $0.request : nil }
        }
        guard let request, let (snapshot, known) = try await ask(for: request, wallet) else {
            return true
        }
        let recording = try await record(snapshot, ifStill: known, request: id) { state, _, now in
            guard state.request(id)?.status == .deferred else { return [] }
            if wallet.chain.rules.ledger == .outputs { return [snapshot.standing(in: state)] }
            return snapshot.changes(from: state, forRequest: true, at: now)
        }
        probe?("observation recorded")
        return recording != .overtaken
    }

    /// Asks a wallet's node what a request is resolved by; nil if there is nothing to ask.
    ///
    /// `known` tells whether another snapshot was recorded since.
    private func ask(
        for request: Request, _ wallet: WalletAdded
    ) async throws -> (snapshot: ChainSnapshot, known: KnownQuery)? {
        let queries = try journal.recorded(.published) { state, log in
            ChainQuery(for: request, wallet, at: clock(), in: state).map { query in
                (query, KnownQuery(of: wallet.chainID, in: state, at: log.point))
            }
        }
        guard let (query, known) = queries else { return nil }
        let client = try client(of: wallet.chainID)
        var snapshot = try await client.observe(query, progress: nil)
        if let times = try await blockTimes(of: snapshot, by: client) {
            snapshot.add(times, at: clock())
        }
        probe?("asked")
        // An answer that was not understood must not count as a balance of nothing.
        let unclear = try journal.recorded(.published) { [snapshot] state, _ in
            snapshot.unclearFunds(in: state)
        }
        if let unclear { throw ChainFailure(.invalidAnswer, unclear.sentence) }
        return (snapshot, known)
    }

    // MARK: - Before signing

    /// Checks that a payment can still be bumped or cancelled, before that is signed.
    ///
    /// Whether a node has the payment can change at any moment, and is not recorded: if the answer
    /// differs from the one that the user was asked about, nothing is signed.
    func checkRemedy(_ id: RequestID, _ wallet: WalletAdded) async throws {
        try await scan(wallet.chainID)
        let asked = try journal.recorded(.published) { state, _ -> (Remedy, ChainQuery)? in
            guard let request = state.request(id)?.request,
                case .remedy(let remedy, _) = request.action,
                let query = ChainQuery(for: request, wallet, at: clock(), in: state)
            else { return nil }
            return (remedy, query)
        }
        guard let (remedy, query) = asked else { return }
        let snapshot = try await client(of: wallet.chainID).observe(query, progress: nil)
        // A payment that is in a block is refused by the decision, which is recorded.
        if snapshot.transactions.contains(where: { $0.height != nil }) { return }
        switch remedy {
        case .bump where snapshot.transactions.isEmpty: throw DaybookError(Refusal(.notSent))
        case .cancel where !snapshot.transactions.isEmpty:
            throw DaybookError(Refusal(.alreadySent))
        case .bump, .cancel: return
        }
    }

    /// Asks another node about the coins and prices that a transaction to be signed relies on.
    ///
    /// Returns how that node contradicts the recorded state. Nil if it agrees, if the chain has one
    /// node, and if no other node answers.
    func contradiction(
        to proposal: Proposal, _ begins: @Sendable () -> Void
    ) async throws -> ChainFailure? {
        let chainID = proposal.wallet.chainID
        guard let prepared = proposal.prepared, let group = try nodes.group(of: chainID),
            group.members.count > 1
        else { return nil }
        let id = proposal.request
        let query = try journal.recorded(.published) { state, _ -> ChainQuery? in
            guard state.request(id)?.request?.sendsTransaction == true else { return nil }
            return ChainQuery(reliedOnBy: prepared, for: id, in: state)
        }
        guard let query else { return nil }
        begins()
        guard let other = try await group.otherAnswer(to: query) else { return nil }
        probe?("compared")
        let found = try journal.recorded(.published) { state, _ in
            other.snapshot.contradiction(to: prepared, for: id, in: state)
        }
        return found.map { ChainFailure($0, of: chainID, group.servingURL, other.url) }
    }
}
