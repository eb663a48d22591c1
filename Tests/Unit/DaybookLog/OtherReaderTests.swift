import DaybookEncoding
import DaybookMigrations
import Foundation
import Testing
import TestSupport

@testable import DaybookLog

/// The reader in `tools/` knows the format from its document alone.
struct OtherReaderTests {

    @Test func `another program reads the same events and hashes`() throws {
        let folder = try TemporaryFolder()
        let records = try Migrations.createLog(at: folder.log).write { transaction in
            try (0..<300).map { number in
                // Some lie on pages of their own, one is as long as can be.
                let length = number == 150 ? 262_000 : number % 7 == 0 ? 5_000 : number
                return try transaction.append(
                    .sample(
                        stream: "s/\(number % 5)", session: .own, request: .own,
                        note: String(repeating: "é", count: length / 2)))
            }
        }
        let read = try ProgramRun([Repository.path("tools/dev"), "read-log", folder.log])
        let lines = try read.output.split(separator: "\n").map { line in
            try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        #expect(lines.count == 300)
        for (line, record) in zip(lines, records) {
            #expect(line["position"] as? UInt64 == record.position)
            #expect(line["stream"] as? String == record.stream)
            #expect(line["revision"] as? UInt64 == record.revision)
            #expect(line["time"] as? UInt64 == record.time)
            #expect(
                (line["data"] as? [String: String])?["note"] == record.data["note"]?.textValue)
            #expect(
                line["leaf"] as? String == Hex.encode(EventRecord.leafHash(record.bytes)))
        }
    }
}
