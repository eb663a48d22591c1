package import DaybookEncoding

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
        for event in events where event.request == request { take(event) }
    }

    /// Takes the request's next event.
    package mutating func take(_ event: Event) {
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
