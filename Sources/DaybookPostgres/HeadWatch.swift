internal import DaybookEncoding
internal import DaybookSystem

/// Looks at the heads of all watched logs of a database, with one statement for all of them.
final class HeadWatch: Sendable {
    private struct Watched {
        let log: Bytes
        let grown: @Sendable (UInt64?) -> Void
        /// The head at the last look; nil before the first.
        var head: UInt64?
    }

    private struct State {
        var watched: [UInt64: Watched] = [:]
        var lastID: UInt64 = 0
        var timer: FileWatch?
    }

    private let state = Monitor(State())

    /// How long an event of another machine may stay unnoticed; its own process notes it at once.
    private static let pollMilliseconds = 250

    /// Calls `grown` when the head has moved or the log can't be read, until the value is gone.
    func add(
        _ log: Bytes, in pool: PostgresPool, _ grown: @escaping @Sendable (UInt64?) -> Void
    ) -> any Sendable {
        let id = state.change { state in
            state.lastID += 1
            state.watched[state.lastID] = Watched(log: log, grown: grown)
            if state.timer == nil {
                state.timer = FileWatch(of: nil, orEvery: Self.pollMilliseconds) {
                    [weak self, weak pool] in
                    if let self, let pool { look(in: pool) }
                }
            }
            return state.lastID
        }
        return Entry(id: id, watch: self, pool: pool)
    }

    private func remove(_ id: UInt64) {
        let timer: FileWatch? = state.change { state in
            state.watched[id] = nil
            guard state.watched.isEmpty else { return nil }
            defer { state.timer = nil }
            return state.timer
        }
        // It ends outside the lock.
        _ = timer
    }

    private func look(in pool: PostgresPool) {
        let logs = state.change { Set($0.watched.values.map(\.log)) }
        let heads: [Bytes: UInt64]
        do {
            let rows = try pool.once(Self.statement, [.list(Array(logs))])
            heads = Dictionary(
                (0..<rows.count).compactMap { row in
                    rows.bytes(row, 0).flatMap { log in rows.number(row, 1).map { (log, $0) } }
                }, uniquingKeysWith: max)
        } catch let error as PostgresError where error.isTransient {
            // The next look may find the server again.
            return
        } catch {
            // A woken thread finds the error by reading.
            heads = [:]
        }
        let woken = state.change { state in
            let moved = state.watched.filter { _, watched in
                logs.contains(watched.log)
                    && (heads[watched.log] == nil || heads[watched.log] != watched.head)
            }
            for (id, watched) in moved { state.watched[id]?.head = heads[watched.log] }
            return moved.values.map { ($0.grown, heads[$0.log]) }
        }
        for (grown, count) in woken { grown(count) }
    }

    private static let statement = PostgresStatement(
        name: "daybook_heads_1",
        text: "SELECT log_id, head FROM daybook.logs WHERE log_id = ANY($1::bytea[])")

    /// A watch of one log.
    private final class Entry: Sendable {
        let id: UInt64
        let watch: HeadWatch
        // Without it nobody would look.
        let pool: PostgresPool

        init(id: UInt64, watch: HeadWatch, pool: PostgresPool) {
            (self.id, self.watch, self.pool) = (id, watch, pool)
        }

        deinit { watch.remove(id) }
    }
}
