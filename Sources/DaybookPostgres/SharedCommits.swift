internal import DaybookEncoding
internal import DaybookSystem

/// A queue that puts appends of several threads into one transaction, so that they share a commit.
///
/// A server takes about as long for the commit of one append as for that of many. A few threads
/// commit at a time; the others wait, and one of them commits next for all that wait then. An
/// append to an idle database waits for nobody.
///
/// Each append decides by its own condition whether it takes effect, so it means the same in a
/// transaction with others. If one of them fails, none took effect, and all are told so.
final class SharedCommits: Sendable {
    /// An append that waits for its answer.
    private final class Append: Sendable {
        let log: Bytes
        let values: [PostgresValue]
        let size: Int
        private let turn = Monitor<Turn?>(nil)

        init(log: Bytes, values: [PostgresValue]) {
            (self.log, self.values) = (log, values)
            size = values.reduce(0) { $0 + $1.size }
        }

        func tell(_ turn: Turn) { self.turn.change { $0 = turn } }

        /// Waits until another thread has committed this append, or it is this thread's turn.
        func wait() -> Turn {
            turn.change(when: { $0 != nil }) { $0 ?? .commits }
        }
    }

    private enum Turn {
        /// The thread commits its own append and others that wait.
        case commits
        case answered(Result<PostgresRows, PostgresError>)
    }

    private struct State {
        /// The appends that no thread has taken yet; the first one came first.
        var waiting: [Append] = []
        /// How many threads commit.
        var committing = 0
    }

    private let state = Monitor(State())

    /// How many transactions there are at a time; more of them would only be smaller ones.
    private static let mostCommitting = 4
    /// How many appends a transaction has at most, and how many bytes before the last one of them.
    private static let limits = (appends: 64, bytes: 1 << 20)

    /// Runs a statement that appends to a log, alone or in one transaction with others.
    ///
    /// - Throws: an error after which it is unknown whether the statement took effect.
    func run(
        _ statement: PostgresStatement, _ values: [PostgresValue], log: Bytes,
        in pool: PostgresPool
    ) throws(PostgresError) -> PostgresRows {
        let own = Append(log: log, values: values)
        let mayCommit = state.change { state in
            if state.committing < Self.mostCommitting {
                state.committing += 1
                return true
            }
            state.waiting.append(own)
            return false
        }
        if !mayCommit, case .answered(let answer) = own.wait() { return try answer.get() }
        return try commit(own, statement, in: pool).get()
    }

    /// Commits an append and those that wait, answers those, and lets another thread commit.
    private func commit(
        _ own: Append, _ statement: PostgresStatement, in pool: PostgresPool
    ) -> Result<PostgresRows, PostgresError> {
        let others = state.change { Self.takeOthers(than: own, in: &$0) }
        // Transactions that lock the same rows in the same order never wait in a circle.
        let batch = ([own] + others).sorted { $0.log.lexicographicallyPrecedes($1.log) }
        var ownAnswer: Result<PostgresRows, PostgresError>?
        for (append, answer) in zip(batch, Self.answers(to: batch, statement, in: pool)) {
            if append === own { ownAnswer = answer } else { append.tell(.answered(answer)) }
        }
        let next = state.change { state -> Append? in
            if !state.waiting.isEmpty { return state.waiting.removeFirst() }
            state.committing -= 1
            return nil
        }
        next?.tell(.commits)
        guard let ownAnswer else { preconditionFailure("each append of a batch has an answer") }
        return ownAnswer
    }

    private static func takeOthers(than own: Append, in state: inout State) -> [Append] {
        var size = own.size
        let others = state.waiting.prefix(limits.appends - 1).prefix { append in
            size += append.size
            return size <= limits.bytes
        }
        state.waiting.removeFirst(others.count)
        return Array(others)
    }

    private static func answers(
        to batch: [Append], _ statement: PostgresStatement, in pool: PostgresPool
    ) -> [Result<PostgresRows, PostgresError>] {
        do {
            let connection = try pool.take()
            defer { pool.release(connection) }
            return try pool.run(statement, together: batch.map(\.values), on: connection)
                .map { .success($0) }
        } catch {
            // One of several appends has failed, and undone the others; each is tried again alone.
            let isShared = batch.count > 1 && !error.isTransient
            let told =
                isShared
                ? PostgresError(
                    .databaseConflict, "a transaction of several appends failed: \(error)")
                : error
            return batch.map { _ in .failure(told) }
        }
    }
}
