package import DaybookEncoding
package import DaybookLog
package import DaybookSystem

/// The events of a log in PostgreSQL, or in what speaks its protocol and its SQL.
///
/// The log's row has its head, its root and its epoch. An append is one statement: it moves the
/// head from the expected position, and only if it did, inserts the events. Nothing else orders
/// writers: no lock of the server's, no sequence, no notification.
package final class PostgresEvents: EventStore {
    private let pool: PostgresPool
    private let logID: Bytes
    /// The epoch in which this process writes; nil if it only reads.
    private let epoch: UInt64?
    /// The newest head that this process knows, which spares questions.
    private let known = Monitor<KnownHead?>(nil)
    /// How many events a commit has vouched for that this process saw acknowledged.
    private let durable = Monitor<UInt64>(0)

    /// The events of a log that exists, for a writer of an epoch or for a reader.
    package init(_ pool: PostgresPool, log: Bytes, epoch: UInt64?) {
        self.pool = pool
        logID = log
        self.epoch = epoch
    }

    package var isIsolated: Bool { false }

    package func makeThread() -> ActorThread? { ActorThread() }

    // MARK: - Reading

    package func snapshot<Value>(
        _ freshness: LogFreshness, _ body: (any EventView) throws -> Value
    ) throws -> Value {
        try LogError.explaining {
            let head = switch freshness {
            case .published: try known.change({ $0?.head }) ?? freshHead()
            case .askedNow: try freshHead()
            case .asWriter: try writerHead()
            }
            return try body(view(head))
        }
    }

    private func view(_ head: PostgresHead) -> PostgresEventView {
        PostgresEventView(logID, head, of: self) { [pool] in try pool.run($0, $1) }
    }

    /// The head as of a commit that changes nothing, which only the log's writer gets.
    private func writerHead() throws -> PostgresHead {
        let epoch = try writingEpoch()
        let committed = try commit()
        try check(committed.epoch, epoch)
        if let known = known.change({ $0?.head }), known.epoch == epoch,
            known.count == committed.count, known.root == committed.root
        {
            return known
        }
        let head = try freshHead()
        try check(head.epoch, epoch)
        try makeDurable(head)
        return head
    }

    private func freshHead() throws -> PostgresHead {
        let asked = Clock.monotonicMicroseconds()
        return learn(
            try Self.head(in: pool.run(Self.headStatement, [.bytes(logID)]), logID), asked: asked)
    }

    /// Notes a head that a statement has told, and returns the newest one that is known now.
    @discardableResult
    private func learn(_ head: PostgresHead, asked: UInt64) -> PostgresHead {
        let answered = Clock.monotonicMicroseconds()
        return known.change { known in
            var merged = known ?? KnownHead(head, answered: answered)
            merged.learn(head, asked: asked, answered: answered)
            known = merged
            return merged.head
        }
    }

    /// The oldest events, if only an archive has them now.
    func archived(
        by run: (PostgresStatement, [PostgresValue]) throws -> PostgresRows
    ) throws -> ArchivedEvents? {
        try Self.head(in: run(Self.headStatement, [.bytes(logID)]), logID).archived
    }

    private static func head(in answer: PostgresRows, _ logID: Bytes) throws -> PostgresHead {
        guard !answer.rows.isEmpty else {
            throw LogError.missingInDatabase(log: Hex.encode(logID))
        }
        // Another program may have migrated the tables since this one was connected.
        guard let version = answer.number(0, 7) else {
            throw LogError.damaged(position: nil, reason: "the log's row can't be read")
        }
        try PostgresError.checkSchema(version)
        guard let count = answer.number(0, 0), let root = answer.bytes(0, 1),
            let epoch = answer.number(0, 2)
        else { throw LogError.damaged(position: nil, reason: "the log's row can't be read") }
        let last = answer.bytes(0, 3)
        if count > 0, last == nil {
            throw LogError.damaged(position: count - 1, reason: "the event is missing")
        }
        return PostgresHead(
            count: count, root: root, epoch: epoch, archived: try archived(in: answer),
            last: last)
    }

    private static func archived(in answer: PostgresRows) throws -> ArchivedEvents? {
        if answer.bytes(0, 4) == nil || answer.number(0, 4) == 0 { return nil }
        guard let count = answer.number(0, 4),
            let root = answer.bytes(0, 5).flatMap({ TreeHash($0) }),
            let folder = answer.bytes(0, 6)
        else { throw LogError.damaged(position: nil, reason: "'archived_root' can't be read") }
        return ArchivedEvents(
            count: count, root: root, folder: String(decoding: folder, as: UTF8.self))
    }

    private static let headStatement = PostgresStatement(
        name: "daybook_head_3",
        text: """
            SELECT l.head, l.root, l.epoch, e.bytes, l.archived, l.archived_root, l.archived_in,
                l.version
            FROM daybook.logs l
            LEFT JOIN daybook.events e ON e.log_id = l.log_id AND e.position = l.head - 1
            WHERE l.log_id = $1
            """)

    // MARK: - Appending

    package func turn<Value>(
        _ body: (any EventView) throws -> (Value, NewEvents)
    ) throws -> Value {
        try LogError.explaining {
            let epoch = try writingEpoch()
            // The epoch of another machine may have been lost in a fail-over.
            var guess = known.change { $0?.head.epoch == epoch ? $0?.head : nil }
            for _ in 0..<Self.freeAttempts {
                let head = try guess ?? freshHead()
                try check(head.epoch, epoch)
                let result = Result { try body(view(head)) }
                if guess != nil, result.appendsNothing() {
                    // An answer without events holds only for the present head.
                    guess = nil
                    if try !freshHead().isSame(as: head) { continue }
                }
                let (value, new) = try result.get()
                if new.events.isEmpty {
                    try makeDurable(head)
                    return value
                }
                let answer = try append(new, after: head.root, expecting: head.count, epoch: epoch)
                if case .appended = answer { return value }
                if case .fenced(let found) = answer {
                    throw LogError.fenced(held: epoch, epoch: found)
                }
                guess = nil
            }
            return try pool.retrying { try lockedTurn(epoch, body) }
        }
    }

    /// How often a writer decides anew before it keeps the others out while it decides.
    private static let freeAttempts = 8

    private func writingEpoch() throws -> UInt64 {
        guard let epoch else { throw LogError.fenced(held: nil, epoch: try freshHead().epoch) }
        return epoch
    }

    private func check(_ found: UInt64, _ own: UInt64) throws {
        if found != own { throw LogError.fenced(held: own, epoch: found) }
    }

    /// Makes sure that what this process has read is on the synchronous standby too.
    ///
    /// A primary shows what its standby lacks after it was killed, or after somebody cancelled the
    /// wait for the standby. A commit that is acknowledged vouches for all commits before it.
    private func makeDurable(_ head: PostgresHead) throws {
        if durable.change({ $0 < head.count }) { _ = try commit() }
    }

    /// Makes a commit that changes nothing, and returns the log's row as of it.
    ///
    /// A primary that was cut off may show an old epoch beside the next one; but it commits
    /// nothing, because its standby has left.
    private func commit() throws -> (count: UInt64, epoch: UInt64, root: Bytes) {
        let answer = try pool.run(Self.commitStatement, [.bytes(logID)])
        if let version = answer.number(0, 3) { try PostgresError.checkSchema(version) }
        guard let count = answer.number(0, 0), let epoch = answer.number(0, 1),
            let root = answer.bytes(0, 2)
        else { throw LogError.missingInDatabase(log: Hex.encode(logID)) }
        noteDurable(count)
        return (count, epoch, root)
    }

    private func noteDurable(_ count: UInt64) {
        durable.change { $0 = max($0, count) }
    }

    private static let commitStatement = PostgresStatement(
        name: "daybook_commit_4",
        text: """
            UPDATE daybook.logs SET epoch = epoch WHERE log_id = $1
            RETURNING head, epoch, root, version
            """)

    /// A turn that locks the log's row, so that a slow writer among busy ones gets through.
    private func lockedTurn<Value>(
        _ epoch: UInt64, _ body: (any EventView) throws -> (Value, NewEvents)
    ) throws -> Value {
        var sent: (head: PostgresHead, new: NewEvents, value: Value)?
        do {
            return try pool.use { connection in
                try connection.run("BEGIN")
                do {
                    _ = try pool.run(Self.lockStatement, [.bytes(logID)], on: connection)
                    let head = try Self.head(
                        in: pool.run(Self.headStatement, [.bytes(logID)], on: connection), logID)
                    try check(head.epoch, epoch)
                    // Reading through the pool could wait for a connection that others hold so.
                    let view = PostgresEventView(logID, head, of: self) { [pool] in
                        try pool.run($0, $1, on: connection)
                    }
                    let (value, new) = try body(view)
                    sent = (head, new, value)
                    if !new.events.isEmpty {
                        _ = try pool.run(
                            Self.appendStatement,
                            try values(new, after: head.root, head.count, epoch), on: connection)
                    }
                    try connection.run("COMMIT")
                    known.change { $0 = nil }
                    noteDurable(head.count + UInt64(new.events.count))
                    return value
                } catch {
                    // A broken connection undoes the transaction by its end.
                    if connection.failure == nil { try connection.run("ROLLBACK") }
                    throw error
                }
            }
        } catch let error as PostgresError where error.isTransient {
            // The commit may have taken effect before its answer was lost.
            if let sent, !sent.new.events.isEmpty {
                let head = try freshHead()
                if try holds(sent.new.events, from: sent.head.count, in: head) {
                    try makeDurable(head)
                    return sent.value
                }
            }
            throw error
        }
    }

    private static let lockStatement = PostgresStatement(
        name: "daybook_lock_1",
        text: "SELECT head FROM daybook.logs WHERE log_id = $1 FOR UPDATE")

    package func append(
        _ new: NewEvents, expecting count: UInt64, epoch: UInt64
    ) throws -> AppendAnswer {
        try append(new, after: [], expecting: count, epoch: epoch)
    }

    /// Appends behind events that have a root; an empty one stands for any.
    ///
    /// A fail-over may lose events that were read but never acknowledged, and others may have come
    /// in their place: then the position is as expected, but not the root.
    private func append(
        _ new: NewEvents, after root: Bytes, expecting count: UInt64, epoch: UInt64
    ) throws -> AppendAnswer {
        try LogError.explaining {
            let values = try values(new, after: root, count, epoch)
            let asked = Clock.monotonicMicroseconds()
            var isCertain = true
            let rows = try pool.retrying {
                do {
                    // A commit that failed together with others is tried again alone.
                    return isCertain
                        ? try pool.commits.run(Self.appendStatement, values, log: logID, in: pool)
                        : try pool.once(Self.appendStatement, values)
                } catch let error as PostgresError where error.isTransient {
                    isCertain = false
                    throw error
                }
            }
            let end = count + UInt64(new.events.count)
            if rows.count == new.events.count, !new.events.isEmpty {
                let archived = known.change { $0?.head.archived }
                learn(
                    PostgresHead(
                        count: end, root: try new.root(), epoch: epoch, archived: archived,
                        last: new.events.last),
                    asked: asked)
                noteDurable(end)
                return .appended(count: end)
            }
            let head = try freshHead()
            // The first attempt may have been committed, and only its answer was lost.
            if !isCertain, try holds(new.events, from: count, in: head) {
                try makeDurable(head)
                return .appended(count: end)
            }
            if head.epoch != epoch { return .fenced(epoch: head.epoch) }
            if new.events.isEmpty, head.count == count { return .appended(count: count) }
            return .conflict(count: head.count)
        }
    }

    private func values(
        _ new: NewEvents, after root: Bytes, _ count: UInt64, _ epoch: UInt64
    ) throws -> [PostgresValue] {
        let end = count + UInt64(new.events.count)
        return [
            .bytes(logID), .number(count), .number(epoch), .bytes(try new.root()), .number(end),
            .list(new.events), .bytes(root), .number(FormatNumber.schema.current),
        ]
    }

    /// Whether the log has these events at a position.
    private func holds(
        _ events: [Bytes], from position: UInt64, in head: PostgresHead
    ) throws -> Bool {
        guard head.count >= position + UInt64(events.count) else { return false }
        if let archived = head.archived, archived.count > position {
            throw PostgresError(
                .databaseConflict, "the events that may have been appended were archived meanwhile")
        }
        return try view(head).events(from: position, limit: events.count, byteLimit: .max) == events
    }

    static let appendStatement = PostgresStatement(
        name: "daybook_append_3",
        text: """
            WITH moved AS (
                UPDATE daybook.logs SET head = $5, root = $4
                WHERE log_id = $1 AND head = $2 AND epoch = $3 AND version = $8
                    AND (root = $7 OR length($7) = 0)
                RETURNING log_id
            )
            INSERT INTO daybook.events (log_id, position, bytes)
            SELECT moved.log_id, $2 + new.number - 1, new.bytes
            FROM moved, unnest($6::bytea[]) WITH ORDINALITY AS new (bytes, number)
            """)

    // MARK: - Others

    package func drop(_ archived: ArchivedEvents) throws {
        try LogError.explaining {
            let note = try pool.run(
                Self.noteStatement,
                [
                    .bytes(logID), .number(archived.count), .bytes(archived.root.bytes),
                    .bytes(Bytes(archived.folder.utf8)), .number(try writingEpoch()),
                    .number(FormatNumber.schema.current),
                ])
            // Another machine has taken the log over, or more events are archived already.
            if note.count == 0 { _ = try writerHead() }
            known.change { $0 = nil }
            let first = try pool.run(Self.firstStatement, [.bytes(logID)])
            var next = first.number(0, 0) ?? archived.count
            // In steps, so that none takes longer than a statement may.
            while next < archived.count {
                let end = min(next + Self.droppedAtOnce, archived.count)
                _ = try pool.run(
                    Self.dropStatement, [.bytes(logID), .number(next), .number(end)])
                next = end
            }
        }
    }

    private static let droppedAtOnce: UInt64 = 4096

    private static let noteStatement = PostgresStatement(
        name: "daybook_archived_2",
        text: """
            UPDATE daybook.logs
            SET archived = $2, archived_root = $3, archived_in = convert_from($4, 'UTF8')
            WHERE log_id = $1 AND epoch = $5 AND version = $6 AND head > $2
                AND archived <= $2
            """)

    private static let firstStatement = PostgresStatement(
        name: "daybook_first_1",
        text: "SELECT min(position) FROM daybook.events WHERE log_id = $1")

    private static let dropStatement = PostgresStatement(
        name: "daybook_drop_1",
        text: """
            DELETE FROM daybook.events WHERE log_id = $1 AND position >= $2 AND position < $3
            """)

    package func watch(_ grown: @escaping @Sendable (UInt64?) -> Void) -> any Sendable {
        pool.heads.add(logID, in: pool, grown)
    }
}

extension Result {
    /// Whether a turn's answer has no events to append.
    fileprivate func appendsNothing<Value>() -> Bool where Success == (Value, NewEvents) {
        guard case .success(let answer) = self else { return true }
        return answer.1.events.isEmpty
    }
}
