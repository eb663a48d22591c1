import DaybookEncoding
import DaybookMigrations
import DaybookSystem
import Foundation
import Testing
import TestSupport

@testable import DaybookLMDB
@testable import DaybookLog

struct LogFolderTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func error(_ body: () throws -> Void) -> LogError? {
        do {
            try body()
            return nil
        } catch {
            return error as? LogError
        }
    }

    private func openError(readOnly: Bool = false) -> LogError? {
        error {
            _ = try EventLog(opening: folder.log, EnvironmentOptions(isReadOnly: readOnly))
        }
    }

    /// Makes a log with one event and closes it.
    private func makeLog() throws {
        try Migrations.createLog(at: folder.log).write { transaction in
            _ = try transaction.append(.sample(session: .own))
        }
    }

    private func editMeta(_ key: String, _ value: UInt64) throws {
        try DaybookLMDB.Environment(folder.log).write { view in
            let meta = try #require(try view.table("meta"))
            try view.put(meta, Bytes(key.utf8), BigEndian.bytes(value))
        }
    }

    @Test(arguments: [false, true])
    func `a missing log is named`(readOnly: Bool) throws {
        #expect(openError(readOnly: readOnly) == .missing(path: folder.log))
        #expect(try Files.list(folder.path).isEmpty)
    }

    @Test func `a log that was cut off while it was made is named, and made again`() throws {
        try Files.createDirectory("\(folder.log).creating", mode: 0o700)
        try Files.writeAtomically("\(folder.log).creating/data.mdb", [1, 2, 3], mode: 0o600)
        #expect(openError() == .halfCreated(path: folder.log))
        #expect(openError(readOnly: true) == .halfCreated(path: folder.log))
        try makeLog()
        #expect(try Files.list(folder.path) == ["log"])
        #expect(openError() == nil)
    }

    @Test func `a log's folder without its data file is half created`() throws {
        try Files.createDirectory(folder.log, mode: 0o700)
        #expect(openError() == .halfCreated(path: folder.log))
    }

    @Test func `a log is not made over anything that exists`() throws {
        try makeLog()
        let before = try Files.read("\(folder.log)/data.mdb", limit: 1 << 30)
        #expect(
            error { _ = try Migrations.createLog(at: folder.log) }
                == .exists(path: folder.log))
        #expect(try Files.read("\(folder.log)/data.mdb", limit: 1 << 30) == before)
        try Files.writeAtomically("\(folder.path)/file", [], mode: 0o600)
        #expect(
            error { _ = try Migrations.createLog(at: "\(folder.path)/file") }
                == .exists(path: "\(folder.path)/file"))
    }

    @Test func `the next creation cleans up after one that failed`() throws {
        struct Failure: Error {}
        #expect(throws: Failure.self) {
            try LogFolder.create(at: folder.log) { _ in throw Failure() }
        }
        #expect(openError() == .halfCreated(path: folder.log))
        try makeLog()
        #expect(openError() == nil)
    }

    @Test(arguments: [false, true], [11, 99, 1, 2, 9] as [UInt64])
    func `a layout of another program is refused by name`(readOnly: Bool, number: UInt64) throws {
        try makeLog()
        try editMeta("layout", number)
        let before = try Files.read("\(folder.log)/data.mdb", limit: 1 << 30)
        let expected = LogError.unknownFormat(try unknown(.layout, number))
        #expect(openError(readOnly: readOnly) == expected)
        #expect(error { _ = try Migrations.openLog(at: folder.log) } == expected)
        let why = number < 10
            ? "was written by a development version before 1.0; export it with that program"
            : "is newer than 10, the last one known; use the program that wrote it"
        #expect("\(expected)" == "the log's layout \(number) \(why)")
        #expect(expected.code == (number < 10 ? "developmentVersion" : "storeTooNew"))
        #expect(try Files.read("\(folder.log)/data.mdb", limit: 1 << 30) == before)
    }

    @Test(arguments: [false, true], [7, 11] as [UInt64])
    func `events of another program are refused by name`(readOnly: Bool, number: UInt64) throws {
        try makeLog()
        try editMeta("format", number)
        #expect(
            openError(readOnly: readOnly) == .unknownFormat(try unknown(.event, number)))
    }

    @Test func `an event of a newer format is refused and not skipped`() throws {
        try makeLog()
        try DaybookLMDB.Environment(folder.log).write { view in
            let events = try #require(try view.table("events"))
            let bytes = try #require(try view.value(events, BigEndian.bytes(0)))
            let entries = try #require(try CBOR.decode(bytes).mapValue).map { entry in
                entry.key == .unsigned(0) ? .init(key: entry.key, value: .unsigned(11)) : entry
            }
            try view.put(events, BigEndian.bytes(0), CBOR.map(entries).encoded())
        }
        #expect(openError() == .unknownFormat(try unknown(.event, 11)))
    }

    @Test func `a store that another program upgraded meanwhile is not written to`() throws {
        let log = try Migrations.createLog(at: folder.log)
        try log.write { transaction in
            try LogMeta.setLayout(11, transaction.rows)
        }
        #expect(
            error { try log.write { _ = try $0.append(.sample(session: .own)) } }
                == .unknownFormat(try unknown(.layout, 11)))
        #expect(
            error { try log.read { _ = $0.count } }
                == .unknownFormat(try unknown(.layout, 11)))
    }

    @Test(arguments: [0, 1, 4096, 8191])
    func `a data file that was cut off is damaged and stays as it is`(length: Int) throws {
        try makeLog()
        let path = "\(folder.log)/data.mdb"
        let whole = try Files.read(path, limit: 1 << 30)
        try Files.writeAtomically(path, Array(whole.prefix(length)), mode: 0o600)
        #expect(openError() == .damaged(position: nil, reason: "\(path) is cut off"))
        #expect(openError(readOnly: true) == .damaged(position: nil, reason: "\(path) is cut off"))
        #expect(try Files.information(path)?.size == UInt64(length))
    }

    @Test func `a file that is not one of lmdb is damaged`() throws {
        try makeLog()
        let noise = Bytes(repeating: 0x5a, count: 16_384)
        try Files.writeAtomically("\(folder.log)/data.mdb", noise, mode: 0o600)
        #expect(openError() == .damaged(position: nil, reason: "not a file of lmdb"))
    }

    @Test func `a file of another version of lmdb is named`() throws {
        try makeLog()
        let path = "\(folder.log)/data.mdb"
        var bytes = try Files.read(path, limit: 1 << 30)
        for page in [0, 4096] { bytes[page + 20] = 2 }
        try Files.writeAtomically(path, bytes, mode: 0o600)
        #expect(openError() == .otherLMDB)
        #expect(openError(readOnly: true) == .otherLMDB)
    }

    @Test func `a file that was cut off behind its first pages never stops the program`() throws {
        let log = try Migrations.createLog(at: folder.log)
        try log.write { transaction in
            for number in 0..<40 {
                let note = String(repeating: "n", count: number * 200)
                _ = try transaction.append(.sample(session: .own, note: note))
            }
        }
        let whole = try Files.read("\(folder.log)/data.mdb", limit: 1 << 30)
        var refused = 0
        for pages in 2..<whole.count / 4096 {
            let cut = "\(folder.path)/cut-\(pages)"
            try Files.createDirectory(cut, mode: 0o700)
            for bytes in [pages * 4096, pages * 4096 + 77] {
                try Files.writeAtomically(
                    "\(cut)/data.mdb", Array(whole.prefix(bytes)), mode: 0o600)
                for command in ["read", "open", "append", "read"] {
                    let result = try Driver.run(command, cut, "1")
                    #expect(!result.wasKilled, "\(command) of \(bytes) bytes: \(result.error)")
                    if result.status == 0 { continue }
                    #expect(result.error.hasPrefix("the log is damaged"), "\(result.error)")
                    refused += 1
                }
            }
        }
        #expect(refused > 50)
    }

    @Test func `an event that was changed on disk is reported with its position`() throws {
        try makeLog()
        try Migrations.openLog(at: folder.log).write { transaction in
            let events = try #require(try transaction.rows.table("events"))
            let bytes = try #require(try transaction.bytes(at: 0))
            try transaction.rows.put(events, BigEndian.bytes(0), bytes + [0])
        }
        let found = openError()
        guard case .damaged(position: 0, let reason) = found else {
            Issue.record("found \(String(describing: found))")
            return
        }
        #expect(reason.hasPrefix("cbor at byte"))
    }

    @Test func `an event of another log is reported with its position`() throws {
        try makeLog()
        try Migrations.openLog(at: folder.log).write { transaction in
            let events = try #require(try transaction.rows.table("events"))
            let record = try #require(try transaction.record(at: 0))
            let other = EventRecord(
                logID: Bytes(repeating: 1, count: 16), position: 0, stream: record.stream,
                revision: 0, type: record.type, version: 1, time: 0, session: 0, request: nil,
                cause: nil, actor: "test", data: record.encodedData.bytes)
            try transaction.rows.put(events, BigEndian.bytes(0), other.bytes)
        }
        #expect(openError() == .damaged(position: 0, reason: "it belongs to another log"))
    }

    @Test(arguments: [UInt64.max, .max - 1, 1 << 63, 1 << 53] as [UInt64])
    func `an event at a position that no log has is damage`(position: UInt64) throws {
        try makeLog()
        do {
            let log = try Migrations.openLog(at: folder.log)
            try log.write { transaction in
                let events = try #require(try transaction.rows.table("events"))
                try transaction.rows.put(events, BigEndian.bytes(position), [1])
            }
        }
        let expected = LogError.damaged(position: nil, reason: "an event's key is no position")
        #expect(openError() == expected)
        #expect(openError(readOnly: true) == expected)
    }

    @Test func `a missing event in the middle is reported with its position`() throws {
        let log = try Migrations.createLog(at: folder.log)
        try log.write { transaction in
            for _ in 0..<3 { _ = try transaction.append(.sample(session: .own)) }
        }
        try log.write { transaction in
            let events = try #require(try transaction.rows.table("events"))
            try transaction.rows.remove(events, BigEndian.bytes(1))
        }
        let expected = LogError.damaged(position: 1, reason: "the event is missing")
        #expect(error { try log.read { _ = $0.count } } == expected)
        #expect(error { try log.write { _ = try $0.append(.sample()) } } == expected)
    }

    @Test func `opening twice in one process is refused, also through another path`() throws {
        let log = try Migrations.createLog(at: folder.log)
        #expect(openError() == .alreadyOpen(path: folder.log))
        #expect(openError(readOnly: true) == .alreadyOpen(path: folder.log))
        let other = "\(folder.path)/other"
        try FileManager.default.createSymbolicLink(atPath: other, withDestinationPath: folder.log)
        #expect(error { _ = try EventLog(opening: other) } == .alreadyOpen(path: other))
        #expect(try log.read { $0.count } == 0)
    }

    @Test func `a closed log can be opened again`() throws {
        for _ in 0..<3 {
            try? makeLog()
            #expect(openError() == nil)
        }
    }

    @Test func `a log that was opened for reading is not written to`() throws {
        try makeLog()
        let log = try EventLog(opening: folder.log, EnvironmentOptions(isReadOnly: true))
        #expect(error { try log.write { _ in } } == .openedReadOnly)
        #expect(try log.read { $0.count } == 1)
    }

    @Test func `a full map is named and nothing of the write is stored`() throws {
        let options = EnvironmentOptions(
            initialMapBytes: 1 << 20, headroomBytes: 0, maximumMapBytes: 1 << 20)
        try LogFolder.create(at: folder.log, options) { try Migrations.migrate($0) }
        let log = try EventLog(opening: folder.log, options)
        let found = error {
            try log.write { transaction in
                let note = String(repeating: "n", count: 1_000)
                for _ in 0..<10_000 {
                    _ = try transaction.append(.sample(session: .own, note: note))
                }
            }
        }
        #expect(found == .mapFull(bytes: 1 << 20))
        #expect(try log.read { $0.count } == 0)
        try log.write { _ = try $0.append(.sample(session: .own)) }
        #expect(try log.read { $0.count } == 1)
    }

    @Test func `the map grows and the whole write runs again`() throws {
        let options = EnvironmentOptions(initialMapBytes: 1 << 18, headroomBytes: 0)
        try LogFolder.create(at: folder.log, options) { try Migrations.migrate($0) }
        let log = try EventLog(opening: folder.log, options)
        var runs = 0
        try log.write { transaction in
            runs += 1
            for number in 0..<5_000 {
                _ = try transaction.append(.sample(session: .own, note: "\(number)"))
            }
        }
        #expect(runs > 1)
        try log.read { snapshot in
            #expect(snapshot.count == 5_000)
            try #expect(snapshot.head() == TreeHead(of: snapshot.bytes(from: 0, limit: .max)))
        }
    }
}

extension LogTransaction {
    /// The rows of the transaction, to damage them.
    fileprivate var rows: any StorageView { (view as! LMDBEventView).rows }
}

/// The error for a number of a format that this program does not know.
func unknown(_ format: FormatNumber, _ number: UInt64) throws -> FormatNumberError {
    struct KnownNumber: Error {}
    do {
        try format.check(number)
    } catch {
        return error
    }
    throw KnownNumber()
}
