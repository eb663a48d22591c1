import DaybookMigrations
import DaybookSystem
import Testing
import TestSupport

@testable import DaybookLog

/// A process is killed, or the disk fails, at every call that changes what lies on disk.
@Suite(.serialized, .enabled(if: Tracer.isAllowed, "tracing is not allowed"))
struct LogCrashTests {
    /// Each is counted by itself, so that every single call is reached.
    static let changing = [
        "mkdir", "ftruncate", "pwrite64", "writev", "fdatasync", "fsync", "rename",
    ]

    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Calls `body` with every place at which to kill, as long as it says that it was reached.
    private func atEveryCall(_ body: (_ place: String, _ wrapper: [String]) throws -> Bool) throws {
        for name in Self.changing {
            var call = 1
            func kill() -> [String] {
                Tracer.injecting("\(name):signal=SIGKILL:when=\(call)", name)
            }
            while try body("\(name)-\(call)", kill()) {
                call += 1
                if call > 100 {
                    Issue.record("the kills at \(name) do not come to an end")
                    break
                }
            }
        }
    }

    @Test func `a creation killed anywhere leaves a whole log or none, and can be repeated`() throws
    {
        var states: [String: Int] = [:]
        try atEveryCall { place, wrapper in
            let path = "\(folder.path)/\(place)/log"
            try Files.createDirectory("\(folder.path)/\(place)", mode: 0o700)
            let result = try Driver.run("create", path, under: wrapper)
            let opened = try Driver.run("open", path)
            switch opened.error {
            case "": states["whole", default: 0] += 1
            case "there is no log at \(path); `daybook init` makes a store\n":
                states["missing", default: 0] += 1
            case "the log at \(path) was only half created; create it again\n":
                states["half created", default: 0] += 1
            default: Issue.record("at \(place): \(opened.error)")
            }
            if opened.status != 0 { try #expect(Driver.run("create", path).status == 0) }
            try #expect(Driver.run("append", path, "1").positions == [0])
            try #expect(Files.list("\(folder.path)/\(place)") == ["log"])
            return result.wasKilled
        }
        // The kills must have reached every kind of state, else they missed the point.
        #expect(states.keys.sorted() == ["half created", "missing", "whole"], "\(states)")
    }

    @Test func `an append killed anywhere loses nothing that was acknowledged`() throws {
        _ = try Migrations.createLog(at: folder.log)
        var expected: UInt64 = 0
        var acknowledgedOne = 0
        try atEveryCall { place, wrapper in
            let result = try Driver.run("append", folder.log, "2", under: wrapper)
            let acknowledged = UInt64(result.positions.count)
            #expect(result.positions == (0..<acknowledged).map { expected + $0 })
            let read = try Driver.run("read", folder.log)
            let count = try #require(read.positions.first, "\(read.error)")
            // A commit may lack its acknowledgement, but no acknowledged commit is missing.
            let possible = expected + acknowledged...expected + acknowledged + 1
            #expect(possible.contains(count), "\(place)")
            if result.wasKilled && acknowledged == 1 { acknowledgedOne += 1 }
            expected = count
            return result.wasKilled
        }
        #expect(acknowledgedOne > 2)
        let log = try Migrations.openLog(at: folder.log)
        try log.read { snapshot in
            let records = try snapshot.records(from: 0, limit: .max)
            #expect(UInt64(records.count) == expected)
            for record in records {
                let own = try snapshot.positions(ofStream: record.stream)
                #expect(own[Int(record.revision)] == record.position)
            }
        }
    }

    @Test(arguments: ["EIO", "ENOSPC"])
    func `a disk that fails on any write loses nothing that was acknowledged`(
        code: String
    ) throws {
        _ = try Migrations.createLog(at: folder.log)
        var expected: UInt64 = 0
        var failures = 0
        for name in ["pwrite64", "writev", "fdatasync"] {
            for call in 1...20 {
                let wrapper = Tracer.injecting("\(name):error=\(code):when=\(call)", name)
                let result = try Driver.run("insist", folder.log, "2", under: wrapper)
                #expect(!result.wasKilled)
                let acknowledged = UInt64(result.positions.count)
                let read = try Driver.run("read", folder.log)
                let count = try #require(read.positions.first, "\(read.error)")
                let possible = expected + acknowledged...expected + acknowledged + 1
                #expect(possible.contains(count), "\(name) \(call)")
                expected = count
                if result.error.isEmpty { break }
                failures += 1
                check(result, code, "\(name) \(call)")
                #expect(call < 20, "the failures must come to an end")
            }
        }
        #expect(failures > 8)
    }

    private func check(_ result: ProgramRun, _ code: String, _ place: String) {
        let named = [
            "EIO": "storage: input/output error\n",
            "ENOSPC": "no space is left on the device of \(folder.log)\n",
        ][code, default: ""]
        let closed = "an earlier input or output error closed the log; open it again\n"
        // The failure came in the second try, or in the first and closed the handle, or the
        // handle could go on, which it may after a full disk but never after an I/O error.
        let isSecond = result.positions.count >= 2 && result.status != 0
        let possible =
            switch (isSecond, code) {
            case (true, _): [named]
            case (false, "EIO"): [named + closed]
            default: [named + closed, named]
            }
        #expect(possible.contains(result.error), "\(place): \(result.positions)")
    }
}
