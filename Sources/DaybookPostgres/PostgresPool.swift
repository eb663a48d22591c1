internal import DaybookEncoding
internal import DaybookSystem

/// A bounded number of connections to one database, which threads borrow for a statement.
package final class PostgresPool: Sendable {
    /// The address of the database.
    package let database: String
    /// The watched logs of the database.
    let heads = HeadWatch()
    /// The appends to the database.
    let commits = SharedCommits()
    private let patience: UInt64
    private let state = Monitor(State())

    private struct State {
        var idle: [PostgresConnection] = []
        /// The threads that wait for a connection; the first one came first.
        var waiting: [Borrower] = []
        /// How many connections there are, those in use included.
        var open = 0
        /// Whether there has been a connection, so that the address is good.
        var hasConnected = false
        var outage: Outage?
        /// Whether the server forgets prepared statements, as PgBouncer's transaction mode does.
        var isUnprepared = false

        /// Removes a connection that ended; who is returned may make another one in its place.
        mutating func removeOne() -> Borrower? {
            if !waiting.isEmpty { return waiting.removeFirst() }
            open -= 1
            return nil
        }
    }

    /// A thread that waits for a connection.
    private final class Borrower: Sendable {
        private let turn = Monitor<Turn?>(nil)

        func tell(_ turn: Turn) { self.turn.change { $0 = turn } }

        func wait() -> Turn { turn.change(when: { $0 != nil }) { $0 ?? .connects } }
    }

    private enum Turn {
        case borrows(PostgresConnection)
        /// The thread makes a connection.
        case connects
    }

    /// The time from the first failure to reach the server, in microseconds of the monotonic clock.
    ///
    /// All callers wait for the server together: one after the other, each would wait in full.
    private struct Outage {
        let start: UInt64
        var last: UInt64
        var failure: PostgresError
        /// When somebody tried last whether it is over.
        var lastTry: UInt64
    }

    /// A pool that connects when a statement is run.
    ///
    /// `patience` is how long a statement is tried again while the server is away, as it is in a
    /// fail-over, in microseconds.
    package init(_ database: String, patience: UInt64 = 30_000_000) {
        self.database = database
        self.patience = patience
    }

    /// The pool of this process for a database, which all its logs share.
    package static func shared(_ database: String) -> PostgresPool {
        pools.change { pools in
            if let pool = pools[database]?.pool { return pool }
            let pool = PostgresPool(database)
            pools[database] = Shared(pool: pool)
            return pool
        }
    }

    private struct Shared {
        weak var pool: PostgresPool?
    }

    private static let pools = Monitor<[String: Shared]>([:])

    /// How many connections there are at most: a server has a hundred for all its clients.
    package static let mostConnections = 16
    /// How long a connection that nobody uses is kept, in microseconds.
    private static let idleTime: UInt64 = 60_000_000
    private static let longestPause = 1000
    /// How long after a failure the next one counts as of the same outage; a statement takes less.
    private static let outageGap: UInt64 = 15_000_000
    /// How often a server that is away for longer is tried.
    private static let outageInterval: UInt64 = 1_000_000

    /// Runs a statement, which another one may have been before, on any connection.
    ///
    /// It is tried again on transient failures, so it must not matter if it runs twice.
    func run(
        _ statement: PostgresStatement, _ values: [PostgresValue]
    ) throws -> PostgresRows {
        try retrying { try once(statement, values) }
    }

    /// Runs a statement once; a transient failure leaves open whether it took effect.
    func once(
        _ statement: PostgresStatement, _ values: [PostgresValue]
    ) throws -> PostgresRows {
        try use { try run(statement, values, on: $0) }
    }

    /// Runs a statement on a borrowed connection.
    func run(
        _ statement: PostgresStatement, _ values: [PostgresValue],
        on connection: PostgresConnection
    ) throws(PostgresError) -> PostgresRows {
        try run(statement, together: [values], on: connection)[0]
    }

    /// Runs a statement with each of several lists of values on a borrowed connection, as one
    /// transaction.
    func run(
        _ statement: PostgresStatement, together lists: [[PostgresValue]],
        on connection: PostgresConnection
    ) throws(PostgresError) -> [PostgresRows] {
        let unprepared = state.change { $0.isUnprepared }
        do {
            return try connection.run(statement, together: lists, unprepared: unprepared)
        } catch {
            // Where PgBouncer changes the connections below, the next attempt prepares nothing.
            if error.state == PostgresError.unknownStatement {
                state.change { $0.isUnprepared = true }
            }
            throw error
        }
    }

    /// Runs `body` again after transient failures, at growing intervals, within bounds.
    func retrying<Value>(_ body: () throws -> Value) throws -> Value {
        let start = Clock.monotonicMicroseconds()
        var longest = 20
        while true {
            do {
                try checkOutage()
                return try body()
            } catch let error as PostgresError where error.isTransient {
                let since = state.change { min(start, $0.outage?.start ?? start) }
                let waited = Clock.monotonicMicroseconds() - since
                guard state.change({ $0.hasConnected }), waited < patience else { throw error }
                // Clients that failed together come back apart.
                Pause.milliseconds(Int.random(in: longest / 2...longest))
                longest = min(longest * 2, Self.longestPause)
            }
        }
    }

    /// Throws the last failure while the server has been away for long and another caller tries it.
    private func checkOutage() throws(PostgresError) {
        let failure = state.change { state -> PostgresError? in
            // Read here: before it, another thread may have noted a later time.
            let now = Clock.monotonicMicroseconds()
            guard let outage = state.outage, now - outage.start >= patience else { return nil }
            if now - outage.lastTry < Self.outageInterval { return outage.failure }
            state.outage?.lastTry = now
            return nil
        }
        if let failure { throw failure }
    }

    /// Begins or continues an outage, after a failure to reach the server.
    private func note(_ failure: PostgresError) {
        state.change { state in
            let now = Clock.monotonicMicroseconds()
            var outage = state.outage.flatMap { now - $0.last < Self.outageGap ? $0 : nil }
                ?? Outage(start: now, last: now, failure: failure, lastTry: 0)
            (outage.last, outage.failure) = (now, failure)
            state.outage = outage
        }
    }

    /// Lends a connection, and waits for one where all are in use.
    func use<Value>(_ body: (PostgresConnection) throws -> Value) throws -> Value {
        let connection = try take()
        defer { release(connection) }
        return try body(connection)
    }

    /// A connection for this thread, which gives it back.
    func take() throws(PostgresError) -> PostgresConnection {
        let own = Borrower()
        let turn = state.change { state -> Turn? in
            if let connection = state.idle.popLast() { return .borrows(connection) }
            if state.open < Self.mostConnections {
                state.open += 1
                return .connects
            }
            state.waiting.append(own)
            return nil
        }
        if case .borrows(let connection) = turn ?? own.wait() { return connection }
        do {
            let connection = try PostgresConnection(database)
            state.change { $0.hasConnected = true }
            return connection
        } catch {
            if error.endsConnection { note(error) }
            let next = state.change { $0.removeOne() }
            next?.tell(.connects)
            throw error
        }
    }

    /// Gives a connection back, to the thread that has waited longest for one.
    func release(_ connection: PostgresConnection) {
        let now = Clock.monotonicMicroseconds()
        connection.lastUse = now
        let failure = connection.failure
        if let failure { note(failure) }
        let (next, unused) = state.change { state -> (Borrower?, [PostgresConnection]) in
            if failure != nil {
                // The others of a server that went away have ended, too.
                defer { state.idle = [] }
                state.open -= state.idle.count
                return (state.removeOne(), state.idle)
            }
            state.outage = nil
            if !state.waiting.isEmpty { return (state.waiting.removeFirst(), []) }
            state.idle.append(connection)
            // Another thread may have given one back since `now`.
            let old = state.idle.prefix { $0.lastUse + Self.idleTime < now }
            state.idle.removeFirst(old.count)
            state.open -= old.count
            return (nil, Array(old))
        }
        next?.tell(failure == nil ? .borrows(connection) : .connects)
        // They are closed outside the lock.
        _ = unused
    }
}
