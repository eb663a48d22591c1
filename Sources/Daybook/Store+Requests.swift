import DaybookChains
import DaybookCrypto
import DaybookDomain
public import DaybookEncoding
import DaybookLinks
import DaybookLog
import DaybookReplay
import DaybookSigner

extension Store {
    /// Records a link's text and returns its request, which may be refused.
    ///
    /// The text is durable, and listed, before a node is asked. A private key in it is replaced by
    /// its kind and length. An invalid link is a refusal, not an error. Then the node is asked what
    /// the prompt depends on, and only that: the call returns when it has answered or its time is
    /// over, and does no other request's work. `key` makes the call idempotent: a text that is
    /// received again with the same key returns the first request.
    ///
    /// - Throws: `keyConflict` if the key was used for another text, `invalidName` if it is empty
    ///   or longer than 128 bytes.
    @discardableResult
    public func receive(
        _ text: String, key: String? = nil
    ) async throws(DaybookError) -> WalletRequest {
        try await receive(Array(text.utf8), key: key)
    }

    /// Records a link's text that may not be UTF-8; otherwise as `receive(_:key:)`.
    @discardableResult
    public func receive(
        _ text: [UInt8], key: String? = nil
    ) async throws(DaybookError) -> WalletRequest {
        try await convertingErrors {
            if let key { try Self.check(key, "the front end's key") }
            let recorded = Links.recorded(text)
            let digest = SHA256.hash(recorded)
            let frontEnd = journal.frontEnd
            let events = try await journal.record { state, _, _ in
                if let key, let row = state.requestKeys[Pair(frontEnd, key)] {
                    guard row.digest == digest else {
                        throw DaybookError(
                            "keyConflict", .usage, "the key was used for another text",
                            position: row.target.position)
                    }
                    return []
                }
                let received = RequestReceived(text: recorded, frontEnd: frontEnd, key: key)
                return [.init(.requestReceived(received), request: .own)]
            }
            probe?("request recorded")
            let new = events.lazy.compactMap(\.newRequest).last
            let known = try key.flatMap { key in
                try journal.read(.published) { state, _ in
                    state.requestKeys[Pair(frontEnd, key)]?.target
                }
            }
            guard let id = new ?? known else { throw DaybookError(Refusal(.unknownRequest)) }
            try await worker.prepare(id)
            return try viewRecorded(id)
        }
    }

    /// The requests that wait for the user, oldest first.
    public func pending() async throws(DaybookError) -> [WalletRequest] {
        try await convertingErrors {
            try await journal.readCurrent { state, log in
                try state.pendingRequests().compactMap { id in
                    try state.request(id).map { try view(id, $0, state, in: log.snapshot).request }
                }
            }
        }
    }

    /// A request with its current status.
    ///
    /// - Throws: `unknownRequest`.
    public func request(_ id: RequestID) throws(DaybookError) -> WalletRequest {
        try convertingErrors { try view(id) }
    }

    /// The prompt of a pending request for another wallet, amount or choice of coins.
    ///
    /// - Throws: `unknownRequest`, `alreadyDecided`, `wrongWallet`, `keyMismatch`; for `bind`,
    ///   which shows an address of the wallet, `keyMissing`, `keyDamaged` and `permissionDenied`.
    public func prompt(
        for id: RequestID, wallet: WalletID? = nil, amount: MinorAmount? = nil,
        coins: ChosenCoins = .automatic
    ) throws(DaybookError) -> PromptText {
        let choice = try coins.recorded()
        let entered = try amount?.entered()
        return try convertingErrors {
            try journal.read { state in
                guard let row = state.request(id) else {
                    throw DaybookError(Refusal(.unknownRequest))
                }
                guard row.status == .pending, let request = row.request else {
                    throw DaybookError(closed: id, row, in: state)
                }
                let candidates = state.candidates(for: request)
                // Choosing a wallet may make a prompt for each candidate.
                let chosen: WalletID? =
                    if let wallet { wallet } else {
                        state.offered(for: request, id, repeats: row.repeats)
                    }
                guard let chosen, candidates.contains(where: { $0.id == chosen }) else {
                    throw DaybookError(Refusal(.wrongWallet))
                }
                try checkPrompt(for: request, in: chosen, state)
                return PromptText(
                    for: request, id, row, wallet: chosen, amount: entered, coins: choice, state)
            }
        }
    }

    /// Rejects a request and makes the callback, if the protocol has one for a rejection.
    ///
    /// A signed request can be rejected until a node has accepted its transaction; its coins are
    /// free again. The network may still execute the transaction (`mayStillExecute`), so another
    /// payment to the same terms spends the same coin.
    ///
    /// - Throws: `unknownRequest`, `alreadyDecided`, `expired`, `sending` while another task or
    ///   process sends the transaction.
    @discardableResult
    public func reject(_ id: RequestID) async throws(DaybookError) -> WalletRequest {
        try await convertingErrors {
            let lock = try lockToReject(id)
            defer { lock?.end() }
            let isLocked = lock != nil
            try await decide(
                id,
                DecisionMade(
                    decision: .reject, prompt: nil, wallet: nil, amount: nil, unlocked: false),
                if: { row in
                    // It was signed a moment ago, and the task that did so is about to send it.
                    if row.status == .signed, !isLocked { throw Self.sending(id) }
                })
            return try viewRecorded(id)
        }
    }

    /// Locks the sending of a signed request, so that no task or process can send it meanwhile.
    private func lockToReject(_ id: RequestID) throws -> (any SendLock)? {
        guard try journal.read({ $0.request(id)?.status }) == .signed else { return nil }
        guard let lock = try sendLock(id) else { throw Self.sending(id) }
        return lock
    }

    private static func sending(_ id: RequestID) -> DaybookError {
        DaybookError(
            "sending", .refused, "the transaction of request \(id) is being sent")
    }

    /// Rejects all pending requests of a sender, for example after a flood of them.
    ///
    /// `sender` is the URL scheme that the requests name; nil means requests without a sender.
    /// Returns the requests that were rejected.
    @discardableResult
    public func rejectAll(from sender: String?) async throws(DaybookError) -> [WalletRequest] {
        try await convertingErrors {
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

    // MARK: - Views

    /// A request in its current state, with its callback; as the answer to its approval if that
    /// was just given.
    func view(_ id: RequestID, answering approval: Bool = false) throws -> WalletRequest {
        let request = try journal.read(.askedNow) { state, log in
            let request = try view(id, state, log).request
            return approval ? request.answeringApproval(state.request(id)) : request
        }
        if let callback = request.callback { rememberHandedOut(callback, of: id) }
        return request
    }

    /// A request of which the call has just recorded something; the log is asked for a callback.
    func viewRecorded(_ id: RequestID, answering approval: Bool = false) throws -> WalletRequest {
        let hasCallback = try journal.recorded(.published) { state, _ in
            state.request(id).map { $0.callback != nil } ?? true
        }
        if hasCallback { return try view(id, answering: approval) }
        return try journal.read(.published) { state, log in
            guard let row = state.request(id) else { throw DaybookError(Refusal(.unknownRequest)) }
            let request = try view(id, row, state, in: log).request
            return approval ? request.answeringApproval(row) : request
        }
    }

    /// A request in the given state, and the course of its payment if its events were read.
    func view(
        _ id: RequestID, _ state: State, _ log: AskedLog
    ) throws -> (request: WalletRequest, course: PaymentCourse?) {
        guard let row = state.request(id) else { throw DaybookError(Refusal(.unknownRequest)) }
        var (request, course) = try view(id, row, state, in: log.snapshot)
        if row.callback != nil {
            request = request.answered(by: try callback(of: id, state, log))
        }
        return (request, course)
    }

    /// A request without its callback.
    private func view(
        _ id: RequestID, _ row: RequestRow, _ state: State, in log: LogSnapshot
    ) throws -> (request: WalletRequest, course: PaymentCourse?) {
        let course = try log.courseIfNeeded(of: id, row, in: state)
        let request = WalletRequest(
            id, row, state, course: course, link: try log.unreadLink(of: id, row)
        ) { canPrompt(for: $0, in: $1, state) }
        return (request, course)
    }

    // MARK: - Deciding

    /// Records a decision and, in the same commit, the signatures of the transaction it prepares.
    ///
    /// A refused decision is recorded, and its refusal thrown. `check` gets the request just before
    /// the decision is recorded; if it throws, nothing is recorded. So it is if the key that signed
    /// counts no more.
    func decide(
        _ id: RequestID, _ decision: DecisionMade, by key: OpenedKey? = nil,
        if check: @escaping @Sendable (RequestRow) throws -> Void = { _ in },
        preparing transaction: Journal.Input.Transaction? = nil
    ) async throws {
        let keys = keys
        let events = try await journal.record { state, now, _ in
            guard let row = state.request(id) else {
                throw DaybookError(Refusal(.unknownRequest))
            }
            if row.request == nil { throw DaybookError(closed: id, row, in: state) }
            try check(row)
            // Keys and locks are checked in the very state that the decision is made in.
            if decision.decision == .approve, let wallet = decision.wallet {
                if let key { try keys.refuseOutdated(key, state, now) }
                _ = try keys.checked(wallet, in: state)
            }
            return [.init(.decisionMade(decision), request: .at(id), preparing: transaction)]
        }
        for case .decisionRefused(let data) in events.map(\.payload) {
            throw DaybookError(data.refusal)
        }
        probe?("decision recorded")
    }
}

extension DaybookError {
    /// The refusal of a decision on a request that takes none, which says what became of it.
    init(closed id: RequestID, _ row: RequestRow, in state: borrowing State) {
        let said = state.standing(of: id, row)
        switch said.status {
        case .expired: self.init(Refusal(.expired))
        case .coalesced:
            self.init(
                "alreadyDecided", .refused, "request \(id) \(said.sentence)",
                position: id.position)
        case .received, .deferred, .pending, .signed, .sent, .completed, .refused, .rejected,
            .failed, .cancelled:
            self.init(
                "alreadyDecided", .refused,
                "request \(id) is not open: it \(said.sentence)", position: id.position)
        }
    }
}

extension Event {
    /// The request that begins with this event.
    var newRequest: RequestID? { request.flatMap { $0.position == position ? $0 : nil } }
}
