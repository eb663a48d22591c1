import DaybookEncoding
import Testing
import TestSupport

@testable import DaybookLMDB
@testable import DaybookLog
@testable import DaybookMigrations

struct MigrationTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A store from before the first migration: an id and a layout, and nothing else.
    private func makeLayoutZero() throws {
        try LogFolder.create(at: folder.log) { _ in }
    }

    private func layout() throws -> UInt64? {
        try Environment(folder.log).read { try LogMeta.layout($0) }
    }

    @Test func `there are as many migrations as layouts`() {
        #expect(UInt64(Migrations.all.count) == LogVersions.layout)
    }

    @Test func `a store from before is opened only after its migration`() throws {
        try makeLayoutZero()
        #expect(throws: LogError.needsMigration(found: 0, known: LogVersions.layout)) {
            _ = try EventLog(opening: folder.log)
        }
        #expect(throws: LogError.needsMigration(found: 0, known: LogVersions.layout)) {
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
        #expect(try Migrations.migrate(environment) == Array(1...LogVersions.layout))
        #expect(try Migrations.migrate(environment) == [])
    }

    @Test func `a migration that fails leaves the layout before it and can go on`() throws {
        struct Failure: Error {}
        try makeLayoutZero()
        let environment = try Environment(folder.log)
        let second: @Sendable (any StorageView) throws -> Void = { view in
            let table = try #require(try view.table("second", create: true))
            try view.put(table, [1], [2])
        }
        #expect(throws: Failure.self) {
            try Migrations.run(
                Migrations.all + [{ view in
                    try second(view)
                    throw Failure()
                }], on: environment)
        }
        try environment.read { view in
            try #expect(LogMeta.layout(view) == LogVersions.layout)
            try #expect(view.table("second") == nil)
        }
        let next = LogVersions.layout + 1
        #expect(try Migrations.run(Migrations.all + [second], on: environment) == [next])
        #expect(throws: LogError.tooNew(.layout, found: next, known: LogVersions.layout)) {
            try Migrations.migrate(environment)
        }
    }

    @Test func `a layout that is too new is refused and stays`() throws {
        try makeLayoutZero()
        try Environment(folder.log).write { try LogMeta.setLayout(9, $0) }
        #expect(throws: LogError.tooNew(.layout, found: 9, known: LogVersions.layout)) {
            _ = try Migrations.openLog(at: folder.log)
        }
        #expect(try layout() == 9)
    }

    @Test func `a folder that is no store is not migrated`() throws {
        let environment = try Environment(folder.path)
        #expect(throws: LogError.self) { try Migrations.migrate(environment) }
    }
}
