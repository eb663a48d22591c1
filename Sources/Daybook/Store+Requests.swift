import DaybookChains
import DaybookCrypto
import DaybookDomain
public import DaybookEncoding
import DaybookLinks
import DaybookReplay
import DaybookSigner

extension Store {
    /// Records a link's text and returns the request that it became, or its refusal.
    ///
    /// The text is durable before anything that follows from it is shown or done. A private key in
    /// it is replaced by its kind and length. An invalid link is a refusal, not an error. `key`
    /// makes the call idempotent: the same key with the same text is received once.
    ///
    /// - Throws: `keyConflict` when the key was used for another text, `invalidName` when it is
    ///   empty or longer than 128 bytes.
    public func receive(_ text: String, key: String? = nil) async throws -> WalletRequest {
        try await receive(Array(text.utf8), key: key)
    }

    /// The same as `receive(_:key:)`, for a text that may not be UTF-8.
    public func receive(_ text: [UInt8], key: String? = nil) async throws -> WalletRequest {
        try await facing {
            if let key { try Self.check(key, "the front end's key") }
            try await worker.run()
            let recorded = Links.recorded(text)
            let digest = SHA256.hash(recorded)
            let judgement = try await worker.judgement(of: recorded)
            let frontEnd = journal.frontEnd
            let events = try await journal.record { state, _ in
                if let key, let row = state.requestKeys[Pair(frontEnd, key)] {
                    guard row.digest == digest else {
                        throw DaybookError(
                            "keyConflict", .usage, "the key was used for another text",
                            position: row.target.position)
                    }
                    return []
                }
                let received = RequestReceived(text: recorded, frontEnd: frontEnd, key: key)
                return [
                    .init(.requestReceived(received), request: .own) { state, outcomes in
                        outcomes.deferred.flatMap { judgement?(state, $0) } ?? []
                    }
                ]
            }
            probe?("request recorded")
            let new = events.lazy.compactMap(\.newRequest).last
            try await worker.run()
            if let new {
                try await worker.refresh(for: new)
                return try view(new)
            }
            let known = try key.flatMap { key in
                try journal.read { $0.requestKeys[Pair(frontEnd, key)]?.target }
            }
            guard let known else { throw DaybookError(Refusal(.unknownRequest)) }
            return try view(known)
        }
    }

    /// The requests that wait for the user, oldest first.
    public func pending() async throws -> [WalletRequest] {
        try await facing {
            try await journal.recordDue()
            return try journal.read { state in
                state.pendingRequests().compactMap { id in
                    state.request(id).map { view(id, $0, state) }
                }
            }
        }
    }

    /// A request and its current status.
    ///
    /// - Throws: `unknownRequest`.
    public func request(_ id: RequestID) throws -> WalletRequest {
        try facing { try view(id) }
    }

    /// The prompt of a request for a chosen wallet, or for the amount that the user entered.
    ///
    /// - Throws: `unknownRequest`, `alreadyDecided`, `wrongWallet`, `keyMismatch`; for `bind`,
    ///   which shows an address of the wallet, `keyMissing`, `keyDamaged` and `permissionDenied`.
    public func prompt(for id: RequestID, wallet: WalletID? = nil, amount: UInt64? = nil) throws
        -> PromptText
    {
        try facing {
            try journal.read { state in
                guard let row = state.request(id), let request = row.request else {
                    throw DaybookError(Refusal(.unknownRequest))
                }
                guard row.status == .pending else {
                    throw DaybookError(
                        Refusal(row.status == .expired ? .expired : .alreadyDecided))
                }
                let candidates = state.candidates(for: request)
                let offered = state.offered(for: request, id, repeats: row.repeats)
                guard let chosen = wallet ?? offered,
                    candidates.contains(where: { $0.id == chosen })
                else { throw DaybookError(Refusal(.wrongWallet)) }
                try checkPrompt(for: request, in: chosen, state)
                return PromptText(
                    state.prompt(
                        for: request, id: id, wallet: chosen, amount: amount,
                        repeats: row.repeats))
            }
        }
    }

    /// Rejects a request and answers its caller, if the protocol has an answer for that.
    ///
    /// A request that is approved or signed can be rejected as long as no node has said that it has
    /// the transaction; its coins are free again. The network may execute a signed transaction all
    /// the same (`mayStillExecute`), so another payment to the same terms spends the same coin.
    ///
    /// - Throws: `unknownRequest`, `alreadyDecided`, `expired`, `sending` while another task or
    ///   process sends the transaction.
    public func reject(_ id: RequestID) async throws -> WalletRequest {
        try await facing {
            let lock = try lockToReject(id)
            defer { lock?.end() }
            let isLocked = lock != nil
            try await decide(
                id,
                DecisionMade(
                    decision: .reject, prompt: nil, wallet: nil, amount: nil, unlocked: false),
                if: { row in
                    // The task that signed it a moment ago is about to send it.
                    if row.status == .signed, !isLocked { throw Self.sending(id) }
                })
            return try view(id)
        }
    }

    /// Locks the sending of a signed request, so that no task or process sends it meanwhile.
    ///
    /// While one sends it, the request can't be rejected.
    private func lockToReject(_ id: RequestID) throws -> (any SendLock)? {
        guard try journal.read({ $0.request(id)?.status }) == .signed else { return nil }
        guard let lock = try worker.sendLocks.take(of: id) else { throw Self.sending(id) }
        return lock
    }

    private static func sending(_ id: RequestID) -> DaybookError {
        DaybookError(
            "sending", .refused, "the transaction of request \(id) is just being sent")
    }

    /// Rejects all pending requests of a sender, for example after a flood of them.
    ///
    /// `sender` is the URL scheme that the requests name; nil means requests without a sender.
    /// Returns the requests that were rejected, perhaps none.
    public func rejectAll(from sender: String?) async throws -> [WalletRequest] {
        try await facing {
            let sender = sender?.lowercased()
            let ids = try journal.read { state in
                state.pendingRequests().filter { id in
                    state.request(id)?.request.map { $0.caller?.scheme == sender } ?? false
                }
            }
            var rejected: [WalletRequest] = []
            for id in ids { rejected.append(try await reject(id)) }
            return rejected
        }
    }

    // MARK: - Helpers of deciding

    /// A request as it stands; its events are read where its row does not say all, or always.
    func view(_ id: RequestID, readsEvents: Bool = false) throws -> WalletRequest {
        try viewAndCourse(id, readsEvents: readsEvents).view
    }

    /// A request as it stands, and what its events say of its payment where they are read.
    func viewAndCourse(
        _ id: RequestID, readsEvents: Bool
    ) throws -> (view: WalletRequest, course: PaymentCourse?) {
        let (request, isAnswered, standing, standstill) = try journal.read { state in
            guard let row = state.request(id) else {
                throw DaybookError(Refusal(.unknownRequest))
            }
            return (
                view(id, row, state), row.callback != nil,
                PaymentStanding(row, state, readsEvents: readsEvents),
                row.status.isTerminal ? nil : state.standstill(of: id, row)
            )
        }
        let course = try standing.map { _ in try journal.course(of: id) }
        var known = request
        if let standing, let course {
            known = request.following(course, standing.loss, on: standing.chain)
        }
        known = known.standing(still: standstill)
        return (isAnswered ? known.answered(by: try handOutCallback(of: id)) : known, course)
    }

    private nonisolated func view(
        _ id: RequestID, _ row: RequestRow, _ state: State
    ) -> WalletRequest {
        var isShown = true
        if row.status == .pending, let request = row.request,
            let wallet = state.offered(for: request, id, repeats: row.repeats)
        {
            isShown = canPrompt(for: request, in: wallet, state)
        }
        return WalletRequest(id, row, state, showsPrompt: isShown)
    }

    /// Records a decision and, in the same commit, the inputs that depend on its outcomes.
    ///
    /// A refused decision is recorded and thrown. `check` gets the request just before the decision
    /// is recorded; if it throws, nothing is.
    func decide(
        _ id: RequestID, _ decision: DecisionMade,
        if check: @escaping @Sendable (RequestRow) throws -> Void = { _ in },
        with companions: @escaping @Sendable (State, [Outcome]) throws -> [Journal.Input] = {
            _, _ in []
        }
    ) async throws {
        let events = try await journal.record { [self] state, _ in
            guard let row = state.request(id) else {
                throw DaybookError(Refusal(.unknownRequest))
            }
            try check(row)
            // Keys are checked in the state that the decision is made in.
            if decision.decision == .approve, let wallet = decision.wallet {
                _ = try checkedWallet(wallet, in: state)
            }
            return [.init(.decisionMade(decision), request: .at(id), with: companions)]
        }
        for case .decisionRefused(let data) in events.map(\.payload) {
            throw DaybookError(data.refusal)
        }
        probe?("decision recorded")
    }
}

extension [Outcome] {
    /// The request that waits for the chain.
    fileprivate var deferred: RequestID? {
        lazy.compactMap { outcome -> RequestID? in
            if case .requestDeferred = outcome.payload { outcome.request } else { nil }
        }.first
    }
}

extension Event {
    /// The request that begins with this event.
    var newRequest: RequestID? { request.flatMap { $0.position == position ? $0 : nil } }
}
