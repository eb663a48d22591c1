internal import DaybookEncoding
internal import DaybookLog

/// A log in PostgreSQL as of one head: the events below it never change.
final class PostgresEventView: EventView {
    let logID: Bytes
    private let head: PostgresHead
    private let events: PostgresEvents
    private let run: (PostgresStatement, [PostgresValue]) throws -> PostgresRows

    /// A view that asks by `run`.
    init(
        _ logID: Bytes, _ head: PostgresHead, of events: PostgresEvents,
        run: @escaping (PostgresStatement, [PostgresValue]) throws -> PostgresRows
    ) {
        self.logID = logID
        self.head = head
        self.events = events
        self.run = run
    }

    var count: UInt64 { head.count }
    var epoch: UInt64 { head.epoch }
    var root: Bytes? { head.root }
    var archived: ArchivedEvents? { head.archived }

    func archivedNow() throws -> ArchivedEvents? { try events.archived(by: run) }

    func bytes(at position: UInt64) throws -> Bytes? {
        try events(from: position, limit: 1, byteLimit: .max).first
    }

    func events(at positions: [UInt64]) throws -> [Bytes] {
        let stored = Array(Set(positions.filter { $0 < head.count && !isLast($0) })).sorted()
        var found: [UInt64: Bytes] = [:]
        var next = 0
        while next < stored.count {
            let page = Array(stored[next...].prefix(Int(Self.pageSize)))
            let answer = try run(Self.pickStatement, [.bytes(logID), .numbers(page)])
            for row in answer.rows.indices {
                if let position = answer.number(row, 0) { found[position] = answer.bytes(row, 1) }
            }
            next += page.count
        }
        return try positions.map { position in
            guard let bytes = isLast(position) ? head.last : found[position] else {
                throw LogError.damaged(position: position, reason: "the event is missing")
            }
            return bytes
        }
    }

    private static let pickStatement = PostgresStatement(
        name: "daybook_pick_1",
        text: """
            SELECT position, bytes FROM daybook.events
            WHERE log_id = $1 AND position = ANY($2::bigint[])
            """)

    func events(from position: UInt64, limit: Int, byteLimit: Int) throws -> [Bytes] {
        let end = min(head.count, position &+ UInt64(max(limit, 0)))
        var events: [Bytes] = []
        var total = 0
        var next = position
        while next < end, total < byteLimit {
            let pageEnd = min(end, next + Self.pageSize)
            let last = isLast(next) ? head.last.map { [$0] } : nil
            for bytes in try last ?? page(from: next, to: pageEnd) {
                events.append(bytes)
                total += bytes.count
                next += 1
                if total >= byteLimit { break }
            }
        }
        return events
    }

    /// Whether an event is the last one, whose bytes came with the head.
    private func isLast(_ position: UInt64) -> Bool { position &+ 1 == head.count }

    /// How many events are read with one statement.
    private static let pageSize: UInt64 = 1024

    private func page(from position: UInt64, to end: UInt64) throws -> [Bytes] {
        let answer = try run(
            Self.readStatement, [.bytes(logID), .number(position), .number(end)])
        var events: [Bytes] = []
        for (row, expected) in zip(answer.rows.indices, position..<end) {
            guard answer.number(row, 0) == expected, let bytes = answer.bytes(row, 1) else {
                throw LogError.damaged(position: expected, reason: "the event is missing")
            }
            events.append(bytes)
        }
        guard UInt64(events.count) == end - position else {
            throw LogError.damaged(
                position: position + UInt64(events.count), reason: "the event is missing")
        }
        return events
    }

    private static let readStatement = PostgresStatement(
        name: "daybook_read_1",
        text: """
            SELECT position, bytes FROM daybook.events
            WHERE log_id = $1 AND position >= $2 AND position < $3 ORDER BY position
            """)

    func adopt(_ logID: Bytes) throws {
        throw LogError.database(
            code: "databaseLogDiffers",
            reason: "the log in the database has the id \(Hex.encode(self.logID)): make one with "
                + "the id \(Hex.encode(logID)) and import into that",
            isOfNetwork: false)
    }

    func checkMeta(noting fault: (LogFault) -> Void) throws {}

    func checkEvents(noting fault: (LogFault) -> Void, each: (Bytes) throws -> Void) throws {
        var next = archived?.count ?? 0
        while next < count {
            for bytes in try page(from: next, to: min(count, next + Self.pageSize)) {
                try each(bytes)
                next += 1
            }
        }
        let rows = try run(Self.countStatement, [.bytes(logID)])
        // Events behind the head: an append of another process may have come since.
        if let stored = rows.number(0, 0), let head = rows.number(0, 1), stored != head {
            fault(
                LogFault(
                    .extra, "events", position: min(stored, head),
                    "the log's row counts \(head) events, but there are \(stored)"))
        }
    }

    private static let countStatement = PostgresStatement(
        name: "daybook_count_2",
        text: """
            SELECT l.archived + count(e.position), l.head FROM daybook.logs l
            LEFT JOIN daybook.events e ON e.log_id = l.log_id AND e.position >= l.archived
            WHERE l.log_id = $1 GROUP BY l.head, l.archived
            """)
}
