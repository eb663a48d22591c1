package import DaybookDomain
package import DaybookEncoding

/// A session that was not judged, because the program does not know the rules of its engine.
package struct UnjudgedSession: Equatable, Sendable {
    /// The position of its `session.started`, which is the first event that was not judged.
    package let session: SessionID
    package let engine: UInt64
    /// How many of its events were not judged, and how many of these are inputs.
    package fileprivate(set) var events: UInt64 = 0
    package fileprivate(set) var inputs: UInt64 = 0
    /// The last of its events so far.
    package fileprivate(set) var last: Position

    fileprivate init(_ session: SessionID, engine: UInt64) {
        (self.session, self.engine, last) = (session, engine, session.position)
    }

    /// The fact in one sentence, without a full stop.
    package func sentence(_ engines: Engines = .known) -> String {
        let range = events == 1
            ? "event \(last) is" : "\(events) events from \(session) to \(last) are"
        return "\(range) of \(engines.name(ofUnknown: engine)): use the program that wrote the log"
    }
}

/// The sessions of a log that were not judged.
package struct UnjudgedSessions: Equatable, Sendable {
    private var sessions: [SessionID: UnjudgedSession] = [:]

    package init(_ all: [UnjudgedSession] = []) {
        for session in all { sessions[session.session] = session }
    }

    /// The sessions, in the order of the log.
    package var all: [UnjudgedSession] { sessions.keys.sorted().compactMap { sessions[$0] } }

    package var isEmpty: Bool { sessions.isEmpty }

    /// How many events were not judged.
    package var events: UInt64 { all.reduce(0) { $0 + $1.events } }

    /// Notes an event of a session whose engine is unknown.
    mutating func note(_ event: Event, engine: UInt64) {
        note(event.position, of: event.session, engine, isInput: event.payload.isInput)
    }

    /// Notes a record of a session that was not judged before.
    mutating func note(
        _ position: Position, of id: SessionID, _ engine: UInt64, isInput: Bool
    ) {
        var session = sessions[id] ?? UnjudgedSession(id, engine: engine)
        session.events += 1
        if isInput { session.inputs += 1 }
        session.last = position
        sessions[id] = session
    }
}

extension State {
    /// The engine of an event's session, if it is unknown; nil if it is known.
    func unknownEngine(of event: Event, _ engines: Engines) -> UInt64? {
        // `session.started` belongs to the session that it begins.
        let engine: UInt64?
        if case .sessionStarted(let data) = event.payload {
            engine = data.engine
        } else {
            engine = self.engine(of: event.session)
        }
        return engine.flatMap { engines[$0] == nil ? $0 : nil }
    }

    /// The sessions so far whose engine is unknown.
    package func unknownSessions(
        _ engines: Engines = .known
    ) -> [(session: SessionID, engine: UInt64)] {
        sessions.rows().filter { engines[$0.row.engine] == nil }.map { ($0.key, $0.row.engine) }
    }
}

// MARK: - In an audit's cache

extension UnjudgedSession: Recorded {
    /// Reads or writes a session in an audit's cache.
    package init<Coder: FieldCoder>(
        _ value: Self?, by coder: inout Coder
    ) throws(Coder.Failure) {
        last = try coder.field("last", value?.last)
        engine = try coder.field("engine", value?.engine)
        events = try coder.field("events", value?.events)
        inputs = try coder.field("inputs", value?.inputs)
        session = try coder.field("session", value?.session)
    }
}
