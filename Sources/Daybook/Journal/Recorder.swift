import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay

/// Writes inputs and their outcomes to the log: read the state, decide, append, evolve.
///
/// All of it happens in one write transaction, so that writers in several processes take turns.
final class Recorder {
    typealias Input = Journal.Input

    private let log: EventLog
    private let rules: JournalRules
    /// The session that this process writes to, and its settings.
    private var session: (id: SessionID, settings: Settings)?

    init(_ log: EventLog, _ rules: JournalRules) {
        self.log = log
        self.rules = rules
    }

    /// Writes the inputs of several tasks in one transaction; returns a result for each task.
    func commit(_ wanted: [Journal.Wanted]) -> [Result<[Event], any Error>] {
        var isWritten = false
        do {
            return try write { entry, transaction in
                isWritten = false
                let answers = try wanted.map { try answer($0, &entry, &transaction) }
                // Checked before the commit, so that only the task at fault fails.
                try transaction.lendState { state in
                    if let damage = state.damage { throw JournalRules.damaged(damage) }
                }
                isWritten = true
                return answers
            }
        } catch {
            // The inputs of one task failed and undid all: each task gets its own commit.
            if !isWritten && wanted.count > 1 { return wanted.flatMap { commit([$0]) } }
            return wanted.map { _ in .failure(error) }
        }
    }

    /// Writes what one task wants; nothing of it is written if it throws.
    private func answer(
        _ wanted: Journal.Wanted, _ entry: inout Entry, _ transaction: inout LogTransaction
    ) throws -> Result<[Event], any Error> {
        let inputs: [Input]
        do {
            let point = transaction.point
            inputs = try transaction.lendState { try wanted($0, entry.time, point) }
        } catch {
            return .failure(error)
        }
        let before = entry.events.count
        for input in inputs { try append(input, &entry, &transaction) }
        return .success(Array(entry.events[before...]))
    }

    /// Runs `body` in a write transaction, after the expiries that are due.
    private func write<Value>(
        _ body: (inout Entry, inout LogTransaction) throws -> Value
    ) throws -> Value {
        let (value, session, isEmpty) = try log.write { transaction in
            // Read inside the transaction: waiting for the write lock may take long.
            let reading = try rules.reading(
                after: transaction.count == 0 ? nil : transaction.lastTime)
            let settings = try rules.settings()
            let session = self.session.flatMap { $0.settings == settings ? $0.id : nil }
            var entry = Entry(time: reading.time, settings: settings, session: session)
            let engine = transaction.lendState { $0.engine }
            // An empty log has no engine.
            if engine > 0, rules.engines[engine] == nil {
                throw DaybookError(
                    "storeTooNew", .store,
                    "the store's last session is of \(rules.engines.name(ofUnknown: engine)): "
                        + "use the program that wrote it")
            }
            if let now = reading.setBackTo { try setClock(to: now, &entry, &transaction) }
            if transaction.lendState({ $0.hasRequest(expiringBy: entry.time) }) {
                let due = Input(.timePassed(TimePassed()))
                try self.append(due, &entry, &transaction)
            }
            let value = try body(&entry, &transaction)
            if !entry.events.isEmpty { rules.probe?("committing") }
            return (value, entry.session.map { (id: $0, settings: settings) }, entry.events.isEmpty)
        }
        self.session = session
        if !isEmpty { rules.clockWasUsed() }
        return value
    }

    /// Sets the log's time back; the start of the session still has the old time.
    private func setClock(
        to now: UInt64, _ entry: inout Entry, _ transaction: inout LogTransaction
    ) throws {
        _ = try openSession(&entry, &transaction)
        let set = Input(.clockSet(ClockSet(from: entry.time)))
        entry.time = now
        try append(set, &entry, &transaction)
    }

    // MARK: - Appending

    /// The events that one transaction has written so far.
    private struct Entry {
        var time: UInt64
        let settings: Settings
        var session: SessionID?
        var events: [Event] = []
    }

    private func append(
        _ input: Input, _ entry: inout Entry, _ transaction: inout LogTransaction
    ) throws {
        let session = try openSession(&entry, &transaction)
        let event = try write(input, of: session, &entry, to: &transaction)
        guard let outcomes = transaction.lendState({ rules.decide($0, event) }) else {
            preconditionFailure("a writer knows the engine of its own session")
        }
        for outcome in outcomes {
            let position = Position(transaction.count)
            let followed = Event(
                position: position, time: event.time, session: session,
                request: outcome.request, payload: outcome.payload)
            let draft = EventDraft(outcome, of: event, position: position)
            _ = try transaction.append(draft, applying: followed)
            entry.events.append(followed)
        }
        if let next = input.next {
            for input in transaction.lendState({ next($0) }) {
                try append(input, &entry, &transaction)
            }
        }
        guard let expected = input.transaction else { return }
        guard outcomes.prepared == expected.prepared else { throw TransactionChanged() }
        if case .signed(let verified) = expected {
            transaction.lendState { $0.verified = verified }
            defer { transaction.lendState { $0.verified = nil } }
            let made = SignatureMade(signatures: verified.signatures)
            try append(
                Input(.signatureMade(made), request: input.request, actor: .keystore), &entry,
                &transaction)
        }
    }

    /// The session that this process writes to, started if there is none.
    ///
    /// The front end's last session continues while engine, libraries and settings are the same.
    private func openSession(
        _ entry: inout Entry, _ transaction: inout LogTransaction
    ) throws -> SessionID {
        if let running = entry.session { return running }
        let start = rules.start(with: entry.settings)
        if let running = transaction.lendState({ $0.session(goingOnWith: start) }) {
            entry.session = running
            return running
        }
        let session = SessionID(transaction.count)
        entry.session = session
        try write(Input(.sessionStarted(start)), of: session, &entry, to: &transaction)
        return session
    }

    @discardableResult
    private func write(
        _ input: Input, of session: SessionID, _ entry: inout Entry,
        to transaction: inout LogTransaction
    ) throws -> Event {
        let position = Position(transaction.count)
        let payload = try input.payload(transaction)
        let request: RequestID? =
            switch input.request {
            case .none: nil
            case .own: RequestID(position)
            case .at(let id): id.position < position ? id : nil
            }
        let draft = EventDraft(
            payload, position: position, time: entry.time, session: session,
            request: request, actor: name(input.actor))
        let event = Event(
            position: position, time: entry.time, session: session, request: request,
            payload: payload)
        _ = try transaction.append(draft, applying: event)
        entry.events.append(event)
        return event
    }

    private func name(_ actor: Input.Actor) -> String {
        switch actor {
        case .frontEnd: rules.frontEnd
        case .node: "node"
        case .keystore: "keystore"
        }
    }
}
