import DaybookChains
package import DaybookDomain
package import DaybookEncoding
package import DaybookLog

/// Replays a log with another decision about one request.
///
/// Inputs that do not depend on the decision are taken as recorded, and their outcomes are decided
/// again. Inputs that do depend on it are left out and listed as unknown: no input is invented. A
/// payment that would have been approved stays approved, because there is no signature.
package struct WhatIf {
    /// A field of a request that would have another value.
    package struct Change: Equatable, Sendable {
        package let request: RequestID
        package let field: String
        package let recorded: String
        package let then: String
    }

    /// An event or a balance that the log does not determine.
    package struct Unknown: Equatable, Sendable {
        /// The recorded event that might differ; nil for an event that was never recorded.
        package let position: Position?
        package let request: RequestID?
        package let type: String
        package let why: String
    }

    /// The differences between the recorded course and the other one.
    package struct Result: Equatable, Sendable {
        package let requests: [Change]
        /// The balances that differ: on the left the recorded one, on the right the other.
        package let balances: [StateDifference.Figure]
        package let unknown: [Unknown]
    }

    private let id: RequestID
    private let decision: DecisionMade.Decision
    private let engines: Engines
    private let decide: (State, Event) -> [Outcome]?
    private var recorded = State()
    private var other: Counterfactual?
    /// Whether the recorded decision is the same.
    private var isSame = false
    /// The recorded decision, until the next event shows whether it was refused.
    private var held: Event?
    private var last: Event?

    /// A replay in which the user makes this decision about a request.
    package init(
        request id: RequestID, _ decision: DecisionMade.Decision, by engines: Engines = .known,
        decide: @escaping (State, Event) -> [Outcome]?
    ) {
        self.id = id
        self.decision = decision
        self.engines = engines
        self.decide = decide
    }

    /// Takes the next event of the log.
    package mutating func feed(_ record: EventRecord) throws {
        guard let event = try record.event() else { return }
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

    /// The differences, once every event was fed.
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

    /// Whether the event is the user's decision about the pending request.
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

    /// Decides just before an event, where no decision was recorded until then.
    private mutating func turn(before event: Event) throws {
        try turn(event.position, min(last?.time ?? event.time, event.time), event.session)
    }

    private mutating func turn(_ position: Position, _ time: UInt64, _ session: SessionID) throws {
        let made = try recorded.seen(in: session, by: engines) { try decisionMade(in: $0) }
        guard let made else {
            let engine = recorded.sessions[session]?.engine ?? 0
            throw WhatIfError.unknownEngine(id, engines.name(ofUnknown: engine))
        }
        let event = Event(
            position: position, time: time, session: session, request: id,
            payload: .decisionMade(made))
        other = Counterfactual(recorded, id, by: engines, decide)
        other?.decide(event)
    }

    /// The decision as it would be recorded, with the first wallet offered and its prompt.
    private func decisionMade(in recorded: State) throws -> DecisionMade {
        guard decision == .approve else {
            return DecisionMade(
                decision: .reject, prompt: nil, wallet: nil, amount: nil, unlocked: false)
        }
        guard let row = recorded.request(id), let request = row.request else {
            throw WhatIfError.neverWaited(id)
        }
        if case .pay(_, nil, _) = request.action { throw WhatIfError.amountForUser(id) }
        let wallet = recorded.offered(for: request, id, repeats: row.repeats)
        let prompt = recorded.prompt(
            for: request, id: id, wallet: wallet, amount: nil, repeats: row.repeats)
        return DecisionMade(
            decision: .approve, prompt: prompt.digest, wallet: wallet, amount: nil, unlocked: true)
    }
}

/// Why another decision can't be replayed.
package enum WhatIfError: Error, Equatable, Sendable, CustomStringConvertible {
    /// No request begins at this event.
    case unknownRequest(RequestID)
    /// The request was never pending.
    case neverWaited(RequestID)
    /// The request leaves the amount to its user.
    case amountForUser(RequestID)
    /// The rules by which it would be decided are unknown; the text names the engine.
    case unknownEngine(RequestID, String)

    /// The stable code of the error, for programs.
    package var code: String {
        switch self {
        case .unknownRequest: "unknownRequest"
        case .neverWaited: "neverWaited"
        case .amountForUser: "amountMissing"
        case .unknownEngine: "engineUnknown"
        }
    }

    package var description: String {
        switch self {
        case .unknownRequest(let id): "no request begins at event \(id)"
        case .neverWaited(let id): "request \(id) never waited for its user"
        case .amountForUser(let id):
            "request \(id) leaves the amount to its user, and nobody knows which one"
        case .unknownEngine(let id, let engine):
            "request \(id) is decided by \(engine): use the program that wrote the log"
        }
    }
}
