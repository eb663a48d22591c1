import DaybookEncoding
import DaybookLMDB
import DaybookMigrations
import DaybookSystem
import Foundation
import Testing
import TestSupport

@testable import DaybookLog

/// Several processes on one log; `LogDriver` stands for the others.
@Suite(.serialized)
struct ProcessTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Reads the whole log and checks what must hold for any writer, then the rows.
    private func checkedRecords() throws -> [EventRecord] {
        let log = try Migrations.openLog(at: folder.log)
        return try log.read { snapshot in
            let records = try snapshot.records(from: 0, limit: .max)
            #expect(records.map(\.position) == Array(0..<snapshot.count))
            #expect(zip(records, records.dropFirst()).allSatisfy { $0.time <= $1.time })
            for (stream, events) in Dictionary(grouping: records, by: \.stream) {
                #expect(events.map(\.revision) == Array(0..<UInt64(events.count)))
                try #expect(
                    snapshot.positions(ofStream: stream) == events.map(\.position))
                try #expect(snapshot.lastPosition(ofStream: stream) == events.last?.position)
            }
            try #expect(snapshot.positions(ofSession: 0) == records.map(\.position))
            return records
        }
    }

    @Test func `processes that append at once leave no gap and lose nothing`() throws {
        _ = try Migrations.createLog(at: folder.log)
        let writers = try (0..<4).map { _ in try Driver.start(["append", folder.log, "60"]) }
        let readers = try (0..<2).map { _ in try Driver.start(["follow", folder.log, "240"]) }
        var acknowledged: [UInt64] = []
        for writer in writers {
            let result = writer.end()
            #expect(result.status == 0, "\(result.error)")
            #expect(result.positions.count == 60)
            acknowledged += result.positions
        }
        for reader in readers {
            let result = reader.end()
            #expect(result.status == 0, "\(result.error)")
            #expect(result.positions == [240])
        }
        #expect(acknowledged.sorted() == Array(0..<240))
        #expect(try checkedRecords().count == 240)
    }

    @Test func `of processes that are killed every acknowledged event is there`() throws {
        _ = try Migrations.createLog(at: folder.log)
        var acknowledged: Set<UInt64> = []
        for _ in 0..<6 {
            let victims = try (0..<2).map { _ in try Driver.start(["append", folder.log, "1000"]) }
            let survivor = try Driver.start(["append", folder.log, "10"])
            for victim in victims {
                victim.output.waitForMore()
                victim.send(SIGKILL)
                let result = victim.end()
                #expect(result.wasKilled)
                // A line that the kill cut off was not acknowledged.
                let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
                acknowledged.formUnion(lines.dropLast().compactMap { UInt64($0) })
            }
            let result = survivor.end()
            #expect(result.status == 0, "\(result.error)")
            acknowledged.formUnion(result.positions)
        }
        let records = try checkedRecords()
        #expect(acknowledged.count > 60)
        #expect(acknowledged.isSubset(of: records.map(\.position)))
    }

    @Test func `a process that dies while it writes holds nobody up and leaves nothing`() throws {
        let log = try Migrations.createLog(at: folder.log)
        try log.write { _ = try $0.append(.sample(session: .own)) }
        #expect(try Driver.run("die-writing", folder.log).wasKilled)
        let record = try log.write { try $0.append(.sample()) }
        #expect(record.position == 1)
        #expect(try log.read { try $0.positions(ofStream: "lost") } == [])
    }

    @Test func `a map that another process made larger is taken over`() throws {
        let options = EnvironmentOptions(initialMapBytes: 1 << 18, headroomBytes: 0)
        try LogFolder.create(at: folder.log, options) { try Migrations.migrate($0) }
        let log = try EventLog(opening: folder.log, options)
        // Read with pages that this process has not mapped, then written to.
        #expect(try Driver.run("--data", "100000", "append", folder.log, "10").status == 0)
        #expect(try log.read { $0.count } == 10)
        #expect(try log.read { try $0.records(from: 0, limit: 10).count } == 10)
        #expect(try Driver.run("--data", "200000", "append", folder.log, "190").status == 0)
        try log.write { transaction in
            let time = transaction.lastTime
            _ = try transaction.append(.sample(time: time))
        }
        #expect(try log.read { $0.count } == 201)
    }

    @Test func `with all readers' places taken reads fail by name; the writer goes on`() throws {
        let log = try Migrations.createLog(at: folder.log)
        try log.write { _ = try $0.append(.sample(session: .own)) }
        // Without this, nothing would have to be read of the file.
        #expect(try Driver.run("append", folder.log, "1").status == 0)
        let readers = try Driver.start(["take-readers", folder.log])
        #expect(readers.output.line() == "510")

        #expect(throws: LogError.tooManyReaders) { try log.read { $0.count } }
        #expect(
            try log.write { try $0.append(.sample(time: $0.lastTime)).position } == 2)
        #expect(try log.read { $0.count } == 3)
        let other = try Driver.run("open", folder.log)
        #expect(other.status == 1)
        #expect(other.error == "\(LogError.tooManyReaders)\n")

        // A killed process leaves its reader slots taken; the next process clears them.
        readers.send(SIGKILL)
        #expect(readers.end().wasKilled)
        #expect(try log.read { $0.count } == 3)
    }

    @Test func `of processes that create at once one wins and all can use its log`() throws {
        let creators = try (0..<5).map { _ in try Driver.start(["create", folder.log]) }
        let results = creators.map { $0.end() }
        #expect(results.count { $0.status == 0 } == 1)
        for result in results where result.status != 0 {
            #expect(result.error == "something exists at \(folder.log) already\n")
        }
        #expect(try Driver.run("append", folder.log, "1").positions == [0])
    }

    @Test func `opening and closing at once does not fail`() throws {
        _ = try Migrations.createLog(at: folder.log)
        for _ in 0..<8 {
            let openers = try (0..<6).map { number in
                try Driver.start([number % 2 == 0 ? "open" : "read", folder.log])
            }
            for opener in openers {
                let result = opener.end()
                #expect(result.status == 0, "\(result.error)")
            }
        }
    }
}
