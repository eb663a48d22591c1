package import DaybookEncoding
package import DaybookSystem

/// Where the events of one log lie: in LMDB, in PostgreSQL or in memory.
///
/// A store holds bytes, and knows nothing of what they say. It keeps four promises, which one
/// conformance suite checks for each store: positions have no gaps, a batch is appended whole or
/// not at all, only at the position that the writer expects, and only by a writer of the present
/// epoch. An acknowledged event is durable.
package protocol EventStore: AnyObject, Sendable {
    /// Whether a view stays as it is while it is read, and a turn keeps other writers out.
    var isIsolated: Bool { get }

    /// The number of the newest commit of any process, without a question; nil where the store
    /// counts none.
    ///
    /// That commit may not be durable yet, while a snapshot shows only what is.
    var newestCommit: UInt64? { get }

    /// Makes a thread for the calls that wait for the store; nil where they wait for a disk alone.
    func makeThread() -> ActorThread?

    /// Runs `body` on the log as of a commit that is as new as `freshness` says.
    ///
    /// - Throws: `LogError.fenced`, only with `asWriter`.
    func snapshot<Value>(
        _ freshness: LogFreshness, _ body: (any EventView) throws -> Value
    ) throws -> Value

    /// Runs `body` on the log as of its last commit, and appends what it returns.
    ///
    /// No other writer comes between the two. `body` runs again from the start where one did, or
    /// where the store has to grow; it must have no effects of its own.
    func turn<Value>(
        _ body: (any EventView) throws -> (Value, NewEvents)
    ) throws -> Value

    /// Appends events at an expected position, as a writer of an epoch.
    func append(_ new: NewEvents, expecting count: UInt64, epoch: UInt64) throws -> AppendAnswer

    /// Drops the oldest events, but never the last one, after noting durably where they are.
    ///
    /// The caller has checked that the segments have them. From the note on they are not read here
    /// any more; a crash leaves some of them, and the next drop removes those. Where more events
    /// are archived already, it changes nothing.
    func drop(_ archived: ArchivedEvents) throws

    /// Calls `grown` after each commit of any process, until the watch that it returns is gone.
    ///
    /// It is a hint: it may come late, twice, or without a commit. It says how many events there
    /// are where the watch has seen that.
    func watch(_ grown: @escaping @Sendable (_ count: UInt64?) -> Void) -> any Sendable
}

/// How new a reading of a log has to be.
package enum LogFreshness: Sendable {
    /// As new as the process knows without asking another machine.
    ///
    /// It has what the process has read and appended. For what only asks a node, and for what a
    /// turn decides again.
    case published
    /// With everything that was acknowledged before: the store is asked now.
    case askedNow
    /// Asked now, and durable, for a process that may still append: what is sent requires it.
    case asWriter
}

/// A log as of one commit, valid inside the closure that it is passed to.
package protocol EventView: AnyObject {
    /// The log's id.
    var logID: Bytes { get }
    /// How many events there are: the position of the next one.
    var count: UInt64 { get }
    /// The number of the last take-over; a writer of an earlier epoch is fenced.
    var epoch: UInt64 { get }
    /// The number of the commit that it shows; nil where the store counts none.
    ///
    /// The commit of a turn that appends events has the next number.
    var commit: UInt64? { get }
    /// The root of the tree over all events, where the store keeps it; nil elsewhere.
    var root: Bytes? { get }

    /// The oldest events, if only an archive has them; the store has those from `count` on.
    var archived: ArchivedEvents? { get }

    /// `archived` as it is now, where another process may have changed it since the view began.
    func archivedNow() throws -> ArchivedEvents?

    /// The bytes of the event at a position; nil if there is none.
    func bytes(at position: UInt64) throws -> Bytes?

    /// The bytes of the events at several positions, in the order of the positions.
    func events(at positions: [UInt64]) throws -> [Bytes]

    /// The bytes of the events from a position on, without gaps.
    ///
    /// They are at most `limit`, and no more follow once they have `byteLimit` bytes in all.
    func events(from position: UInt64, limit: Int, byteLimit: Int) throws -> [Bytes]

    /// Gives an empty log another id.
    func adopt(_ logID: Bytes) throws

    /// Notes what is wrong with the rows that describe the log.
    func checkMeta(noting fault: (LogFault) -> Void) throws

    /// Reads the stored events in every way that the store knows, and notes where they differ.
    ///
    /// Those that were archived are not among them.
    func checkEvents(
        noting fault: (LogFault) -> Void, each: (Bytes) throws -> Void
    ) throws
}

/// A batch of events that is appended whole or not at all.
package struct NewEvents {
    /// The events' bytes, in order.
    package let events: [Bytes]
    /// Computes the root of the tree over the log and these events.
    package let root: () throws -> Bytes

    /// A batch of events.
    package init(_ events: [Bytes], root: @escaping () throws -> Bytes) {
        self.events = events
        self.root = root
    }
}

/// The answer of a store to a batch of events.
package enum AppendAnswer: Equatable, Sendable {
    /// The events are durable; the log has so many events now.
    case appended(count: UInt64)
    /// The log has another number of events than expected; nothing was appended.
    case conflict(count: UInt64)
    /// Another machine took the log over; nothing was appended.
    case fenced(epoch: UInt64)
}

extension EventView {
    package var commit: UInt64? { nil }

    package func archivedNow() throws -> ArchivedEvents? { archived }

    package func events(at positions: [UInt64]) throws -> [Bytes] {
        try positions.map { position in
            guard let bytes = try bytes(at: position) else {
                throw LogError.damaged(position: position, reason: "the event is missing")
            }
            return bytes
        }
    }
}

extension EventStore {
    package var isIsolated: Bool { true }
    package var newestCommit: UInt64? { nil }

    package func makeThread() -> ActorThread? { nil }

    /// Runs `body` on the log as of its last commit.
    package func snapshot<Value>(_ body: (any EventView) throws -> Value) throws -> Value {
        try snapshot(.askedNow, body)
    }

    /// The number of events in the last commit.
    package func count(_ freshness: LogFreshness = .askedNow) throws -> UInt64 {
        try snapshot(freshness) { $0.count }
    }

    /// The events from a position on, at most `limit`, without gaps.
    package func read(
        _ freshness: LogFreshness = .askedNow, from position: UInt64, limit: Int
    ) throws -> [Bytes] {
        try snapshot(freshness) { try $0.events(from: position, limit: limit, byteLimit: .max) }
    }

    package func append(
        _ new: NewEvents, expecting count: UInt64, epoch: UInt64
    ) throws -> AppendAnswer {
        try turn { view in
            let nothing = NewEvents([], root: new.root)
            if view.epoch != epoch { return (.fenced(epoch: view.epoch), nothing) }
            if view.count != count { return (.conflict(count: view.count), nothing) }
            return (.appended(count: count + UInt64(new.events.count)), new)
        }
    }
}
