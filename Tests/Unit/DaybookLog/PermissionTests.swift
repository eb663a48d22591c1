import DaybookEncoding
import DaybookMigrations
import DaybookSystem
import Foundation
import Testing
import TestSupport

@testable import DaybookLMDB
@testable import DaybookLog

/// Stores of other users, without permission, on full and on read-only disks.
///
/// Becoming somebody else and mounting take root; elsewhere those tests are skipped, and so they
/// are where others can't reach the folder for temporary files.
@Suite(.serialized)
struct PermissionTests {
    static let isRoot = Files.currentUser == 0
    static let canBecomeNobody: Bool = {
        guard isRoot, let folder = try? TemporaryFolder() else { return false }
        var path = Files.parent(of: folder.path)
        while let mode = try? Files.information(path)?.mode, mode & 0o001 != 0 {
            if path == "/" { return true }
            path = Files.parent(of: path)
        }
        return false
    }()
    static let nobody = "65534"

    let folder: TemporaryFolder
    let log: EventLog

    init() throws {
        folder = try TemporaryFolder()
        log = try Migrations.createLog(at: folder.log)
        try log.write { _ = try $0.append(.sample(session: .own)) }
    }

    private func setMode(_ mode: Int, _ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    private func shareForReading() throws {
        try setMode(0o755, folder.path)
        try setMode(0o755, folder.log)
        for name in try Files.list(folder.log) { try setMode(0o644, "\(folder.log)/\(name)") }
    }

    /// Runs the driver as a user without rights to the log, with a folder for copies.
    private func runAsNobody(_ arguments: String...) throws -> ProgramRun {
        let place = "\(folder.path)/copies"
        if try !Files.exists(place) {
            try Files.createDirectory(place, mode: 0o700)
            try setMode(0o1777, place)
        }
        let wrapper = ["/usr/bin/env", "TMPDIR=\(place)"]
        return try Driver.start(["--user", Self.nobody] + arguments, under: wrapper).end()
    }

    private func content() throws -> [String: Bytes] {
        var result: [String: Bytes] = [:]
        for name in try Files.list(folder.log) {
            result[name] = try Files.read("\(folder.log)/\(name)", limit: 1 << 30)
        }
        return result
    }

    @Test func `a log is for its owner alone`() throws {
        #expect(try Files.information(folder.log)?.mode == 0o700)
        for name in try Files.list(folder.log) {
            #expect(try Files.information("\(folder.log)/\(name)")?.mode == 0o600)
        }
    }

    @Test(.enabled(if: canBecomeNobody))
    func `another user without permission is told so`() throws {
        try setMode(0o755, folder.path)
        for command in ["open", "read"] {
            let result = try runAsNobody(command, folder.log)
            #expect(result.error == "permission denied at \(folder.log)/data.mdb\n")
            #expect(result.status == 1)
        }
    }

    @Test(.enabled(if: canBecomeNobody))
    func `another user who may read reads a live log and changes nothing`() throws {
        try shareForReading()
        let before = try content()
        let result = try runAsNobody("read", folder.log)
        #expect(result.positions == [1], "\(result.error)")
        #expect(try content() == before)
        let refused = try runAsNobody("append", folder.log, "1")
        #expect(refused.error == "\(folder.log) is owned by another user, number 0\n")
        #expect(try content() == before)
    }

    @Test(.enabled(if: canBecomeNobody))
    func `another user who may read sees whole states while a writer writes`() throws {
        try shareForReading()
        let writer = try Driver.start(["append", folder.log, "200"])
        var last: UInt64 = 1
        for _ in 0..<10 {
            let result = try runAsNobody("read", folder.log)
            #expect(result.status == 0, "\(result.error)")
            let count = try #require(result.positions.first)
            #expect(count >= last)
            last = count
        }
        #expect(writer.end().status == 0)
    }

    @Test(.enabled(if: isRoot))
    func `root does not write into somebody else's log`() throws {
        let folder = try TemporaryFolder()
        try Migrations.createLog(at: folder.log).write { _ in }
        for path in [folder.log, "\(folder.log)/data.mdb", "\(folder.log)/lock.mdb"] {
            try FileManager.default.setAttributes(
                [.ownerAccountID: 65_534], ofItemAtPath: path)
        }
        #expect(throws: LogError.notOwner(path: folder.log, owner: 65_534)) {
            _ = try Migrations.openLog(at: folder.log)
        }
        let reader = try EventLog(readingAt: folder.log)
        #expect(try reader.read { $0.count } == 0)
    }

    @Test func `a log without its lock file is read and gets none`() throws {
        let copy = "\(folder.path)/copy"
        try Files.createDirectory(copy, mode: 0o700)
        try Files.copy("\(folder.log)/data.mdb", to: "\(copy)/data.mdb", mode: 0o600)
        let reader = try EventLog(opening: copy, EnvironmentOptions(isReadOnly: true))
        #expect(try reader.read { $0.count } == 1)
        #expect(try Files.list(copy) == ["data.mdb"])
    }

    @Test func `reading without a lock file leaves no copy behind`() throws {
        let copy = "\(folder.path)/copy"
        try Files.createDirectory(copy, mode: 0o700)
        try Files.copy("\(folder.log)/data.mdb", to: "\(copy)/data.mdb", mode: 0o600)
        let place = try TemporaryFolder()
        let result = try Driver.run(
            "read", copy, under: ["/usr/bin/env", "TMPDIR=\(place.path)"])
        #expect(result.positions == [1])
        #expect(try Files.list(place.path).isEmpty)
    }

    @Test func `beyond the largest file nothing is half-written`() throws {
        let size = try #require(try Files.information("\(folder.log)/data.mdb")).size
        let result = try Driver.run(
            "--file-limit", "\(size + 8192)", "append", folder.log, "1000")
        // LMDB calls a write that was cut short an I/O error; only a full disk can be looked up.
        let texts = [
            "no space is left on the device of \(folder.log)", "storage: input/output error",
        ]
        #expect(texts.contains { result.error == $0 + "\n" })
        let count = UInt64(result.positions.count) + 1
        #expect(try log.read { $0.count } == count)
        let time = try log.read { $0.lastTime }
        try log.write { _ = try $0.append(.sample(time: time)) }
        #expect(try log.read { $0.count } == count + 1)
    }

    @Test(.enabled(if: isRoot && SmallDisk.canMount))
    func `on a full disk nothing is half-written, and it goes on when there is room`() throws {
        let disk = try SmallDisk(at: "\(folder.path)/disk", kilobytes: 512)
        let path = "\(disk.path)/log"
        try #expect(Driver.run("create", path).status == 0)
        let result = try Driver.run("append", path, "20000")
        #expect(result.error == "no space is left on the device of \(path)\n")
        #expect(result.positions == Array(0..<UInt64(result.positions.count)))
        try #expect(Driver.run("read", path).positions == [UInt64(result.positions.count)])
        try disk.remount("size=1024k")
        try #expect(
            Driver.run("append", path, "1").positions == [UInt64(result.positions.count)])
        try #expect(Driver.run("create", "\(disk.path)/none/log").status == 1)
    }

    @Test(.enabled(if: isRoot && SmallDisk.canMount))
    func `a log is not half-created on a full disk`() throws {
        let disk = try SmallDisk(at: "\(folder.path)/disk", kilobytes: 16)
        let path = "\(disk.path)/log"
        let result = try Driver.run("create", path)
        #expect(result.error.hasPrefix("no space is left on the device of"))
        try #expect(Driver.run("open", path).error.contains("only half created"))
        try disk.remount("size=1024k")
        try #expect(Driver.run("create", path).status == 0)
        try #expect(Files.list(disk.path) == ["log"])
    }

    @Test(.enabled(if: isRoot && SmallDisk.canMount))
    func `on a read-only disk a log is read and not written`() throws {
        let disk = try SmallDisk(at: "\(folder.path)/disk", kilobytes: 1024)
        let path = "\(disk.path)/log"
        try #expect(Driver.run("create", path).status == 0)
        try #expect(Driver.run("append", path, "3").status == 0)
        try disk.remount("ro")
        try #expect(Driver.run("read", path).positions == [3])
        let result = try Driver.run("append", path, "1")
        #expect(result.error == "\(path) is on a read-only file system\n")
        try #expect(
            Driver.run("create", "\(disk.path)/new").error
                == "\(disk.path)/new is on a read-only file system\n")
    }
}
