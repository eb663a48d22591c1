import DaybookEncoding
import DaybookLog
import DaybookPostgres
import DaybookSystem
import EventStores
import Testing
import TestSupport

/// A database whose rows a stranger has changed.
struct HostileRowTests {
    private static let numbers = OutsideNumbers.whole.filter { Int64($0) != nil }
    private let database: String
    private let server: TemporaryPostgres
    private let pool: PostgresPool
    private let log: Bytes

    init() throws {
        server = try TemporaryPostgres.shared.get()
        log = try Entropy.bytes(LogLimits.idBytes)
        database = "hostile_\(Hex.encode(log))"
        pool = PostgresPool(try server.makeDatabase(database))
        try PostgresDatabase(pool).prepare()
        try PostgresDatabase(pool).create(log: log)
        try append(to: opened())
        try run(
            """
            ALTER TABLE daybook.logs DROP CONSTRAINT logs_head_check,
                DROP CONSTRAINT logs_epoch_check;
            ALTER TABLE daybook.events DROP CONSTRAINT events_position_check;
            CREATE TABLE kept_logs AS SELECT * FROM daybook.logs;
            CREATE TABLE kept_events AS SELECT * FROM daybook.events;
            """)
    }

    private func run(_ statement: String) throws { try server.run(statement, in: database) }

    private func opened() throws -> EventLog {
        try EventLog(of: PostgresEvents(pool, log: log, epoch: 1), derivedAt: nil)
    }

    private func append(to log: EventLog) throws {
        try log.write { transaction in
            _ = try transaction.append(
                EventDraft(
                    stream: "a", type: "a", time: 1, session: .own, request: nil, cause: nil,
                    actor: "test", data: .record([:])))
        }
    }

    /// Reads, appends and takes over; how many of the three went well.
    private func uses() -> Int {
        let read: ()? = try? opened().read { log in
            for position in [0, try log.head().size / 2, try log.head().size] {
                _ = try log.records(from: position, limit: 3)
            }
        }
        let appended: ()? = try? append(to: opened())
        let takenOver = try? PostgresDatabase(pool).takeOver(log: log)
        return (read == nil ? 0 : 1) + (appended == nil ? 0 : 1) + (takenOver == nil ? 0 : 1)
    }

    /// Restores the log of one event, and changes it.
    private func reset(_ change: String = "") throws {
        try run(
            """
            TRUNCATE daybook.logs, daybook.events;
            INSERT INTO daybook.logs SELECT * FROM kept_logs;
            INSERT INTO daybook.events SELECT * FROM kept_events;
            \(change)
            """)
    }

    @Test func `no number in a log's row ends the process`() throws {
        try reset()
        #expect(uses() == 3)
        for number in Self.numbers + Self.numbers.dropFirst().map({ "-\($0)" }) {
            let changes = [
                // With the last event where the row says.
                "SET head = \(number); "
                    + "UPDATE daybook.events SET position = GREATEST(\(number)::bigint, 1) - 1",
                "SET epoch = \(number)",
                "SET archived = \(number), archived_root = root, archived_in = '/nowhere'",
            ]
            for change in changes {
                try reset("UPDATE daybook.logs \(change)")
                #expect(uses() < 3 || ["0", "1"].contains(number), "\(change)")
            }
        }
    }
}
