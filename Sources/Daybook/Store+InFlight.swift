import DaybookChains
import DaybookDomain
public import DaybookEncoding
import DaybookLog
import DaybookReplay

extension Store {
    /// The payments that are signed and in no block yet, in the order of their requests.
    ///
    /// Each says why no node has taken it, as far as one said so, and what it holds back. One that
    /// InstantSend or a ChainLock holds is final, and not among them. For example:
    ///
    ///     for payment in try await store.inFlight() where payment.request.status == .signed {
    ///         show(payment.request.reason, payment.request.advice)
    ///     }
    public func inFlight() throws -> [InFlightPayment] {
        try facing {
            let found = try journal.read { state in
                state.inFlight().compactMap { id in
                    state.request(id).map { row in
                        (
                            id: id, wallet: row.wallet,
                            standstill: state.standstill(of: id, row),
                            held: state.heldAmounts(by: id, row)
                        )
                    }
                }
            }
            return try found.map { payment in
                let (request, course) = try viewAndCourse(payment.id, readsEvents: true)
                return InFlightPayment(
                    request: request.onItsWay().standing(still: payment.standstill),
                    wallet: payment.wallet, since: course?.signed, asked: course?.answer?.time,
                    held: payment.held)
            }
        }
    }
}

extension State {
    /// What an unfinished payment holds back, each with its asset's unit.
    func heldAmounts(by id: RequestID, _ row: RequestRow) -> [InFlightPayment.Held] {
        guard let chain = row.request?.chain, let number = row.wallet,
            let network = wallets[number]?.wallet.network
        else { return [] }
        return held(by: id, row).map { reserve in
            let unit = unit(of: reserve.asset, chain, network)
            return InFlightPayment.Held(
                asset: reserve.asset, symbol: unit.symbol, decimals: unit.decimals,
                minor: reserve.amount.decimal)
        }
    }
}

/// What of a request's row says that its events have to be asked.
struct PaymentStanding {
    let loss: PaymentLoss?
    let chain: Chain?

    /// Nil where the row says all: the events of most requests need not be read.
    init?(_ row: RequestRow, _ state: State, readsEvents: Bool) {
        chain = row.request?.chain
        loss = state.loss(of: row)
        guard row.payment != nil else { return nil }
        if readsEvents { return }
        switch row.status {
        case .signed, .sent: break
        case .failed where row.txid != nil: break
        case .completed where loss != nil: break
        default: return nil
        }
    }
}

extension Store {
    /// What became of payments since the log had so many events, and what nodes said meanwhile.
    func paymentNews(
        after count: UInt64, _ answers: [RequestID: BroadcastAnswered]
    ) throws -> [PaymentNews] {
        var kinds = answers.mapValues { answer -> PaymentNews.Kind in
            answer.answer == .accepted ? .sentAgain : .notTaken
        }
        var next = count
        while true {
            let records = try journal.log.read { try $0.records(from: next, limit: Self.page) }
            guard let last = records.last else { break }
            next = last.position + 1
            for record in records where Self.newsTypes.contains(record.type) {
                guard let event = try record.event(), let id = event.request,
                    let kind = try kind(of: event, id)
                else { continue }
                kinds[id] = kind
            }
        }
        return try kinds.keys.sorted().compactMap { id in
            guard let kind = kinds[id] else { return nil }
            return PaymentNews(kind: kind, request: try view(id, readsEvents: true))
        }
    }

    /// So many events are looked through at once.
    private static var page: Int { 500 }

    /// Only these events are decoded.
    private static var newsTypes: Set<String> {
        [
            TransactionSent.type, TransactionFailed.type, TransactionDropped.type,
            TransactionReorganised.type, TransactionConfirmed.type, RequestCancelled.type,
        ]
    }

    private func kind(of event: Event, _ id: RequestID) throws -> PaymentNews.Kind? {
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

    /// Records what nodes said to payments that they had been given before, where that is news.
    ///
    /// Nothing follows from it: it says why a payment that a mempool forgot is not taken again.
    func recordSentAgain(_ answers: [RequestID: BroadcastAnswered]) async throws {
        let news = try answers.sorted { $0.key < $1.key }.filter { id, answer in
            switch answer.answer {
            case .accepted: try journal.course(of: id).answer != nil
            case .refused: false
            case .unknown: try !journal.isOld(answer, of: id)
            }
        }
        if news.isEmpty { return }
        try await journal.record { state, _ in
            news.compactMap { id, answer in
                guard let row = state.request(id), row.status == .completed || row.status == .sent,
                    state.loss(of: row) == nil
                else { return nil }
                return .init(.broadcastAnswered(answer), request: .at(id), actor: .node)
            }
        }
    }
}

extension Store {
    /// Asks to help a Dash or Axe payment into a block by a child that pays for it.
    ///
    /// The child spends an output of ours that the payment makes, and the rest comes back to the
    /// wallet: these networks replace no payment by a dearer one. What comes back is a request of
    /// its own, which waits for its user like any other; nobody else is told of it. Where there is
    /// nothing to bump it is refused: `unknownRequest`, `noPayment`, `notSent` while no node has
    /// the payment, `alreadyConfirmed`, `alreadyBumped`, `noOwnOutput`, `outputSpent`,
    /// `outputTooSmall`, `feeTooHigh`, `notOnICON`, `chainUnavailable`.
    public func bump(_ payment: RequestID) async throws -> WalletRequest {
        try await ask(for: .bump, of: payment)
    }

    /// Asks to cancel a Dash or Axe payment that no node has, by spending its coin to ourselves.
    ///
    /// Only one of the two can be executed. Until a block has one of them, both are in flight; the
    /// payment is not sent while its cancellation waits for its user or for its block. The request
    /// of the payment then ends as `cancelled`, or that of the cancellation as `failed`. It is
    /// refused with `alreadySent` where a node has the payment, `alreadyCancelled`,
    /// `isCancellation`, `coinsGone` and what `bump` says.
    public func cancel(_ payment: RequestID) async throws -> WalletRequest {
        try await ask(for: .cancel, of: payment)
    }

    private func ask(for remedy: Remedy, of payment: RequestID) async throws -> WalletRequest {
        try await facing {
            let frontEnd = journal.frontEnd
            let events = try await journal.record { _, _ in
                let asked = RemedyRequested(remedy: remedy, payment: payment, frontEnd: frontEnd)
                return [.init(.remedyRequested(asked), request: .own)]
            }
            probe?("request recorded")
            guard let id = events.lazy.compactMap(\.newRequest).first else {
                throw DaybookError(Refusal(.unknownRequest))
            }
            try await worker.run(for: id)
            return try view(id)
        }
    }
}
