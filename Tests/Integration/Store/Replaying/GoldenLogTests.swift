import DaybookCrypto
import DaybookEncoding
import DaybookLog
import Foundation
import Testing

@testable import DaybookReplay

/// Logs that earlier versions wrote, each with the digest that its replay must reach for ever.
///
/// `Tests/Fixtures/logs/<version>/` holds `session.hex` (an event a line), `tampered.hex` (the same
/// with one outcome altered) and `expected.json`. `tools/dev golden VERSION` writes them once.
/// They are never edited: an engine that decides otherwise gets a new number, and keeps the old
/// rules for these logs.
struct GoldenLogTests {
    /// The folders, and the one that is being written; a new golden log needs no line here.
    static let versions = Set(
        ((try? FileManager.default.contentsOfDirectory(atPath: BadLog.logs.path)) ?? [])
            + [GoldenLogWriter.version].compactMap { $0 }
    ).sorted()

    private static let root = BadLog.logs

    init() async throws { try await GoldenLogWriter.written.value }

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
}
