import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay
import DaybookSystem

/// The log as a store sees it: its state, what would follow from an input, and the way to record.
///
/// It reads while a `Recorder` commits, which has a view of the log of its own.
final class Journal {
    /// Makes the inputs to record, from the state and the time of the commit; throws a refusal.
    typealias Making = @Sendable (_ state: State, _ now: UInt64) throws -> [Input]

    let log: EventLog
    let commits: SharedCommits<Making, Result<[Event], any Error>>
    private let rules: JournalRules

    /// Reads and records in a log, by rules.
    init(
        log: EventLog, rules: JournalRules,
        on run: (@Sendable (@escaping WorkThread.Work) -> Void)? = nil
    ) throws {
        self.log = log
        self.rules = rules
        let recorder = Monitor(Recorder(try EventLog(log.files, by: StateFold()), rules))
        commits = SharedCommits(on: run) { makes in recorder.change { $0.commit(makes) } }
    }

    var frontEnd: String { rules.frontEnd }
    var decide: @Sendable (State, Event) -> [Outcome] { rules.decide }

    /// Records the inputs that `make` returns, and everything that follows from them.
    ///
    /// What is due by the clock is recorded first, so that `make` sees, for example, a request
    /// that has just expired as expired. On return all of it is durable. What other tasks record
    /// meanwhile may be in the same commit; `make` sees what stands before its own inputs, may run
    /// more than once, and what it throws concerns nobody else.
    @discardableResult
    func record(_ make: @escaping Making) async throws -> [Event] {
        try await commits.join(make).get()
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
            if let damage = state.damage { throw JournalRules.damaged(damage) }
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
            let time = try rules.reading(after: Self.lastTime(snapshot)).time
            let session = state.session(goingOnWith: rules.start) ?? position
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
                guard let reading = try? rules.reading(after: Self.lastTime(snapshot)),
                    reading.setBackTo == nil
                else { return false }
                return JournalRules.isSomethingDue(state, reading.time)
            }
        }
    }

    /// Records what is due by the clock, the clock's own setting back among it.
    ///
    /// - Throws: `clockJumped`.
    func recordDue() async throws {
        let isDue = try read { state, snapshot in
            let reading = try rules.reading(after: Self.lastTime(snapshot))
            return reading.setBackTo != nil || JournalRules.isSomethingDue(state, reading.time)
        }
        if isDue { try await record { _, _ in [] } }
    }

    /// The log's time now: what locks and expiries are held against.
    func now() throws -> UInt64 {
        try rules.reading(after: try log.read(Self.lastTime)).time
    }

    /// The time of the log's last event; nil for a log without events.
    private static func lastTime(_ log: borrowing LogSnapshot) -> UInt64? {
        log.count == 0 ? nil : log.lastTime
    }
}
