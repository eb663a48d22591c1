import DaybookDomain
import DaybookEncoding
import DaybookLMDB
import DaybookLinks
import DaybookLog
import DaybookReplay
import DaybookSystem
import DaybookCrypto
import DaybookTree

/// Writes inputs and what follows from them: read the state, decide, append, evolve, in one
/// transaction of the log, so that writers in several processes take turns.
///
/// What several tasks have to write at once shares a transaction, and so what a commit costs.
final class Journal {
    let log: EventLog
    let frontEnd: String
    private let settings: Settings
    private let clock: @Sendable () -> UInt64
    private let probe: Probe?
    let decide: @Sendable (State, Event) -> [Outcome]
    /// Whether a clock that has jumped is believed, until something is recorded.
    private var acceptsClock: Bool
    /// The time of what is being recorded.
    private var recordingTime: UInt64?
    private var session: UInt64?
    private let commits = Rounds<Making, Result<[Event], any Error>>()

    /// Finds the inputs that a state calls for; throws where it calls for none but for a refusal.
    typealias Making = (State) throws -> [Input]

    /// An input, before it is written.
    struct Input {
        enum Request {
            case none
            /// The input is the request's first event.
            case own
            case at(UInt64)
        }

        let payload: Payload
        let request: Request
        let actor: Actor
        /// Inputs that the same commit must hold, given what followed from this one and the state
        /// after it.
        ///
        /// If it throws, nothing of this task is written.
        let companions: (State, [Outcome]) throws -> [Input]

        enum Actor { case frontEnd, node, keystore }

        init(
            _ payload: Payload, request: Request = .none, actor: Actor = .frontEnd,
            with companions: @escaping (State, [Outcome]) throws -> [Input] = { _, _ in [] }
        ) {
            self.payload = payload
            self.request = request
            self.actor = actor
            self.companions = companions
        }
    }

    init(
        log: EventLog, frontEnd: String, settings: Settings,
        decide: @escaping @Sendable (State, Event) -> [Outcome],
        clock: @escaping @Sendable () -> UInt64, acceptsClock: Bool, probe: Probe?
    ) {
        self.log = log
        self.frontEnd = frontEnd
        self.settings = settings
        self.decide = decide
        self.clock = clock
        self.acceptsClock = acceptsClock
        self.probe = probe
    }

    func read<Value>(_ body: (State) throws -> Value) throws -> Value {
        try read { state, _ in try body(state) }
    }

    /// Reads the state, and what else of the log belongs to it.
    private func read<Value>(
        _ body: (State, borrowing LogSnapshot) throws -> Value
    ) throws -> Value {
        try log.read { snapshot in
            let state = snapshot.state
            let value = try body(state, snapshot)
            if let damage = state.damage { throw Self.damaged(damage) }
            return value
        }
    }

    /// The state and the time at which an input would be recorded now.
    struct Preview {
        let state: State
        let time: UInt64
        fileprivate let event: (Payload, _ request: UInt64) -> Event
        fileprivate let decide: (State, Event) -> [Outcome]

        /// What would follow from an input about a request. Nothing is written.
        func outcomes(of payload: Payload, request: UInt64) -> [Outcome] {
            decide(state, event(payload, request))
        }
    }

    /// Looks at what would follow from inputs without recording them.
    func preview<Value>(_ body: (Preview) throws -> Value) throws -> Value {
        try read { state, snapshot in
            let position = snapshot.count
            let time = try reading(after: Self.lastTime(snapshot)).time
            let session = session ?? state.session(goingOnWith: start) ?? position
            let preview = Preview(
                state: state, time: time,
                event: { payload, request in
                    Event(
                        position: position, time: time, session: session, request: request,
                        payload: payload)
                }, decide: decide)
            return try body(preview)
        }
    }

    /// Whether the last event of a request says this.
    func endsWith<Said: EventData>(_ data: Said, request: UInt64) throws -> Bool {
        try log.read { log in
            guard let last = try log.positions(ofRequest: request).last,
                let record = try log.record(at: last)
            else { return false }
            return record.type == Said.type && record.data == data.coded
        }
    }

    /// Whether anything is due by the clock; nothing is by one that jumped or was set back.
    var isSomethingDue: Bool {
        get throws {
            try read { state, snapshot in
                guard let reading = try? reading(after: Self.lastTime(snapshot)),
                    reading.setBackTo == nil
                else { return false }
                return Self.isSomethingDue(state, reading.time)
            }
        }
    }

    /// Records what is due by the clock, the clock's own setting back among it.
    ///
    /// - Throws: `clockJumped`.
    func recordDue() async throws {
        let isDue = try read { state, snapshot in
            let reading = try reading(after: Self.lastTime(snapshot))
            return reading.setBackTo != nil || Self.isSomethingDue(state, reading.time)
        }
        if isDue { try await record { _ in [] } }
    }

    /// The log's time now: what locks and expiries are held against.
    ///
    /// What is being recorded has one time, however long that takes.
    func now() throws -> UInt64 {
        if let recordingTime { return recordingTime }
        return try reading(after: try log.read(Self.lastTime)).time
    }

    private func reading(after last: UInt64?) throws(DaybookError) -> ClockReading {
        try ClockReading(clock(), after: last, acceptingJumps: acceptsClock)
    }

    /// The time of the log's last event; nil for a log without events.
    private static func lastTime(_ log: borrowing LogSnapshot) -> UInt64? {
        log.count == 0 ? nil : log.lastTime
    }

    /// Records the inputs that `make` finds called for, and everything that follows from them.
    ///
    /// What is due by the clock is recorded first, so that `make` sees, for example, a request
    /// that has just expired as expired. On return all of it is durable. What other tasks record
    /// meanwhile may be in the same commit; `make` sees what stands before its own inputs, may run
    /// more than once, and what it throws concerns nobody else.
    @discardableResult
    func record(_ make: @escaping Making) async throws -> [Event] {
        try await commits.join(make) { makes in commit(makes) }.get()
    }

    /// Writes the inputs of several tasks in one transaction, and says what became of each one's.
    private func commit(_ makes: [Making]) -> [Result<[Event], any Error>] {
        var isWritten = false
        do {
            return try write { entry, transaction in
                isWritten = false
                let answers = try makes.map { try answer($0, &entry, &transaction) }
                // Here it shows whether each row can be kept.
                if let damage = transaction.state.damage { throw Self.damaged(damage) }
                isWritten = true
                return answers
            }
        } catch {
            // What failed before the commit was one task's, and undid what the others wrote.
            if !isWritten && makes.count > 1 { return makes.flatMap { commit([$0]) } }
            return makes.map { _ in .failure(error) }
        }
    }

    /// Writes one task's inputs. Nothing of them is written yet when `make` throws.
    private func answer(
        _ make: Making, _ entry: inout Entry, _ transaction: inout LogTransaction
    ) throws -> Result<[Event], any Error> {
        let inputs: [Input]
        do {
            inputs = try make(transaction.state)
        } catch {
            return .failure(error)
        }
        let before = entry.events.count
        for input in inputs { try append(input, &entry, &transaction) }
        return .success(Array(entry.events[before...]))
    }

    /// Records a checkpoint of the log as it is just before the checkpoint's own event.
    func recordCheckpoint(
        _ make: (State, _ head: TreeHead, _ streams: Bytes) throws -> CheckpointMade
    ) throws -> [Event] {
        try write { entry, transaction in
            // The session's first event is part of what is signed.
            _ = try self.begun(&entry, &transaction)
            let head = try transaction.head()
            let made = try make(transaction.state, head, transaction.streamsDigest())
            try append(Input(.checkpointMade(made)), &entry, &transaction)
            return entry.events
        }
    }

    /// Runs `body` in the one write transaction, behind what is due by the clock.
    private func write<Value>(
        _ body: (inout Entry, inout LogTransaction) throws -> Value
    ) throws -> Value {
        defer { recordingTime = nil }
        let (value, session, isEmpty) = try log.write { transaction in
            // Read here: waiting for the lock takes its time.
            let reading = try self.reading(
                after: transaction.count == 0 ? nil : transaction.lastTime)
            var entry = Entry(time: reading.time, session: self.session)
            let engine = transaction.state.engine
            guard engine <= Engine.current else {
                throw DaybookError(
                    "storeTooNew", .store,
                    "a program with newer rules (engine \(engine)) wrote to this "
                        + "store; this program knows up to \(Engine.current)")
            }
            if let now = reading.setBackTo { try setClock(to: now, &entry, &transaction) }
            recordingTime = entry.time
            if Self.isSomethingDue(transaction.state, entry.time) {
                let due = Input(.timePassed(TimePassed()))
                try self.append(due, &entry, &transaction)
            }
            let value = try body(&entry, &transaction)
            if let damage = transaction.state.damage { throw Self.damaged(damage) }
            if !entry.events.isEmpty { self.probe?("committing") }
            return (value, entry.session, entry.events.isEmpty)
        }
        self.session = session
        if !isEmpty { acceptsClock = false }
        return value
    }

    /// The session's first event still has the time as it was.
    private func setClock(
        to now: UInt64, _ entry: inout Entry, _ transaction: inout LogTransaction
    ) throws {
        _ = try begun(&entry, &transaction)
        let set = Input(.clockSet(ClockSet(from: entry.time)))
        entry.time = now
        try append(set, &entry, &transaction)
    }

    // MARK: - Appending

    /// What one transaction has written so far.
    private struct Entry {
        var time: UInt64
        var session: UInt64?
        var events: [Event] = []
    }

    private func append(
        _ input: Input, _ entry: inout Entry, _ transaction: inout LogTransaction
    ) throws {
        let session = try begun(&entry, &transaction)
        let event = try write(input, session, &entry, &transaction)
        let outcomes = decide(transaction.state, event)
        for outcome in outcomes {
            let position = transaction.count
            let draft = Recording.draft(outcome, of: event, position: position)
            _ = try transaction.append(draft)
            take(
                Event(
                    position: position, time: event.time, session: session,
                    request: outcome.request, payload: outcome.payload), &entry, transaction)
        }
        for companion in try input.companions(transaction.state, outcomes) {
            try append(companion, &entry, &transaction)
        }
    }

    /// The session that this process writes in: the front end's last one while nothing that
    /// `session.started` says has changed, or else one that begins with the first thing written.
    private func begun(
        _ entry: inout Entry, _ transaction: inout LogTransaction
    ) throws -> UInt64 {
        if let running = entry.session ?? transaction.state.session(goingOnWith: start) {
            entry.session = running
            return running
        }
        let session = transaction.count
        entry.session = session
        try write(Input(.sessionStarted(start)), session, &entry, &transaction)
        return session
    }

    @discardableResult
    private func write(
        _ input: Input, _ session: UInt64, _ entry: inout Entry,
        _ transaction: inout LogTransaction
    ) throws -> Event {
        let position = transaction.count
        let request: UInt64? =
            switch input.request {
            case .none: nil
            case .own: position
            case .at(let id): id < position ? id : nil
            }
        let draft = Recording.draft(
            input.payload, position: position, time: entry.time, session: session,
            request: request, actor: name(input.actor))
        _ = try transaction.append(draft)
        let event = Event(
            position: position, time: entry.time, session: session, request: request,
            payload: input.payload)
        take(event, &entry, transaction)
        return event
    }

    private func take(
        _ event: Event, _ entry: inout Entry, _ transaction: borrowing LogTransaction
    ) {
        transaction.evolve(event)
        entry.events.append(event)
    }

    private func name(_ actor: Input.Actor) -> String {
        switch actor {
        case .frontEnd: frontEnd
        case .node: "node"
        case .keystore: "keystore"
        }
    }

    private var start: SessionStarted {
        SessionStarted(
            frontEnd: frontEnd, engine: Engine.current,
            libraries: [
                .init(name: "lmdb", version: LMDBVersion.text),
                .init(name: "openssl", version: LibraryVersions.openSSL),
                .init(name: "secp256k1", version: LibraryVersions.secp256k1),
            ],
            settings: settings)
    }

    private static func isSomethingDue(_ state: State, _ time: UInt64) -> Bool {
        let first = state.pending.rows(limit: 1).first
        return first.map { $0.key.first <= time } ?? false
    }

    private static func damaged(_ damage: FieldError) -> LogError {
        LogError.damaged(position: nil, reason: "state: \(damage)")
    }
}
