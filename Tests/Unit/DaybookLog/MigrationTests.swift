import DaybookEncoding
import DaybookSystem
import EventStores
import Testing
import TestSupport

@testable import DaybookLMDB
@testable import DaybookLog
@testable import DaybookMigrations

struct MigrationTests {
    let folder: TemporaryFolder
    private let present = FormatNumber.layout.current
    private let next = NextLayout.migrations()

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A store from before the first migration: an id and a layout, and nothing else.
    private func makeLayoutZero() throws {
        try LogFolder.create(at: folder.log) { _ in }
    }

    /// Makes a log of the present layout, and returns its events.
    private func makeLog(events: Int = 70) throws -> [Bytes] {
        let log = try Migrations.createLog(at: folder.log)
        return try log.write { transaction in
            try (0..<events).map { _ in
                try transaction.append(.sample(session: .own, note: "migrated")).bytes
            }
        }
    }

    private func layout() throws -> UInt64? {
        try Environment(folder.log).read { try LogMeta.layout($0) }
    }

    private var file: Bytes {
        get throws { try Files.read("\(folder.log)/data.mdb", limit: 1 << 30) }
    }

    private func openError(readOnly: Bool = false) -> LogError? {
        do {
            _ = try EventLog(opening: folder.log, EnvironmentOptions(isReadOnly: readOnly))
            return nil
        } catch {
            return error as? LogError
        }
    }

    @Test func `there are as many migrations as numbers since the first release`() {
        let first = FormatNumber.firstReleased
        #expect(first + UInt64(Migrations.all.count) - 1 == present)
        #expect(first + UInt64(Migrations.postgres.count) - 1 == FormatNumber.schema.current)
    }

    @Test func `a store from before is opened only after its migration`() throws {
        try makeLayoutZero()
        #expect(throws: LogError.needsMigration(found: 0, known: present)) {
            _ = try EventLog(opening: folder.log)
        }
        #expect(throws: LogError.needsMigration(found: 0, known: present)) {
            _ = try Migrations.openLog(
                at: folder.log, EnvironmentOptions(isReadOnly: true))
        }
        #expect(try layout() == 0)
        let log = try Migrations.openLog(at: folder.log)
        try log.write { _ = try $0.append(.sample(session: .own)) }
        #expect(try log.read { $0.count } == 1)
    }

    @Test func `a migration that has run does not run again`() throws {
        try makeLayoutZero()
        let environment = try Environment(folder.log)
        let first = FormatNumber.firstReleased
        #expect(try Migrations.migrate(environment) == Array(first...present))
        #expect(try Migrations.migrate(environment) == [])
    }

    @Test func `a step that fails changes nothing`() throws {
        struct Failure: Error {}
        _ = try makeLog()
        let before = try file
        let environment = try Environment(folder.log)
        let move = next[next.count - 1]
        let failing: Migrations.Step = { view in
            _ = try move(view)
            throw Failure()
        }
        #expect(throws: Failure.self) {
            try Migrations.migrate(environment, by: Migrations.all + [failing])
        }
        #expect(try file == before)
        try environment.read { view in
            try #expect(LogMeta.layout(view) == present)
            try #expect(view.table("moved") == nil)
        }
    }

    @Test func `a migration that moves a table says after each step how much is left`() throws {
        let events = try makeLog()
        let environment = try Environment(folder.log)
        var steps: [UInt64] = []
        let made = try Migrations.migrate(environment, by: next) { layout, left in
            #expect(layout == NextLayout.number)
            steps.append(left)
        }
        #expect(made == [NextLayout.number] && steps == [54, 38, 22, 6, 0])
        #expect(try environment.read { try NextLayout.events($0) } == events)
        #expect(try Migrations.migrate(environment, by: next) == [])
    }

    /// After any step the log is the newer program's, and after all of them it is whole.
    @Test(arguments: 1...5)
    func `an interrupted migration goes on, and older programs refuse the log meanwhile`(
        steps: Int
    ) throws {
        struct Crash: Error {}
        let events = try makeLog()
        do {
            let environment = try Environment(folder.log)
            var done = 0
            #expect(throws: Crash.self) {
                try Migrations.migrate(environment, by: next) { _, _ in
                    done += 1
                    if done == steps { throw Crash() }
                }
            }
        }
        let before = try file
        let refusal = LogError.unknownFormat(try unknown(.layout, NextLayout.number))
        for readOnly in [false, true] { #expect(openError(readOnly: readOnly) == refusal) }
        #expect(throws: refusal) { _ = try Migrations.openLog(at: folder.log) }
        #expect(try file == before)
        let environment = try Environment(folder.log)
        #expect(try Migrations.migrate(environment, by: next) == (steps < 5 ? [11] : []))
        #expect(try environment.read { try NextLayout.events($0) } == events)
    }

    @Test func `a log whose migration has not ended is opened only once it has`() throws {
        let events = try makeLog()
        try Environment(folder.log).write { view in
            try LogMeta.setLayout(present, isFinished: false, view)
        }
        let error = openError(readOnly: true)
        #expect(error == .needsMigration(found: present, known: present))
        #expect(
            error?.description == "the log's migration to layout 10 has not ended; `daybook "
                + "migrate` goes on")
        let log = try Migrations.openLog(at: folder.log)
        #expect(try log.read { try $0.bytes(from: 0, limit: .max) } == events)
        #expect(try log.check().faults.first.isEmpty)
    }

    @Test func `a program that has the log open while a newer one migrates it writes no more`()
        throws
    {
        _ = try makeLog()
        let log = try EventLog(opening: folder.log)
        try log.write { _ = try $0.append(.sample(session: .own)) }
        let done = try Driver.run("migrate", folder.log, "16")
        #expect(done.status == 0 && done.positions == [55, 39, 23, 7, 0], "\(done.error)")
        let before = try file
        let refusal = LogError.unknownFormat(try unknown(.layout, NextLayout.number))
        #expect(throws: refusal) { try log.write { _ = try $0.append(.sample(session: .own)) } }
        #expect(throws: refusal) { try log.read { _ = try $0.bytes(from: 0, limit: 1) } }
        #expect(throws: refusal) { _ = try log.count() }
        #expect(try file == before)
    }

    @Test func `a full disk stops a migration, which goes on when there is room`() throws {
        let events = try makeLog(events: 2000)
        let size = try file.count
        let full = try Driver.run("--file-limit", "\(size)", "migrate", folder.log, "1000")
        #expect(full.status == 1 && full.error.contains("no space is left"), "\(full.error)")
        #expect(openError() == nil || openError()?.code == "storeTooNew")
        let done = try Driver.run("migrate", folder.log, "1000")
        #expect(done.status == 0, "\(done.error)")
        #expect(try Environment(folder.log).read { try NextLayout.events($0) } == events)
    }

    @Test func `a layout that is too new is refused and stays`() throws {
        try makeLayoutZero()
        try Environment(folder.log).write { try LogMeta.setLayout(11, $0) }
        #expect(throws: LogError.unknownFormat(try unknown(.layout, 11))) {
            _ = try Migrations.openLog(at: folder.log)
        }
        #expect(try layout() == 11)
    }

    @Test func `a folder that is no store is not migrated`() throws {
        let environment = try Environment(folder.path)
        #expect(throws: LogError.self) { try Migrations.migrate(environment) }
    }
}
