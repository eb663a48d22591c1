import DaybookDomain
import DaybookReplay
import DaybookSystem
import Foundation
import Testing
import TestSupport

@testable import Daybook
@testable import DaybookLMDB
@testable import DaybookLog

/// Stores that are missing, cut off, too new, foreign, read-only or on a full disk.
///
/// Becoming somebody else and mounting take root; elsewhere those tests are skipped.
@Suite(.serialized)
struct BadStoreTests {
    @Test func `a store that newer rules decided in is read, and not written to`() async throws {
        let temporary = try TemporaryStore()
        try Self.beginSession(engine: Engine.current + 1, temporary.path + "/log")
        let store = try temporary.open()
        #expect(try await store.callbacks().isEmpty)
        let error = await #expect(throws: DaybookError.self) {
            try await store.receive("dash:XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa?amount=1")
        }
        #expect(error?.code == "storeTooNew")
        #expect(try await store.allRecords().count == 1)
    }

    private static func beginSession(engine: UInt64, _ path: String) throws {
        let start = Payload.sessionStarted(
            SessionStarted(
                frontEnd: "later", engine: engine, libraries: [], settings: Settings()))
        let now: UInt64 = 1_800_000_000_000_000
        try EventLog(opening: path).write { transaction in
            _ = try transaction.append(
                EventDraft(
                    start, position: 0, time: now, session: 0, request: nil, actor: "later"))
        }
    }

    static let isRoot = Files.currentUser == 0
    static let nobody = "65534"

    private let link = "dashwallet://request=address&sender=myapp"

    private func code(of path: String) -> String? {
        do {
            _ = try Store(opening: path, frontEnd: "tests")
            return nil
        } catch {
            return error.code.rawValue
        }
    }

    private func setMode(_ mode: Int, _ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    /// Every path under a folder, the folder first.
    private func paths(_ folder: String) throws -> [String] {
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String }
        return [folder] + (names ?? []).map { folder + "/" + $0 }
    }

    private func content(_ folder: String) throws -> [String: Data] {
        var result: [String: Data] = [:]
        for path in try paths(folder) where !path.hasSuffix("lock.mdb") {
            result[path] = FileManager.default.contents(atPath: path)
        }
        return result
    }

    /// The log is whole after each attempt and replays, and the store goes on.
    private func expectIntact(_ home: SharedHome) async throws {
        let store = try home.open()
        try await store.expectCleanReplay()
        let request = try await store.receive(link)
        #expect(try await store.approve(request.id).status == .completed)
        try await store.expectCleanReplay()
    }

    @Test func `a missing folder, or one of other files, is no store`() throws {
        let home = try SharedHome()
        #expect(code(of: home.path) == "storeMissing")
        try FileManager.default.createDirectory(
            atPath: home.path, withIntermediateDirectories: true)
        #expect(code(of: home.path) == "storeMissing")
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.path) == [])
        try Data("a letter".utf8).write(to: URL(fileURLWithPath: home.path + "/letter.txt"))
        #expect(code(of: home.path) == "storeMissing")
        #expect(throws: DaybookError.self) { try Store.create(at: home.path) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.path) == ["letter.txt"])
    }

    @Test func `a store whose creation was cut off is named and can be completed`() async throws {
        let home = try SharedHome()
        try Store.create(at: home.path)
        try FileManager.default.moveItem(
            atPath: home.path + "/log", toPath: home.path + "/log.new")
        #expect(["storeHalfCreated", "storeMissing"].contains(code(of: home.path)))
        try Store.create(at: home.path)
        #expect(code(of: home.path) == nil)
        #expect(throws: DaybookError.self) { try Store.create(at: home.path) }
    }

    @Test(arguments: [(11, "storeTooNew"), (2, "developmentVersion")] as [(UInt64, String)])
    func `a store of another program is named and left as it is`(
        layout: UInt64, expected: String
    ) async throws {
        let home = try await SharedHome.funded([.dash])
        let log = home.path + "/log"
        try DaybookLMDB.Environment(log).write { try LogMeta.setLayout(layout, $0) }
        let before = try content(home.path)
        #expect(code(of: home.path) == expected)
        #expect(try content(home.path) == before)
        try DaybookLMDB.Environment(log).write { try LogMeta.setLayout(10, $0) }
        try await expectIntact(home)
    }

    @Test func `settings that are no settings are named`() async throws {
        let home = try await SharedHome.funded([.dash])
        let settings = URL(fileURLWithPath: home.path + "/settings.json")
        let good = try Data(contentsOf: settings)
        for text in [
            "", "{", "[]x", "[]", "null", #"{"expirySeconds":0}"#, #"{"expirySeconds":"soon"}"#,
        ] {
            try Data(text.utf8).write(to: settings)
            #expect(code(of: home.path) == "settingsInvalid", "\(text)")
        }
        // Opening a pipe waits for its other end, here for ever.
        try Files.remove(settings.path)
        try #require(mkfifo(settings.path, 0o600) == 0)
        #expect(code(of: home.path) == "settingsInvalid")
        try Files.remove(settings.path)
        try good.write(to: settings)
        try await expectIntact(home)
    }

    @Test func `a log that was cut off or overwritten is damaged by name`() async throws {
        let home = try await SharedHome.funded([.dash])
        let data = home.path + "/log/data.mdb"
        let whole = try #require(FileManager.default.contents(atPath: data))
        for damage in [whole.prefix(0), whole.prefix(4096), Data(repeating: 7, count: 65_536)] {
            try damage.write(to: URL(fileURLWithPath: data))
            let code = code(of: home.path)
            #expect(
                code == "storeDamaged" || code == "storeHalfCreated",
                "\(damage.count): \(code ?? "")")
        }
        try whole.write(to: URL(fileURLWithPath: data))
        try await expectIntact(home)
    }

    @Test(.enabled(if: isRoot))
    func `somebody else's store is not written`() async throws {
        let home = try await SharedHome.funded([.dash])
        try setMode(0o755, home.folder)
        let before = try content(home.path)
        let shut = try DriverProcess.run("--user", Self.nobody, "open", home.path)
        #expect(shut.code == "permissionDenied", "\(shut.lines)")
        for path in try paths(home.path) {
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            try setMode(isFolder.boolValue ? 0o777 : 0o666, path)
        }
        for command in [["open"], ["receive", "key", link], ["sync"]] {
            let words = ["--user", Self.nobody, command[0], home.path] + command.dropFirst()
            let result = try DriverProcess.run(words)
            #expect(result.status == 1 && result.code == "storeNotOwned", "\(result.lines)")
        }
        #expect(try content(home.path) == before)
        for path in try paths(home.path) {
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            try setMode(isFolder.boolValue ? 0o700 : 0o600, path)
        }
        try await expectIntact(home)
    }

    @Test(.enabled(if: isRoot))
    func `its owner is told when a store may not be written`() async throws {
        let home = try await SharedHome.funded([.dash])
        try setMode(0o755, home.folder)
        for path in try paths(home.path) {
            try FileManager.default.setAttributes(
                [.ownerAccountID: 65_534, .groupOwnerAccountID: 65_534], ofItemAtPath: path)
        }
        try setMode(0o400, home.path + "/log/data.mdb")
        let result = try DriverProcess.run(
            "--user", Self.nobody, "receive", home.path, "key", link)
        #expect(
            result.code == "permissionDenied" || result.code == "storeReadOnly",
            "\(result.lines)")
        try setMode(0o600, home.path + "/log/data.mdb")
        let done = try DriverProcess.run("--user", Self.nobody, "handle", home.path, "key", link)
        #expect(done.status == 0, "\(done.lines)")
        for path in try paths(home.path) {
            try FileManager.default.setAttributes(
                [.ownerAccountID: 0, .groupOwnerAccountID: 0], ofItemAtPath: path)
        }
        try await expectIntact(home)
    }

    @Test(.enabled(if: isRoot && SmallDisk.canMount))
    func `a full disk is named and nothing that was reported is lost`() async throws {
        let home = try SharedHome()
        let disk = try SmallDisk(at: home.path, kilobytes: 640)
        #expect(try DriverProcess.run("create", home.path).status == 0)
        #expect(try DriverProcess.run("add", home.path, "dash").status == 0)
        var acknowledged: [RequestID] = []
        var last: ProgramRun?
        // Long requests fill the disk soon.
        let message = String(repeating: "x", count: 30_000)
        for number in 0..<100 where last?.status ?? 0 == 0 {
            let result = try DriverProcess.run(
                "reject", home.path, "key\(number)",
                "dash:XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa?amount=\(number + 1)&message=\(message)")
            acknowledged += result.values("request").compactMap {
                $0.split(separator: " ").first.flatMap { UInt64($0) }.map { RequestID($0) }
            }
            last = result
        }
        #expect(last?.status == 1 && last?.code == "diskFull", "\(last?.lines ?? [])")
        try disk.remount("size=8m")
        do {
            let store = try home.open()
            try await store.expectCleanReplay()
            for id in Set(acknowledged) {
                #expect(try await store.request(id).status != .received)
            }
        }
        try await expectIntact(home)
    }

    @Test(.enabled(if: isRoot && SmallDisk.canMount))
    func `a store is not created by halves on a full disk`() throws {
        let home = try SharedHome()
        let disk = try SmallDisk(at: home.path, kilobytes: 24)
        let result = try DriverProcess.run("create", home.path)
        #expect(result.status == 1 && result.code == "diskFull", "\(result.lines)")
        try disk.remount("size=8m")
        #expect(try DriverProcess.run("create", home.path).status == 0)
        #expect(try DriverProcess.run("add", home.path, "icon").status == 0)
    }

    @Test func `a read-only store shows expired requests as they are recorded`() async throws {
        let temporary = try TemporaryStore()
        do {
            let writer = try temporary.open()
            _ = try await writer.addTestWallet(.dash, network: .sandbox)
            #expect(try await writer.receive(link).status == .pending)
        }
        var parts = StoreParts(at: temporary.path, sealing: StoreOptions().scrypt)
        parts.log = { try EventLog(readingAt: temporary.path + "/log") }
        var options = StoreOptions()
        options.clock = { [now = temporary.now.withLock { $0 }] in now + 86_400_000_000 }
        let store = try Store(parts, at: temporary.path, frontEnd: "tests", options: options)
        #expect(store.isReadOnly)
        #expect(try await store.pending().count == 1)
        let error = await #expect(throws: DaybookError.self) { try await store.receive(link) }
        #expect(error?.code == .storeReadOnly && store.problem()?.code == .storeReadOnly)
    }

    @Test(.enabled(if: isRoot && SmallDisk.canMount))
    func `on a read-only disk a store is named read-only`() async throws {
        let home = try SharedHome()
        let disk = try SmallDisk(at: home.path, kilobytes: 8192)
        #expect(try DriverProcess.run("create", home.path).status == 0)
        #expect(try DriverProcess.run("add", home.path, "dash").status == 0)
        try disk.remount("ro")
        for command in [["receive", "key", link], ["sync"], ["add", "icon"]] {
            let words = [command[0], home.path] + command.dropFirst()
            let result = try DriverProcess.run(words)
            #expect(result.status == 1 && result.code == "storeReadOnly", "\(result.lines)")
        }
        try disk.remount("rw")
        try await expectIntact(home)
    }
}
