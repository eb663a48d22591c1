package import DaybookEncoding

/// Where a request stands, as its user sees it: told by its own events alone.
///
/// A row's `status` says what its caller may be told; this says beside it what became of the
/// transaction on its chain. `docs/NODES.md` has a story for each, `docs/payment-states.svg` a
/// drawing of the transitions.
package enum PaymentState: String, CaseIterable, Sendable {
    case received, deferred, pending, approved
    case signed, sent, locked, confirmed
    case answered
    case refused, coalesced, rejected, expired, failed
    case dropped, cancelled, failedOnChain

    /// Whether nothing of it remains to be done or waited for.
    package var isEnd: Bool {
        switch self {
        case .received, .deferred, .pending, .approved, .signed, .sent: false
        default: true
        }
    }
}

/// A step from one state of a request to the next.
package struct PaymentTransition: Equatable, Sendable {
    package let from: PaymentState
    /// What happened, as a drawing names it.
    package let event: Step
    package let to: PaymentState

    /// The kinds of events that move a request.
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

    /// Every step that there is; a request whose events say another one has a damaged log.
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

    /// A lost answer leaves a payment signed that the chain shows already.
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

    /// What becomes of a payment whose caller may have heard of it before.
    private static let afterwards: [PaymentTransition] =
        [.sent, .locked].flatMap { (from: PaymentState) in
            [.init(from, .dropped, .dropped), .init(from, .failed, .failed)]
        }
        // ICON is asked again once no node can take the transaction any more.
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

    /// The step that an event of a request is; nil where it changes nothing of where that stands.
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
        case .transactionDropped: .dropped
        case .transactionFailed: .failed
        case .requestCancelled: .cancelled
        default: nil
        }
    }
}

/// What the events of one request say of where it stands.
package struct PaymentCourse: Sendable {
    package private(set) var state: PaymentState = .received
    /// The states that it was in before, the first one first.
    package private(set) var before: [PaymentState] = []
    /// When its transaction was signed.
    package private(set) var signed: UInt64?
    /// What a node said last to its transaction, if that was no yes, and when.
    package private(set) var answer: (data: BroadcastAnswered, time: UInt64)?
    /// The block that has it.
    package private(set) var height: UInt64?
    /// What ICON says of an execution without success: a text of the node's.
    package private(set) var failure: String?
    /// Whether the caller was told that it is paid.
    package private(set) var isAnswered = false
    /// The first step that no transition allows.
    package private(set) var fault: (from: PaymentState, step: PaymentTransition.Step)?

    private var action: Action?

    package init() {}

    /// The course of some events; those of other requests are left out.
    package init(of request: RequestID, _ events: some Sequence<Event>) {
        for event in events where event.request == request { apply(event) }
    }

    /// Takes the request's next event.
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
            (height, failure) = (data.height, data.failure)
            answer = nil
        case .transactionReorganised: (height, failure) = (nil, nil)
        default: break
        }
    }

    /// Whether a callback that comes now says that the payment is made.
    private var isPaid: Bool {
        switch state {
        case .sent, .locked, .confirmed, .failedOnChain: true
        default: isAnswered
        }
    }

    /// Whether it came to its state after it had counted as one that nobody will execute.
    package var wasGivenUp: Bool {
        switch before.last {
        case .dropped, .cancelled, .failed, .rejected: true
        default: false
        }
    }

    /// Why no node has the transaction, where one said so.
    package var reason: NodeReason? { answer.flatMap { NodeReason($0.data) } }
}
