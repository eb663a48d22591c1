package import DaybookEncoding

/// The state of a request as its user sees it, computed from the request's events alone.
///
/// A row's `status` decides what its caller may be told; this state also tells what became of the
/// transaction on its chain. `docs/NODES.md` has a story for each state, and
/// `docs/payment-states.svg` shows the transitions.
package enum PaymentState: String, CaseIterable, Sendable {
    case received, deferred, pending, approved
    case signed, sent, locked, confirmed
    case answered
    case refused, coalesced, rejected, expired, failed
    case dropped, cancelled, failedOnChain

    /// Whether nothing remains to be done or waited for.
    package var isEnd: Bool {
        switch self {
        case .received, .deferred, .pending, .approved, .signed, .sent: false
        case .locked, .confirmed, .answered, .refused, .coalesced, .rejected, .expired, .failed,
            .dropped, .cancelled, .failedOnChain:
            true
        }
    }
}

/// A step from one state of a request to the next.
package struct PaymentTransition: Equatable, Sendable {
    package let from: PaymentState
    /// The event, as the diagram names it.
    package let event: Step
    package let to: PaymentState

    /// The events that change a request's state.
    package enum Step: String, CaseIterable, Sendable {
        case deferred = "request.deferred"
        case accepted = "request.accepted"
        case refused = "request.refused"
        case coalesced = "request.coalesced"
        case expired = "request.expired"
        case rejected = "request.rejected"
        case granted = "binding.granted"
        case prepared = "transaction.prepared"
        case signed = "transaction.signed"
        case signedOnly = "transaction.signed (to be sent by the caller)"
        case notTaken = "broadcast.answered (unknown)"
        case sent = "transaction.sent"
        case locked = "transaction.locked"
        case confirmed = "transaction.confirmed"
        case failedOnChain = "transaction.confirmed (with failure)"
        case reorganised = "transaction.reorganised"
        case dropped = "transaction.dropped"
        case failed = "transaction.failed"
        case cancelled = "request.cancelled"
    }

    private init(_ from: PaymentState, _ event: Step, _ to: PaymentState) {
        (self.from, self.event, self.to) = (from, event, to)
    }

    /// All transitions; any other one in a request's events means a damaged log.
    package static let all: [PaymentTransition] = asking + paying + settling + afterwards

    private static let asking: [PaymentTransition] = [
        .init(.received, .deferred, .deferred),
        .init(.received, .accepted, .pending),
        .init(.deferred, .accepted, .pending),
        .init(.received, .refused, .refused),
        .init(.deferred, .refused, .refused),
        .init(.received, .coalesced, .coalesced),
        .init(.pending, .expired, .expired),
        .init(.pending, .rejected, .rejected),
        .init(.pending, .granted, .answered),
        .init(.pending, .prepared, .approved),
        .init(.pending, .failed, .failed),
    ]

    private static let paying: [PaymentTransition] = [
        .init(.approved, .signed, .signed),
        .init(.approved, .signedOnly, .answered),
        .init(.approved, .rejected, .rejected),
        .init(.approved, .failed, .failed),
        .init(.signed, .notTaken, .signed),
        .init(.signed, .sent, .sent),
        .init(.signed, .rejected, .rejected),
        .init(.signed, .failed, .failed),
    ]

    /// After a lost answer, a payment that the chain already shows is still `signed`.
    private static let settling: [PaymentTransition] =
        [.signed, .sent].flatMap { (from: PaymentState) in
            [
                .init(from, .locked, .locked),
                .init(from, .confirmed, .confirmed),
                .init(from, .failedOnChain, .failedOnChain),
            ]
        } + [
            .init(.sent, .notTaken, .sent),
            .init(.sent, .sent, .sent),
            .init(.sent, .rejected, .rejected),
            .init(.locked, .notTaken, .locked),
            .init(.locked, .sent, .locked),
            .init(.confirmed, .notTaken, .confirmed),
            .init(.confirmed, .sent, .confirmed),
            .init(.failedOnChain, .notTaken, .failedOnChain),
            .init(.failedOnChain, .sent, .failedOnChain),
            .init(.locked, .confirmed, .confirmed),
            .init(.confirmed, .locked, .confirmed),
        ]

    /// The transitions of a payment whose caller may have been told that it is paid.
    private static let afterwards: [PaymentTransition] =
        [.sent, .locked].flatMap { (from: PaymentState) in
            [.init(from, .dropped, .dropped), .init(from, .failed, .failed)]
        }
        // On ICON, a dropped transaction is asked about again after it has expired.
        + [.init(.dropped, .dropped, .dropped)]
        + [.signed, .sent, .locked, .dropped].map { .init($0, .cancelled, .cancelled) }
        + [.confirmed, .failedOnChain].map { .init($0, .reorganised, .sent) }
        + [.dropped, .cancelled, .failed, .rejected].flatMap { (from: PaymentState) in
            [
                .init(from, .confirmed, .confirmed),
                .init(from, .failedOnChain, .failedOnChain),
                .init(from, .locked, from),
                .init(from, .reorganised, from),
            ]
        }

    /// The step that an event means for a request; nil if it does not change the state.
    package static func step(of payload: Payload, in action: Action?) -> Step? {
        switch payload {
        case .requestDeferred: .deferred
        case .requestAccepted: .accepted
        case .requestRefused: .refused
        case .requestCoalesced: .coalesced
        case .requestExpired: .expired
        case .requestRejected: .rejected
        case .bindingGranted: .granted
        case .transactionPrepared: .prepared
        case .transactionSigned:
            if case .sign = action { .signedOnly } else { .signed }
        case .broadcastAnswered(let data): data.answer == .unknown ? .notTaken : nil
        case .transactionSent: .sent
        case .transactionLocked: .locked
        case .transactionConfirmed(let data): data.failure == nil ? .confirmed : .failedOnChain
        case .transactionReorganised: .reorganised
        case .transactionDropped:
            // Nobody was told that a cancellation is paid.
            if case .remedy(.cancel, _) = action { .failed } else { .dropped }
        case .transactionFailed: .failed
        case .requestCancelled: .cancelled
        default: nil
        }
    }
}

/// The course of a request: its state and history, computed from its events.
package struct PaymentCourse: Sendable {
    package private(set) var state: PaymentState = .received
    /// The earlier states, oldest first.
    package private(set) var before: [PaymentState] = []
    /// When its transaction was signed.
    package private(set) var signed: UInt64?
    /// The last answer of a node to its transaction, unless the node accepted it, and its time.
    package private(set) var answer: (data: BroadcastAnswered, time: UInt64)?
    /// The height of its block.
    package private(set) var height: UInt64?
    /// When that block was made; nil if no node told it.
    package private(set) var blockTime: UInt64?
    /// ICON: the node's text about a failed execution.
    package private(set) var failure: String?
    /// Whether the caller was told that it is paid.
    package private(set) var isAnswered = false
    /// The first step that is not in `PaymentTransition.all`.
    package private(set) var fault: (from: PaymentState, step: PaymentTransition.Step)?

    private var action: Action?

    package init() {}

    /// Computes the course from some events; events of other requests are ignored.
    package init(of request: RequestID, _ events: some Sequence<Event>) {
        for event in events where event.request == request { apply(event) }
    }

    /// Applies the request's next event.
    package mutating func apply(_ event: Event) {
        note(event)
        guard let step = PaymentTransition.step(of: event.payload, in: action) else { return }
        let next = PaymentTransition.all.first { $0.from == state && $0.event == step }
        guard let next else {
            if fault == nil { fault = (state, step) }
            return
        }
        if next.to != state { before.append(state) }
        state = next.to
    }

    private mutating func note(_ event: Event) {
        switch event.payload {
        case .requestDeferred(let data): action = data.request.action
        case .requestAccepted(let data): action = data.request.action
        case .transactionSigned: signed = event.time
        case .broadcastAnswered(let data):
            answer = data.answer == .accepted ? nil : (data, event.time)
        case .transactionSent: answer = nil
        case .callbackEmitted: isAnswered = isPaid
        case .transactionConfirmed(let data):
            (height, failure, blockTime) = (data.height, data.failure, data.blockTime)
            answer = nil
        case .transactionReorganised: (height, failure, blockTime) = (nil, nil, nil)
        default: break
        }
    }

    /// Whether a callback emitted now says that the payment is made.
    private var isPaid: Bool {
        switch state {
        case .sent, .locked, .confirmed, .failedOnChain: true
        case .received, .deferred, .pending, .approved, .signed, .answered, .refused, .coalesced,
            .rejected, .expired, .failed, .dropped, .cancelled:
            isAnswered
        }
    }

    /// Whether it reached its state after it had counted as not executed.
    package var wasGivenUp: Bool {
        switch before.last {
        case .dropped, .cancelled, .failed, .rejected: true
        default: false
        }
    }

    /// Why no node has accepted the transaction, if a node said so.
    package var reason: NodeReason? { answer.flatMap { NodeReason($0.data) } }
}
