import DaybookEncoding
import DaybookLog
import DaybookPostgres
import DaybookSystem
import EventStores
import Testing
import TestSupport

/// Events that somebody has read before they were acknowledged, and that a fail-over then lost.
struct LostEventsTests {
    private let server: TemporaryPostgres
    private let pool: PostgresPool
    private let log: Bytes

    init() throws {
        server = try TemporaryPostgres.shared.get()
        pool = PostgresPool(server.database)
        log = try Entropy.bytes(LogLimits.idBytes)
        try PostgresDatabase(pool).prepare()
        try PostgresDatabase(pool).create(log: log)
    }

    @Test func `a writer that has read lost events decides on those in their place`() throws {
        let (writer, other) = (events(), events())
        try append("a", to: writer)
        try losing { () throws in
            try append("x", to: other)
            #expect(try names(writer.read(from: 0, limit: 9)) == ["a", "x"])
        }
        try append("y", to: events())
        try writer.turn { view throws in
            let last = try names(view.events(from: view.count - 1, limit: 1, byteLimit: .max))
            return ((), batch(last, "after " + last.joined()))
        }
        #expect(try names(events().read(from: 0, limit: 9)) == ["a", "y", "after y"])
    }

    @Test func `a machine that was fenced by a lost take-over writes again`() throws {
        let writer = events()
        try append("a", to: writer)
        try losing { () throws in
            _ = try PostgresDatabase(pool).takeOver(log: log)
            #expect(throws: LogError.fenced(held: 1, epoch: 2)) { try append("x", to: writer) }
        }
        try append("b", to: writer)
        #expect(try names(writer.read(from: 0, limit: 9)) == ["a", "b"])
    }

    /// In memory, and where the derived tables have the lost event.
    @Test(arguments: [false, true])
    func `values that were computed of lost events are computed anew`(isStored: Bool) throws {
        let folder = try TemporaryFolder()
        let reader = try EventLog(of: events(), derivedAt: folder.path + "/derived")
        try append("a", to: opened())
        #expect(try types(in: reader) == ["a"])
        try losing { () throws in
            try append("x", to: opened())
            #expect(try types(in: reader) == ["a", "x"])
            if isStored { try reader.bringForward() }
        }
        try append("y", to: opened())
        #expect(try types(in: reader) == ["a", "y"])
        #expect(try revisions(in: reader) == ["a": 1, "x": 0, "y": 1])
        try append("z", to: reader)
        let fresh = try opened()
        #expect(try types(in: fresh) == ["a", "y", "z"])
        #expect(try reader.read { try $0.head() } == fresh.read { try $0.head() })
    }

    // MARK: - Helpers

    private func events() -> PostgresEvents { PostgresEvents(pool, log: log, epoch: 1) }

    private func opened() throws -> EventLog {
        try EventLog(of: events(), derivedAt: nil)
    }

    /// Appends an event; the root tells the events apart.
    private func append(_ name: String, to events: PostgresEvents) throws {
        try events.turn { view throws in
            let found = try names(view.events(from: 0, limit: 9, byteLimit: .max))
            return ((), batch(found, name))
        }
    }

    private func batch(_ found: [String], _ name: String) -> NewEvents {
        let root = Array(repeating: "-", count: 32) + found + [name]
        return NewEvents([Bytes(name.utf8)]) { Bytes(root.joined().utf8.suffix(32)) }
    }

    private func names(_ events: [Bytes]) -> [String] {
        events.map { String(decoding: $0, as: UTF8.self) }
    }

    private func append(_ type: String, to log: EventLog) throws {
        try log.write { transaction in
            _ = try transaction.append(
                EventDraft(
                    stream: type, type: type, time: 1, session: .own, request: nil, cause: nil,
                    actor: "test", data: .record([:])))
        }
    }

    private func types(in log: EventLog) throws -> [String] {
        try log.read { try $0.records(from: 0, limit: 9).map(\.type) }
    }

    private func revisions(in log: EventLog) throws -> [String: UInt64] {
        try log.read { log in
            try Dictionary(
                uniqueKeysWithValues: ["a", "x", "y"].map { ($0, try log.revision(ofStream: $0)) })
        }
    }

    /// Takes the database back to what it was before `body`.
    private func losing(_ body: () throws -> Void) throws {
        let row = "log_id = '\\x\(Hex.encode(log))'"
        let before = try server.run(
            "SELECT 'head = ' || head || ', epoch = ' || epoch || ', root = ''' || root || '''' "
                + "FROM daybook.logs WHERE \(row)")
        try body()
        try server.run("UPDATE daybook.logs SET \(before) WHERE \(row)")
        try server.run(
            "DELETE FROM daybook.events USING daybook.logs WHERE events.\(row) "
                + "AND logs.\(row) AND position >= head")
    }
}
