import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay
import DaybookSystem

/// A store's access to its log: reads the state, previews decisions, and records inputs.
///
/// Reads are possible while a `Recorder` commits: they see the state of the last commit.
final class Journal {
    /// The inputs that a task wants recorded, as a function of the state before them alone.
    ///
    /// The writer calls it in its turn, with the time of the commit and the events that the state
    /// follows from, perhaps several times. An error that it throws fails this task alone.
    typealias Wanted = @Sendable (State, _ now: UInt64, LogPoint) throws -> [Input]

    let log: EventLog
    let commits: GroupCommit<Wanted, Result<[Event], any Error>>
    private let rules: JournalRules

    /// `run` replaces the thread that commits; `waitsOnlyForDisk` is as for `GroupCommit`.
    init(
        log: EventLog, rules: JournalRules,
        on run: (@Sendable (@escaping WorkThread.Work) -> Void)?, waitsOnlyForDisk: Bool,
        afterCommit: @escaping @Sendable (
            [Result<[Event], any Error>], _ microseconds: UInt64
        ) -> Void
    ) throws {
        self.log = log
        self.rules = rules
        let recorder = Monitor(Recorder(log, rules))
        commits = GroupCommit(on: run, waitsOnlyForDisk: waitsOnlyForDisk) { wanted in
            let start = Clock.monotonicMicroseconds()
            let answers = recorder.change { $0.commit(wanted) }
            afterCommit(answers, Clock.monotonicMicroseconds() - start)
            return answers
        }
    }

    var frontEnd: String { rules.frontEnd }
    var decide: @Sendable (State, Event) -> [Outcome]? { rules.decide }

    /// Records what is wanted, and everything that follows from it; returns its events.
    ///
    /// Due expiries are recorded first, so that an expired request is seen as expired. On return
    /// all events are durable. Wishes of other tasks may share the commit.
    @discardableResult
    func record(_ wanted: @escaping Wanted) async throws -> [Event] {
        try await commits.join(wanted).get()
    }

    /// Records inputs, whatever the state is; without one, what is due by the clock.
    @discardableResult
    func record(_ inputs: Input...) async throws -> [Event] {
        try await record { _, _, _ in inputs }
    }

    /// Reads the state as it is now.
    func read<Value>(_ body: (State) throws -> Value) throws -> Value {
        try read(.askedNow) { state, _ in try body(state) }
    }

    /// Reads the state and the log that it follows from; `body` may run more than once.
    ///
    /// - Throws: `LogError.fenced`, only with `asWriter`.
    func read<Log, Value>(
        _ reading: Reading<Log>, _ body: (State, Log) throws -> Value
    ) throws -> Value {
        try read(reading, under: try? rules.settings(), body)
    }

    private func read<Log, Value>(
        _ reading: Reading<Log>, under settings: Settings?, _ body: (State, Log) throws -> Value
    ) throws -> Value {
        try recorded(reading) { state, log in
            // Decisions are recorded in a session of the current engine with these settings;
            // prompts must agree.
            let rate = settings?.maxFeeRate ?? state.maxFeeRate
            return try state.seen(under: rules.engines.current, paying: rate) {
                try body($0, log)
            }
        }
    }

    /// Reads the state as it is recorded, without asking for the settings.
    ///
    /// A prompt and the choice of a wallet depend on them, and use `read`.
    func recorded<Log, Value>(
        _ reading: Reading<Log>, _ body: (State, Log) throws -> Value
    ) throws -> Value {
        try recorded(reading.freshness) { state, log in try body(state, reading.log(log)) }
    }

    private func recorded<Value>(
        _ freshness: LogFreshness, _ body: (State, LogSnapshot) throws -> Value
    ) throws -> Value {
        try log.read(freshness) { snapshot in
            try snapshot.withState { state in
                let value = try body(state, snapshot)
                if let damage = state.damage { throw JournalRules.damaged(damage) }
                return value
            }
        }
    }

    /// The state and time in which an input would be recorded now.
    struct Preview {
        let state: State
        let log: LogSnapshot
        let time: UInt64
        fileprivate let session: SessionID
        fileprivate let decide: (State, Event) -> [Outcome]?

        /// The outcomes that an input about a request would have.
        func outcomes(of payload: Payload, request: RequestID) -> [Outcome] {
            decide(
                state,
                Event(
                    position: Position(log.count), time: time, session: session, request: request,
                    payload: payload)) ?? []
        }
    }

    /// Passes `body` a preview of decisions, which are decided again when they are recorded.
    func preview<Value>(_ body: (Preview) throws -> Value) throws -> Value {
        let settings = try rules.settings()
        return try read(.published, under: settings) { state, snapshot in
            let time = try rules.reading(after: Self.lastTime(snapshot)).time
            let session = state.session(goingOnWith: rules.start(with: settings))
            return try body(
                Preview(
                    state: state, log: snapshot, time: time,
                    session: session ?? SessionID(snapshot.count), decide: decide))
        }
    }

    /// Reads as `read` does, after the expiries that are due were recorded.
    ///
    /// If the clock was set back or has jumped, nothing is due; `settingClock` then records that it
    /// was set back.
    ///
    /// - Throws: `clockJumped`, only with `settingClock`.
    func readCurrent<Value>(
        settingClock: Bool = false, _ body: (State, AskedLog) throws -> Value
    ) async throws -> Value {
        // A decision follows, which could not be recorded.
        if settingClock, log.isReadOnly { throw LogError.openedReadOnly }
        let value = try read(.askedNow) { state, log -> Value? in
            try isDue(state, log.snapshot, settingClock) ? nil : body(state, log)
        }
        if let value { return value }
        // A log that can only be read is shown as it is recorded.
        if !log.isReadOnly { try await record() }
        return try read(.askedNow, body)
    }

    private func isDue(
        _ state: State, _ log: LogSnapshot, _ setsClock: Bool
    ) throws -> Bool {
        let reading: ClockReading
        do {
            reading = try rules.reading(after: Self.lastTime(log))
        } catch {
            if setsClock { throw error }
            return false
        }
        guard reading.setBackTo == nil else { return setsClock }
        return state.hasRequest(expiringBy: reading.time)
    }

    /// Reads the state and the present time as the log counts it, for comparison with lockouts.
    func readNow<Value>(
        _ freshness: LogFreshness, _ body: (State, _ now: UInt64) throws -> Value
    ) throws -> Value {
        try recorded(freshness) { state, log in
            try body(state, rules.reading(after: Self.lastTime(log)).time)
        }
    }

    /// The time of the log's last event; nil for a log without events.
    private static func lastTime(_ log: LogSnapshot) -> UInt64? {
        log.count == 0 ? nil : log.lastTime
    }
}

extension Journal {
    /// An input that is to be recorded.
    struct Input: Sendable {
        enum Request: Sendable {
            case none
            /// The input is the request's first event.
            case own
            case at(RequestID)
        }

        /// Makes the payload, given the log up to this input.
        let payload: @Sendable (borrowing LogTransaction) throws -> Payload
        let request: Request
        let actor: Actor
        /// The transaction that a decision must prepare, and its signatures; nil for other inputs.
        let transaction: Transaction?
        /// Further inputs for the same commit, as a function of the state after the outcomes.
        let next: (@Sendable (State) -> [Input])?

        enum Actor: Sendable { case frontEnd, node, keystore }

        /// The transaction that a decision must prepare; with another one, nothing is written.
        enum Transaction: Sendable {
            /// No transaction.
            case none
            /// This one, whose signatures are recorded in the same commit.
            case signed(VerifiedSignatures)

            var prepared: TransactionPrepared? {
                switch self {
                case .none: nil
                case .signed(let verified): verified.prepared
                }
            }
        }

        init(
            _ payload: Payload, request: Request = .none, actor: Actor = .frontEnd,
            preparing transaction: Transaction? = nil,
            then next: (@Sendable (State) -> [Input])? = nil
        ) {
            self.payload = { _ in payload }
            (self.request, self.actor) = (request, actor)
            (self.transaction, self.next) = (transaction, next)
        }

        /// A checkpoint of the log as it is just before the checkpoint's own event.
        init(checkpointBy key: consuming NoteSigningKey) {
            let key = key
            payload = { log in
                let head = try log.head()
                return .checkpointMade(
                    CheckpointMade(
                        log.state, head: head, streams: try log.streamsDigest(),
                        key: key.verifierKey, note: key.sign(head)))
            }
            (request, actor, transaction, next) = (.none, .frontEnd, nil, nil)
        }
    }
}

/// A decision has led to another transaction than the one that was signed.
struct TransactionChanged: Error {}

extension [Outcome] {
    /// The transaction that the outcomes of a decision prepare.
    var prepared: TransactionPrepared? {
        lazy.compactMap { outcome -> TransactionPrepared? in
            if case .transactionPrepared(let data) = outcome.payload { data } else { nil }
        }.first
    }
}

extension LogSnapshot {
    /// The signed transaction of a request, from the request's event.
    ///
    /// The state names only its id. State rows are derived data: someone who can write them must
    /// not be able to have other bytes sent, so the bytes come from the log.
    ///
    /// - Throws: `LogError.damaged` if no event of the request has a transaction with this id.
    func signed(by request: RequestID, _ txid: Bytes) throws -> TransactionSigned {
        // Nearly always one of the last events has it.
        for position in try positions(ofRequest: request.number).reversed() {
            guard let record = try record(at: position), record.requestID == request,
                record.type == TransactionSigned.type,
                case .transactionSigned(let data) = try record.event()?.payload,
                data.txid == txid
            else { continue }
            return data
        }
        throw LogError.damaged(
            position: request.number,
            reason: "state: no event of the request signed the transaction that its row names")
    }
}

extension Journal {
    /// The course of a request's payment, read from its events.
    func course(of request: RequestID) throws -> PaymentCourse {
        try log.read(.published) { log in try log.course(of: request) }
    }

    /// Whether a node's answer to a transaction repeats the last recorded one.
    ///
    /// Figures in the message may differ.
    func isOld(_ answer: BroadcastAnswered, of request: RequestID) throws -> Bool {
        let reason = NodeReason(answer)
        guard let last = try course(of: request).answer?.data, last.answer == answer.answer,
            NodeReason(last) == reason
        else { return false }
        return last.message == answer.message || reason != .noAnswer
    }
}

extension LogSnapshot {
    /// The course of a request's payment, read from its events.
    func course(of request: RequestID) throws -> PaymentCourse {
        var course = PaymentCourse()
        for record in try records(at: positions(ofRequest: request.number)) {
            guard record.requestID == request, let event = try record.event() else { continue }
            course.apply(event)
        }
        return course
    }
}
