import DaybookChains
import DaybookDomain
public import DaybookEncoding
import DaybookLog
import DaybookReplay

extension Store {
    /// The payments that are signed and not yet in a block, in the order of their requests.
    ///
    /// Each says why no node has taken it, if a node said so, and what it reserves. A payment with
    /// an InstantSend lock or a ChainLock is final and not listed. For example:
    ///
    ///     for payment in try await store.inFlight() where payment.request.status == .signed {
    ///         show(payment.request.reason, payment.request.advice)
    ///     }
    public func inFlight() throws(DaybookError) -> [InFlightPayment] {
        try convertingErrors {
            let payments = try journal.read(.askedNow) { state, log in
                try state.inFlight().compactMap { id -> InFlightPayment? in
                    guard let row = state.request(id) else { return nil }
                    let (request, course) = try view(id, state, log)
                    return InFlightPayment(
                        request: request, wallet: row.wallet,
                        walletLabel: row.wallet.flatMap { state.wallets[$0]?.wallet.label },
                        since: Timestamp(course?.signed),
                        asked: Timestamp(course?.answer?.time),
                        held: state.heldAmounts(by: id, row))
                }
            }
            for request in payments.map(\.request) {
                if let callback = request.callback { rememberHandedOut(callback, of: request.id) }
            }
            return payments
        }
    }
}

extension State {
    /// The amounts that an unfinished payment reserves, with the units of their assets.
    func heldAmounts(by id: RequestID, _ row: RequestRow) -> [InFlightPayment.Held] {
        guard let chain = row.request?.chain, let number = row.wallet,
            let network = wallets[number]?.wallet.network
        else { return [] }
        return held(by: id, row).map { reserve in
            let unit = unit(of: reserve.asset, chain, network)
            return InFlightPayment.Held(
                asset: reserve.asset, symbol: unit.symbol, decimals: unit.decimals,
                amount: MinorAmount(reserve.amount))
        }
    }
}

extension LogSnapshot {
    /// The course of a request's payment; nil if its row says everything, as for most requests.
    func courseIfNeeded(
        of id: RequestID, _ row: RequestRow, in state: State
    ) throws -> PaymentCourse? {
        guard row.payment != nil, state.paymentState(of: row).hasCourse else { return nil }
        return try course(of: id)
    }

    /// The recorded text of a link that was refused unread; nil for other requests.
    func unreadLink(of id: RequestID, _ row: RequestRow) throws -> Bytes? {
        row.status == .refused && row.request == nil ? try link(of: id) : nil
    }

    /// The recorded text of a request's link; nil if it has none.
    func link(of id: RequestID) throws -> Bytes? {
        guard case .requestReceived(let data) = try record(at: id.number)?.event()?.payload else {
            return nil
        }
        return data.text
    }
}

extension Store {
    /// The changes of payments since the log had `count` events, and nodes' answers since then.
    func paymentChanges(
        after count: UInt64, _ answers: [RequestID: BroadcastAnswered]
    ) throws -> [PaymentChange] {
        var kinds = answers.mapValues { answer -> PaymentChange.Kind in
            answer.answer == .accepted ? .sentAgain : .notTaken
        }
        var next = count
        while true {
            let records = try journal.log.read(.published) {
                try $0.records(from: next, limit: Self.page)
            }
            guard let last = records.last else { break }
            next = last.position + 1
            for record in records where Self.changeTypes.contains(record.type) {
                guard let event = try record.event(), let id = event.request,
                    let kind = try kind(of: event, id)
                else { continue }
                kinds[id] = kind
            }
        }
        return try kinds.keys.sorted().compactMap { id in
            guard let kind = kinds[id] else { return nil }
            return PaymentChange(kind: kind, request: try viewRecorded(id))
        }
    }

    /// The number of events that are read at once.
    private static var page: Int { 500 }

    /// Only events of these types are decoded.
    private static var changeTypes: Set<String> {
        [
            TransactionSent.type, TransactionFailed.type, TransactionDropped.type,
            TransactionReorganised.type, TransactionConfirmed.type, RequestCancelled.type,
        ]
    }

    private func kind(of event: Event, _ id: RequestID) throws -> PaymentChange.Kind? {
        switch event.payload {
        case .transactionSent: .sent
        case .transactionFailed: .failed
        case .transactionDropped: .lost
        case .requestCancelled: .cancelled
        case .transactionReorganised: .reorganised
        case .transactionConfirmed(let data) where data.failure != nil: .lost
        case .transactionConfirmed:
            try journal.course(of: id).wasGivenUp ? .executed : nil
        default: nil
        }
    }

    /// Records the nodes' answers to payments that were sent again, unless they repeat older ones.
    ///
    /// They have no outcomes, but tell why a node does not take a payment again. Returns those that
    /// say something new of a payment in flight.
    func recordSentAgain(
        _ answers: [RequestID: BroadcastAnswered]
    ) async throws -> [RequestID: BroadcastAnswered] {
        let open = try journal.read(.published) { state, _ in
            answers.filter { id, _ in
                state.request(id).map { state.loss(of: $0) == nil } ?? false
            }
        }
        let new = try open.sorted { $0.key < $1.key }.filter { id, answer in
            switch answer.answer {
            case .accepted: try journal.course(of: id).answer != nil
            case .refused: false
            case .unknown: try !journal.isOld(answer, of: id)
            }
        }
        if new.isEmpty { return open }
        try await journal.record { state, _, _ in
            new.compactMap { id, answer in
                guard let row = state.request(id), row.status == .completed || row.status == .sent,
                    state.loss(of: row) == nil
                else { return nil }
                return .init(.broadcastAnswered(answer), request: .at(id), actor: .node)
            }
        }
        return open
    }
}

extension Store {
    /// Requests a child-pays-for-parent transaction (CPFP) for a Dash or Axe payment.
    ///
    /// The child spends one of the payment's outputs to this wallet and pays a higher fee; these
    /// networks have no replace-by-fee. The result is a pending request without a caller, which the
    /// user approves like any other. It is refused if there is nothing to bump: `unknownRequest`,
    /// `noPayment`, `notSent` while no node has the payment, `alreadyConfirmed`, `alreadyBumped`,
    /// `noOwnOutput`, `outputSpent`, `outputTooSmall`, `feeTooHigh`, `notOnICON`,
    /// `chainUnavailable`.
    public func bump(_ payment: RequestID) async throws(DaybookError) -> WalletRequest {
        try await request(.bump, of: payment)
    }

    /// Requests to cancel a Dash or Axe payment that no node has: its coin returns to the wallet.
    ///
    /// Only one of the two transactions can be executed. Both are in flight until one is in a
    /// block; meanwhile, also while the cancellation is pending, the payment is not sent. In the
    /// end the payment's request is `cancelled`, or the cancellation's is `failed`. It is refused
    /// with `alreadySent` if a node has the payment, `alreadyCancelled`, `isCancellation`,
    /// `coinsGone`, and for the reasons of `bump`.
    public func cancel(_ payment: RequestID) async throws(DaybookError) -> WalletRequest {
        try await request(.cancel, of: payment)
    }

    private func request(
        _ remedy: Remedy, of payment: RequestID
    ) async throws(DaybookError) -> WalletRequest {
        try await convertingErrors {
            let asked = RemedyRequested(
                remedy: remedy, payment: payment, frontEnd: journal.frontEnd)
            let events = try await journal.record(.init(.remedyRequested(asked), request: .own))
            probe?("request recorded")
            guard let id = events.lazy.compactMap(\.newRequest).first else {
                throw DaybookError(Refusal(.unknownRequest))
            }
            try await worker.run(for: id)
            return try view(id)
        }
    }
}
