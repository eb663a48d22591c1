import DaybookEncoding
import DaybookMigrations
import Testing
import TestSupport

@testable import DaybookLog

/// Events of a log that are appended to another store of the same log, as bytes.
struct VerbatimTests {
    let folder: TemporaryFolder
    let other: TemporaryFolder
    let log: EventLog
    let copy: EventLog

    init() throws {
        folder = try TemporaryFolder()
        other = try TemporaryFolder()
        log = try Migrations.createLog(at: folder.log)
        copy = try Migrations.createLog(at: other.log, id: log.id)
        try log.write { transaction in
            _ = try transaction.append(.sample(stream: "session/0", session: .own))
            for number in 1...40 as ClosedRange<UInt64> {
                _ = try transaction.append(
                    .sample(
                        stream: "s/\(number % 3)", time: 1_000 + number,
                        request: number % 5 == 0 ? .own : nil, cause: number - 1))
            }
        }
    }

    @Test func `events appended as bytes make the same log, indexes and tree`() throws {
        let all = try log.read { try $0.bytes(from: 0, limit: .max) }
        for part in [all[..<7], all[7..<8], all[8...]] {
            try copy.write { transaction in
                for bytes in part {
                    try #expect(transaction.append(verbatim: bytes).bytes == bytes)
                }
                let head = try transaction.head()
                try #expect(head == log.read { try $0.head(at: head.size) })
            }
        }
        for log in [log, copy] {
            try log.read { snapshot in
                try #expect(snapshot.bytes(from: 0, limit: .max) == all)
                #expect(snapshot.lastTime == 1_040)
                try #expect(snapshot.head() == log.read { try $0.head() })
                try #expect(snapshot.positions(ofStream: "s/1").count == 11)
                try #expect(snapshot.revision(ofStream: "s/1") == 14)
                try #expect(snapshot.positions(ofSession: 0).count == 41)
                try #expect(snapshot.positions(ofRequest: 20) == [20])
            }
        }
        // Later events are appended to either in the same way.
        let drafts = try [log, copy].map {
            try $0.write { try $0.append(.sample(stream: "s/1", time: 2_000)).bytes }
        }
        #expect(drafts[0] == drafts[1])
    }

    @Test func `bytes that are not the next event are refused and leave nothing`() throws {
        let all = try log.read { try $0.bytes(from: 0, limit: .max) }
        try copy.write { transaction in
            for bytes in all[..<5] { try transaction.append(verbatim: bytes) }
        }
        let next = try EventRecord.decode(all[5])
        func altered(
            id: Bytes? = nil, position: UInt64 = 5, revision: UInt64? = nil, time: UInt64 = 1_005,
            request: UInt64? = 5
        ) -> Bytes {
            EventRecord(
                logID: id ?? next.logID, position: position, stream: next.stream,
                revision: revision ?? next.revision, type: next.type, version: 1, time: time,
                session: 0, request: request, cause: 4, actor: "test",
                data: next.encodedData.bytes
            ).bytes
        }
        #expect(altered() == all[5])
        let wrong: [(Bytes, String)] = [
            (altered(id: Bytes(repeating: 1, count: 16)), "it belongs to another log"),
            (all[4], "it holds position 4"), (all[6], "it holds position 6"),
            (altered(revision: 0), "it is not the next one of its stream"),
            (altered(revision: 2), "it is not the next one of its stream"),
            (altered(time: 1_003), "its time lies before the last event's"),
            (altered(request: 6), "the event's request is not what it must be"),
            (all[5] + [0], "has bytes after the value"),
        ]
        for (bytes, reason) in wrong {
            let error = #expect(throws: LogError.self) {
                try copy.write { transaction in
                    _ = try transaction.append(verbatim: bytes)
                }
            }
            #expect(error.map { "\($0)" }?.hasSuffix(reason) == true, "\(error as Any)")
            #expect(error?.code == "eventInvalid")
        }
        try #expect(copy.read { $0.count } == 5)
        try copy.write { transaction in _ = try transaction.append(verbatim: all[5]) }
    }

    @Test func `a log takes another's id as long as nothing has happened in it`() throws {
        let folder = try TemporaryFolder()
        let empty = try Migrations.createLog(at: folder.log)
        let (own, id) = try (empty.id, log.id)
        let first = try #require(try log.read { try $0.bytes(at: 0) })
        #expect(throws: LogError.self) {
            try empty.write { transaction in
                try transaction.adopt(id)
                _ = try transaction.append(verbatim: first)
                _ = try transaction.append(verbatim: first)
            }
        }
        try #expect(empty.id == own)
        try empty.write { transaction in
            try transaction.adopt(id)
            _ = try transaction.append(verbatim: first)
        }
        try #expect(empty.id == id)
        try empty.write { transaction in try transaction.adopt(own) }
        try #expect(empty.id == id)
    }

    @Test func `a page of bytes ends once it is large enough`() throws {
        let all = try log.read { try $0.bytes(from: 0, limit: .max) }
        try log.read { snapshot in
            try #expect(snapshot.bytes(from: 3, limit: 10, byteLimit: 1) == [all[3]])
            let two = all[3].count + 1
            try #expect(snapshot.bytes(from: 3, limit: 10, byteLimit: two) == Array(all[3...4]))
            try #expect(snapshot.bytes(from: 3, limit: 2, byteLimit: .max) == Array(all[3...4]))
        }
    }
}
