import DaybookEncoding
import Foundation
import Testing
import TestSupport

@testable import DaybookLog

/// The verifier in `tools/` knows the format from its document alone.
struct OtherVerifierTests {

    @Test func `another program proves the same exports`() throws {
        let log = try SampleLog(77, checkpointsAt: [0, 30, 77])
        let selections: [ExportSelection] = [
            .all, ExportSelection(from: 70), ExportSelection(from: 3, to: 3),
            ExportSelection(request: 33), ExportSelection(request: 1_000),
        ]
        for selection in selections {
            let bytes = try log.export(.daybook, selection)
            let run = try Self.verify(bytes)
            let answer = try JSON.parse(Bytes(run.output.utf8))
            let trailer = try ExportReader.verify(source(bytes)).trailer
            #expect(run.status == 0)
            #expect(answer["root"]?.stringValue == Hex.encode(trailer.head.root.bytes))
            #expect(answer["events"]?.intValue == Int64(trailer.events))
            #expect(answer["size"]?.intValue == 77)
        }
    }

    @Test func `another program finds the same faults in the same frames`() throws {
        let bytes = try SampleLog(20, checkpointsAt: [20]).export()
        var random = Seeded(8)
        for round in 0..<12 {
            let at = Int.random(in: 8..<bytes.count, using: &random)
            var damaged = bytes
            if round % 2 == 0 { damaged[at] ^= 4 } else { damaged = Bytes(bytes.prefix(at)) }
            let ours = try #require(refusal(damaged))
            let run = try Self.verify(damaged)
            #expect(run.status == 1)
            #expect(run.output.hasPrefix("\(ours.place): "), "\(ours): \(run.output)")
            let good = ours.lastGood.map { "\($0)" } ?? "none"
            #expect(
                run.output.contains("(last good position: \(good))"), "\(ours): \(run.output)")
        }
        #expect(try Self.verify(bytes + [0]).status == 1)
    }

    @Test func `another program verifies the signatures of checkpoints`() throws {
        let log = try SampleLog(20, checkpointsAt: [7, 20])
        let key = try SampleLog.noteKey().verifierKey.text
        let selections: [ExportSelection] = [.all, ExportSelection(request: 3)]
        for selection in selections {
            let bytes = try log.export(.daybook, selection)
            let run = try Self.verify(bytes, key)
            #expect(run.status == 0, "\(run.output)")
            #expect(try JSON.parse(Bytes(run.output.utf8))["signed"] == .bool(true))
            let other = try SampleLog.noteKey(seed: 8).verifierKey.text
            #expect(try Self.verify(bytes, other).output.contains("no key has signed"))
            // Where a log changed its key, both may sign.
            #expect(try Self.verify(bytes, other, key).status == 0)
        }
        // Each bit of the signature counts: this file says that it is whole, and is not signed.
        var random = Seeded(4)
        for _ in 0..<6 {
            var forged = log
            var note = forged.checkpoints[1].note
            let place = note.count - 4 - Int.random(in: 0..<80, using: &random)
            note[place] = note[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            forged.checkpoints[1].note = note
            let bytes = try forged.export()
            #expect(try Self.verify(bytes).status == 0)
            #expect(try Self.verify(bytes, key).status == 1, "byte \(place)")
        }
    }

    @Test func `the worked example with its explanation is the written file`() throws {
        let log = try SampleLog(
            (0..<3).map { SampleLog.event($0) }, checkpointsAt: [2])
        let bytes = try log.export(.daybook, ExportSelection(from: 1, to: 1))
        let lines = try log.export(.jsonl, ExportSelection(from: 1, to: 1))
        // Rows of hexadecimal digits before their explanation.
        let rows = try Fixture.text("exports/example.daybook.hex").split(separator: "\n")
        let digits = rows.map { $0.split(separator: "|")[0].filter { !$0.isWhitespace } }.joined()
        #expect(digits == Hex.encode(bytes))
        #expect(try Bytes(Fixture.data("exports/example.jsonl")) == lines)
    }

    private static func verify(_ bytes: Bytes, _ keys: String...) throws -> ProgramRun {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("verify-export-\(UUID().uuidString).daybook")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try ProgramRun(
            [Repository.path("tools/dev"), "verify-export", file.path] + keys)
    }
}
