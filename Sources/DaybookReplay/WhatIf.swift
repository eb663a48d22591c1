import DaybookChains
package import DaybookDomain
import DaybookEncoding
package import DaybookLog

/// Replays a log's inputs with another decision for one request.
///
/// Inputs that do not depend on the decision count as they were recorded, and what follows from
/// them is decided again. Inputs that would have been others, or none, are left out and named:
/// nothing is invented. What was approved and never signed stands as approved.
package struct WhatIf {
    /// Something that would be otherwise.
    package struct Change: Equatable, Sendable {
        /// The request whose it is; nil for a balance's figure.
        package let request: UInt64
        package let field: String
        package let recorded: String
        package let then: String
    }

    /// Something that nobody can know.
    package struct Unknown: Equatable, Sendable {
        /// The recorded event that might have been another; nil for one that never happened.
        package let position: UInt64?
        package let request: UInt64?
        package let type: String
        package let why: String
    }

    /// What comes of it.
    package struct Result: Equatable, Sendable {
        package let requests: [Change]
        /// Left is what was recorded, right what would be.
        package let balances: [StateDifference.Figure]
        package let unknown: [Unknown]
    }

    private let id: UInt64
    private let decision: DecisionMade.Decision
    private let decide: (State, Event) -> [Outcome]
    private var recorded = State()
    private var other: OtherWorld?
    private var isSame = false
    /// A decision that counts unless the next event refuses it.
    private var held: Event?
    private var last: Event?

    /// The question what would be if the user had decided so about a request.
    package init(
        request id: UInt64, _ decision: DecisionMade.Decision,
        decide: @escaping (State, Event) -> [Outcome]
    ) {
        self.id = id
        self.decision = decision
        self.decide = decide
    }

    /// Takes the next event of the log.
    package mutating func feed(_ record: EventRecord) throws {
        guard let event = try Recording.event(record) else { return }
        if let decided = held {
            held = nil
            if case .decisionRefused = event.payload, event.request == id {
                recorded.evolve(decided)
            } else {
                try turn(at: decided)
                recorded.evolve(decided)
            }
        }
        if isDecision(event) {
            held = event
        } else {
            if other == nil, !isSame, expires(event) { try turn(before: event) }
            other?.take(event, recorded)
            recorded.evolve(event)
            other?.note(event)
        }
        last = event
    }

    /// What differs, once every event has been fed.
    package mutating func finish() throws -> Result {
        if let decided = held {
            try turn(at: decided)
            recorded.evolve(decided)
            held = nil
        }
        if isSame { return Result(requests: [], balances: [], unknown: []) }
        if other == nil {
            guard let row = recorded.request(id) else { throw WhatIfError.unknownRequest(id) }
            guard row.status == .pending, let last else { throw WhatIfError.neverWaited(id) }
            try turn(before: last)
        }
        guard let other else { throw WhatIfError.neverWaited(id) }
        return other.result(recorded)
    }

    /// Whether the event is the user's word about a request that waits for it.
    private func isDecision(_ event: Event) -> Bool {
        guard other == nil, !isSame, event.request == id, case .decisionMade = event.payload else {
            return false
        }
        return recorded.request(id)?.status == .pending
    }

    private func expires(_ event: Event) -> Bool {
        guard case .timePassed = event.payload, let row = recorded.request(id),
            row.status == .pending, let expires = row.expires
        else { return false }
        return expires <= event.time
    }

    // MARK: - The other decision

    private mutating func turn(at event: Event) throws {
        guard case .decisionMade(let data) = event.payload else { return }
        if data.decision == decision {
            isSame = true
        } else {
            try turn(event.position, event.time, event.session)
        }
    }

    /// Where nobody decided, the decision would have come just before an event.
    private mutating func turn(before event: Event) throws {
        try turn(event.position, min(last?.time ?? event.time, event.time), event.session)
    }

    private mutating func turn(_ position: UInt64, _ time: UInt64, _ session: UInt64) throws {
        let event = Event(
            position: position, time: time, session: session, request: id,
            payload: .decisionMade(try decisionMade()))
        other = OtherWorld(recorded, id, decide)
        other?.decide(event)
    }

    /// The decision as it would be recorded: the wallet offered first, the prompt as shown then.
    private func decisionMade() throws -> DecisionMade {
        guard decision == .approve else {
            return DecisionMade(
                decision: .reject, prompt: nil, wallet: nil, amount: nil, unlocked: false)
        }
        guard let row = recorded.request(id), let request = row.request else {
            throw WhatIfError.neverWaited(id)
        }
        if case .pay(_, nil, _) = request.action { throw WhatIfError.amountForUser(id) }
        let wallet = recorded.candidates(for: request).first?.id
        let prompt = recorded.prompt(
            for: request, id: id, wallet: wallet, amount: nil, repeats: row.repeats)
        return DecisionMade(
            decision: .approve, prompt: prompt.digest, wallet: wallet, amount: nil, unlocked: true)
    }
}

/// Why a question can't be answered at all.
package enum WhatIfError: Error, Equatable, Sendable, CustomStringConvertible {
    /// No request begins at this event.
    case unknownRequest(UInt64)
    /// The request never waited for its user.
    case neverWaited(UInt64)
    /// The request leaves the amount to its user.
    case amountForUser(UInt64)

    /// Our name of the reason, the same in every version.
    package var code: String {
        switch self {
        case .unknownRequest: "unknownRequest"
        case .neverWaited: "neverWaited"
        case .amountForUser: "amountMissing"
        }
    }

    package var description: String {
        switch self {
        case .unknownRequest(let id): "no request begins at event \(id)"
        case .neverWaited(let id): "request \(id) never waited for its user"
        case .amountForUser(let id):
            "request \(id) leaves the amount to its user, and nobody knows which one"
        }
    }
}
