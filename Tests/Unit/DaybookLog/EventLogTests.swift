import DaybookDomain
import DaybookEncoding
import DaybookMigrations
import Testing
import TestSupport

@testable import DaybookLog

struct EventLogTests {
    let folder: TemporaryFolder
    let log: EventLog

    init() throws {
        folder = try TemporaryFolder()
        log = try Migrations.createLog(at: folder.log)
    }

    @Test func `a new log is empty and has an id`() throws {
        #expect(try log.id.count == 16)
        try log.read { snapshot in
            #expect(snapshot.count == 0)
            #expect(snapshot.lastTime == 0)
            try #expect(snapshot.record(at: 0) == nil)
            try #expect(snapshot.records(from: 0, limit: 10).isEmpty)
            #expect(snapshot.logID == (try log.id))
        }
    }

    @Test func `an appended event has its place and is read back the same`() throws {
        let records = try log.write { transaction in
            [
                try transaction.append(.sample(stream: "session/0", session: .own)),
                try transaction.append(.sample(stream: "request/1", time: 1_001, request: .own)),
                try transaction.append(
                    .sample(stream: "request/1", time: 1_001, request: .at(1), cause: 1)),
            ]
        }
        #expect(records.map(\.position) == [0, 1, 2])
        #expect(records.map(\.revision) == [0, 0, 1])
        #expect(records.map(\.session) == [0, 0, 0])
        #expect(records.map(\.request) == [nil, 1, 1])
        try log.read { snapshot in
            #expect(snapshot.count == 3)
            #expect(snapshot.lastTime == 1_001)
            try #expect(snapshot.records(from: 0, limit: 10) == records)
            try #expect(snapshot.records(from: 1, limit: 1) == [records[1]])
            try #expect(snapshot.record(at: 2) == records[2])
            try #expect(snapshot.bytes(at: 2) == records[2].bytes)
            try #expect(snapshot.record(at: 3) == nil)
        }
    }

    @Test func `a write sees what it has appended and set`() throws {
        try log.write { transaction in
            let record = try transaction.append(.sample(session: .own, wallet: 7))
            try #expect(transaction.record(at: 0) == record)
            #expect(transaction.count == 1)
            #expect(transaction.lastTime == 1_000)
            #expect(transaction.state.unlocks[WalletID(7)]?.failures == 1)
            try #expect(transaction.positions(ofSession: 0) == [0])
        }
    }

    @Test func `an error in the closure undoes events, rows and indexes`() throws {
        struct Change: Error {}
        try log.add(.sample(stream: "one", session: .own, wallet: 1))
        #expect(throws: Change.self) {
            try log.write { transaction in
                _ = try transaction.append(.sample(stream: "other", request: .own, wallet: 2))
                _ = try transaction.append(.sample(stream: "one", wallet: 1))
                throw Change()
            }
        }
        try log.read { snapshot in
            #expect(snapshot.count == 1)
            #expect(snapshot.failures(of: 1) == 1)
            #expect(snapshot.failures(of: 2) == nil)
            try #expect(snapshot.positions(ofStream: "other").isEmpty)
            try #expect(snapshot.positions(ofRequest: 1).isEmpty)
        }
    }

    @Test func `events are found by stream, session and request`() throws {
        try log.write { transaction in
            _ = try transaction.append(.sample(stream: "a", session: .own))
            _ = try transaction.append(.sample(stream: "b", request: .own))
            _ = try transaction.append(.sample(stream: "a", session: .own))
            _ = try transaction.append(.sample(stream: "ab", session: .at(2), request: .own))
            _ = try transaction.append(.sample(stream: "a", session: .at(2)))
        }
        try log.read { snapshot in
            try #expect(snapshot.positions(ofStream: "a") == [0, 2, 4])
            try #expect(snapshot.positions(ofStream: "a", after: 0, limit: 1) == [2])
            try #expect(snapshot.positions(ofStream: "a", after: 4).isEmpty)
            try #expect(snapshot.positions(ofStream: "b").isEmpty)
            try #expect(snapshot.positions(ofStream: "ab").isEmpty)
            try #expect(snapshot.positions(ofStream: "none").isEmpty)
            try #expect(snapshot.positions(ofSession: 0) == [0, 1])
            try #expect(snapshot.positions(ofSession: 2) == [2, 3, 4])
            try #expect(snapshot.positions(ofRequest: 1) == [1])
            try #expect(snapshot.positions(ofRequest: 3, after: .max).isEmpty)
            try #expect(snapshot.revision(ofStream: "a") == 3)
            try #expect(snapshot.revision(ofStream: "none") == 0)
        }
    }

    @Test func `written events are there after closing and opening`() throws {
        let folder = try TemporaryFolder()
        let id = Bytes(0..<16)
        try Migrations.createLog(at: folder.log, id: id).add(.sample(session: .own, wallet: 3))
        let log = try Migrations.openLog(at: folder.log)
        #expect(try log.id == id)
        try log.read { snapshot in
            #expect(snapshot.count == 1)
            #expect(snapshot.failures(of: 3) == 1)
        }
    }

    @Test func `the time never goes back`() throws {
        try log.write { _ = try $0.append(.sample(time: 10, session: .own)) }
        #expect(throws: LogError.timeWentBack(last: 10, given: 9)) {
            try log.write { try $0.append(.sample(time: 9)) }
        }
        try log.write { _ = try $0.append(.sample(time: 10)) }
    }

    @Test func `the time goes back where the clock is set`() throws {
        try log.write { _ = try $0.append(.sample(time: 10, session: .own)) }
        try log.write { transaction in
            _ = try transaction.append(
                EventDraft(
                    stream: "session/0", type: "clock.set", time: 4, session: .at(0),
                    actor: "tests", data: .record(["from": .unsigned(10)])))
        }
        #expect(throws: LogError.timeWentBack(last: 4, given: 3)) {
            try log.write { try $0.append(.sample(time: 3)) }
        }
        try log.write { _ = try $0.append(.sample(time: 5)) }
        #expect(try log.read { $0.lastTime } == 5)
    }

    @Test func `a reference to an event that has not happened is refused`() throws {
        #expect(throws: LogError.badReference(field: "session", position: 0, next: 0)) {
            try log.write { try $0.append(.sample(session: .at(0))) }
        }
        #expect(throws: LogError.badReference(field: "request", position: 7, next: 0)) {
            try log.write { try $0.append(.sample(session: .own, request: .at(7))) }
        }
        #expect(throws: LogError.badReference(field: "cause", position: 0, next: 0)) {
            try log.write { try $0.append(.sample(session: .own, cause: 0)) }
        }
    }

    @Test func `texts of the envelope have limits`() throws {
        let long = String(repeating: "é", count: 101)
        #expect(throws: LogError.badLength(field: "stream", bytes: 202, limit: 200)) {
            try log.write { try $0.append(.sample(stream: long, session: .own)) }
        }
        #expect(throws: LogError.badLength(field: "type", bytes: 0, limit: 64)) {
            try log.write { try $0.append(.sample(type: "", session: .own)) }
        }
        try log.write {
            _ = try $0.append(.sample(stream: String(long.dropLast()), session: .own))
        }
    }

    @Test func `an event at the limit is stored and one byte more is refused`() throws {
        let empty = try log.write { try $0.append(.sample(session: .own, note: "")) }
        // The length of a long text takes four bytes more than that of an empty one.
        let room = LogLimits.eventBytes - empty.bytes.count - 4
        let full = try log.write { transaction in
            try transaction.append(.sample(note: String(repeating: "n", count: room - 1)))
        }
        let size = full.bytes.count
        let more = LogLimits.eventBytes - size
        #expect(throws: LogError.eventTooLarge(bytes: 262_145, limit: 262_144)) {
            try log.write { transaction in
                try transaction.append(
                    .sample(note: String(repeating: "n", count: room + more)))
            }
        }
        try log.read { try #expect($0.record(at: 1) == full) }
    }
}
