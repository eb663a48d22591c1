import DaybookCrypto
import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookSigner
import DaybookLinks
import DaybookProjections

extension Store {
    /// Receives a link's text as it came and says what became of it.
    ///
    /// The text is durable before anything that is derived from it is shown or done; a private key
    /// in it is replaced by its kind and length. Whatever is wrong with it is a refusal, not an
    /// error. `key` is the front end's own: the same key with the same text is the same request,
    /// received once.
    ///
    /// - Throws: `keyConflict` when the key was used for another text, `invalidName` when it is
    ///   empty or longer than 128 bytes.
    public func receive(_ text: String, key: String? = nil) async throws -> WalletRequest {
        try await receive(Array(text.utf8), key: key)
    }

    /// As `receive(_:key:)`, for a text that may not be UTF-8.
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
                            position: row.position)
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
            let new = events.lazy.compactMap(\.receivedRequest).last
            try await worker.run()
            if let new {
                try await worker.refresh(for: new)
                return try view(new)
            }
            let known = try key.flatMap { key in
                try journal.read { $0.requestKeys[Pair(frontEnd, key)]?.position }
            }
            guard let known else { throw DaybookError(Refusal(.unknownRequest)) }
            return try view(known)
        }
    }

    /// The requests that wait for their user, in the order in which they came.
    public func pending() async throws -> [WalletRequest] {
        try await facing {
            try await expire()
            return try journal.read { state in
                state.pendingRequests().compactMap { id in
                    state.request(id).map { view(id, $0, state) }
                }
            }
        }
    }

    /// One request as it stands.
    ///
    /// - Throws: `unknownRequest`.
    public func request(_ id: UInt64) throws -> WalletRequest {
        try facing { try view(id) }
    }

    /// What to show for a request in a certain wallet, or with the amount that the user entered.
    ///
    /// - Throws: `unknownRequest`, `alreadyDecided`, `wrongWallet`, `keyMismatch`; for `bind`,
    ///   which shows an address of the wallet, `keyMissing`, `keyDamaged` and `permissionDenied`.
    public func prompt(for id: UInt64, wallet: UInt64? = nil, amount: UInt64? = nil) throws
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
                guard let chosen = wallet ?? candidates.first?.id,
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

    /// Rejects a request; the callback, where the protocol has one, says so.
    ///
    /// That ends also a request that is approved and signed, as long as no node has said that it
    /// has the transaction: its coins are free again. The transaction may be executed all the same
    /// (`mayStillExecute`), so that another payment to the same terms spends the same coin.
    ///
    /// - Throws: `unknownRequest`, `alreadyDecided`, `expired`, `sending` while another task or
    ///   process sends the transaction.
    public func reject(_ id: UInt64) async throws -> WalletRequest {
        try await facing {
            let turn = try turnToReject(id)
            defer { turn?.end() }
            let isOurTurn = turn != nil
            try await decide(
                id,
                DecisionMade(
                    decision: .reject, prompt: nil, wallet: nil, amount: nil, unlocked: false),
                if: { row in
                    // Who signed it a moment ago is about to send it.
                    if row.status == .signed, !isOurTurn { throw Self.sending(id) }
                })
            return try view(id)
        }
    }

    /// The turn to send a signed request's transaction: what is being sent now is not rejected,
    /// because the node may be about to say that it has it.
    private func turnToReject(_ id: UInt64) throws -> (any Turn)? {
        guard try journal.read({ $0.request(id)?.status }) == .signed else { return nil }
        guard let turn = try worker.turns.take(of: id) else { throw Self.sending(id) }
        return turn
    }

    private static func sending(_ id: UInt64) -> DaybookError {
        DaybookError(
            "sending", .refused, "the transaction of request \(id) is just being sent")
    }

    /// Rejects every request of a sender that waits for the user: the way out of a flood.
    ///
    /// `sender` is the URL scheme that the requests name; the senderless ones are meant by nil.
    /// The requests that were rejected come back; none is no error.
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

    func view(_ id: UInt64) throws -> WalletRequest {
        let (request, isAnswered) = try journal.read { state in
            guard let row = state.request(id) else {
                throw DaybookError(Refusal(.unknownRequest))
            }
            return (view(id, row, state), row.callback != nil)
        }
        return isAnswered ? request.answered(by: try handOutCallback(of: id)) : request
    }

    private nonisolated func view(
        _ id: UInt64, _ row: RequestRow, _ state: State
    ) -> WalletRequest {
        var isShown = true
        if row.status == .pending, let request = row.request,
            let wallet = state.candidates(for: request).first?.id
        {
            isShown = canPrompt(for: request, in: wallet, state)
        }
        return WalletRequest(id, row, state, showsPrompt: isShown)
    }

    /// Records what is due by the clock, so that nobody is shown what can't be approved any more.
    func expire() async throws {
        if try journal.isSomethingDue { try await journal.record { _, _ in [] } }
    }

    /// Records a decision, and in the same commit the inputs that go with what follows from it.
    ///
    /// A refusal of the decision is thrown, and stands in the log as well. `check` sees the request
    /// as the decision would find it; nothing is recorded where it throws.
    func decide(
        _ id: UInt64, _ decision: DecisionMade,
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
            // What is given away or signed follows from this very state.
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
    fileprivate var deferred: UInt64? {
        lazy.compactMap { outcome -> UInt64? in
            if case .requestDeferred = outcome.payload { outcome.request } else { nil }
        }.first
    }
}

extension Event {
    fileprivate var receivedRequest: UInt64? {
        if case .requestReceived = payload { position } else { nil }
    }
}
