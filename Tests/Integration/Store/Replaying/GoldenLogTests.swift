import DaybookCrypto
import DaybookEncoding
import DaybookLog
import Foundation
import Testing

@testable import DaybookReplay

/// Logs that earlier versions wrote, each with the digest that its replay must reach for ever.
///
/// `Tests/Fixtures/logs/<version>/` holds `session.hex` (an event a line), `tampered.hex` (the same
/// with one outcome altered) and `expected.json`. They are made once, by
///
///     DAYBOOK_GOLDEN=v1 swift test --filter GoldenLogTests
///
/// which leaves files alone that are there, and are never edited: an engine that decides otherwise
/// gets a new number, and keeps the old rules for these logs.
struct GoldenLogTests {
    static let versions = ["v1"]

    private static let root = BadLog.logs

    static func lines(_ version: String, _ name: String) throws -> [Bytes] {
        let file = root.appending(path: "\(version)/\(name).hex")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
            try #require(Hex.decode($0))
        }
    }

    private static func expected(_ version: String) throws -> JSON {
        let file = root.appending(path: "\(version)/expected.json")
        return try JSON.parse(Bytes(try Data(contentsOf: file)))
    }

    @Test(arguments: versions)
    func `a golden log replays to the digest that is written down`(version: String) throws {
        let lines = try Self.lines(version, "session")
        let records = try lines.map { try EventRecord.decode($0) }
        let expected = try Self.expected(version)
        #expect(records.count == expected["events"]?.intValue.map { Int($0) })
        #expect(records.map(\.bytes) == lines)
        let (divergences, digest) = try replay(records)
        #expect(divergences == [])
        #expect(Hex.encode(digest) == expected["digest"]?.stringValue)
        #expect(try LogAudit.problems(of: records) == [])
        #expect(try AuditTests.violations(records) == [])
        let bytes = Hex.encode(SHA256.hash(lines.flatMap { $0 }))
        #expect(bytes == expected["bytes"]?.stringValue)
    }

    @Test(arguments: versions)
    func `its tampered twin is refused at the exact position`(version: String) throws {
        let records = try Self.lines(version, "tampered").map { try EventRecord.decode($0) }
        let expected = try Self.expected(version)["tampered"]
        let divergence = try #require(try replay(records).divergences.first)
        #expect(Int64(divergence.position.number) == expected?["position"]?.intValue)
        #expect(divergence.field == expected?["field"]?.stringValue)
        #expect(divergence.recorded == expected?["recorded"]?.stringValue)
        #expect(divergence.produced == expected?["produced"]?.stringValue)
    }

    /// Writes the files of a version that has none yet.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["DAYBOOK_GOLDEN"] != nil))
    func `the golden log of a new version is written`() async throws {
        let version = try #require(ProcessInfo.processInfo.environment["DAYBOOK_GOLDEN"])
        let folder = Self.root.appending(path: version)
        guard !FileManager.default.fileExists(atPath: folder.path()) else { return }
        let records = try await RecordedSession.shared.value.records
        let (divergences, digest) = try replay(records)
        try #require(divergences == [])
        let place = try #require(records.lastIndex { $0.type == "transaction.prepared" })
        var tampered = records
        let change = try #require(
            Alteration.all(of: records[place].data).first { $0.path == "data.fee" })
        tampered[place] = records[place].altered(data: change.data)
        let found = try #require(try replay(tampered).divergences.first)
        let expected = JSON.object([
            .init(name: "events", value: .number(String(records.count))),
            .init(name: "digest", value: .string(Hex.encode(digest))),
            .init(
                name: "bytes",
                value: .string(Hex.encode(SHA256.hash(records.flatMap(\.bytes))))),
            .init(
                name: "tampered",
                value: .object([
                    .init(name: "position", value: .number(found.position.description)),
                    .init(name: "field", value: .string(found.field)),
                    .init(name: "recorded", value: .string(found.recorded)),
                    .init(name: "produced", value: .string(found.produced)),
                ])),
        ])
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        func write(_ name: String, _ text: String) throws {
            try Data(text.utf8).write(to: folder.appending(path: name))
        }
        for (name, events) in [("session", records), ("tampered", tampered)] {
            let lines = events.map { Hex.encode($0.bytes) }.joined(separator: "\n")
            try write("\(name).hex", lines + "\n")
        }
        try write("expected.json", expected.text(pretty: true) + "\n")
    }
}
