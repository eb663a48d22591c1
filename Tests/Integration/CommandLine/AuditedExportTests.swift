import DaybookEncoding
import DaybookLog
import Foundation
import Testing

/// An exported file can be audited in the place of the store that it came from.
struct AuditedExportTests {
    private let scene: Scene

    init() throws {
        scene = try Scene()
        let id = try scene.pending("dashwallet://pay=\(Scene.payee)&amount=1&sender=myapp")
        #expect(try scene.approve(id).status == 0)
        try scene.done("checkpoint")
    }

    /// Exports the events of the store that a selection admits.
    private func export(_ format: ExportFormat, _ selection: ExportSelection = .all) throws
        -> Bytes
    {
        try EventLog(readingAt: scene.home + "/log").read { log in
            let events = try log.bytes(from: 0, limit: .max)
            let header = ExportHeader(
                logID: log.logID, head: try log.head(), selection: selection)
            var rest = try events.filter { selection.admits(try EventRecord.decode($0)) }[...]
            var output = Bytes()
            let writer = ExportWriter(format) { output += $0 }
            let whole = LogExport(header, cover: { try log.cover($0) })
            _ = try whole.write(to: writer) { rest.popFirst() }
            return output
        }
    }

    private func write(_ name: String, _ bytes: Bytes) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: scene.path(name)))
        return scene.path(name)
    }

    @Test(arguments: [ExportFormat.daybook, .jsonl])
    func `an export answers as its store does`(format: ExportFormat) throws {
        // As programs wrote it that left the checkpoints' notes to their events.
        let file = try write("log.\(format)", try export(format))
        try scene.done("export", scene.path("noted.\(format)"))
        for command in ["verify", "replay"] {
            let other = try scene.replay(command, scene.home, "--json")
            for path in [file, scene.path("noted.\(format)")] {
                let one = try scene.replay(command, path, "--json")
                #expect(one.status == 0, "\(one.error)")
                #expect(one.output == other.output)
            }
        }
        #expect(
            try scene.replay("state", file, "--at", "9").output
                == scene.replay("state", scene.home, "--at", "9").output)
        let same = try scene.replay("diff", file, scene.home)
        #expect(same.status == 0, "\(same.error)")
    }

    @Test func `an export of a part, and one that was altered, are refused by name`() throws {
        let part = try write("part", try export(.daybook, ExportSelection(from: 3)))
        try scene.replay("replay", part).expectFailure(1, "partialExport", of: "replay")
        var bytes = try export(.daybook)
        bytes[bytes.count / 2] ^= 1
        let damaged = try write("damaged", bytes)
        try scene.replay("verify", damaged).expectFailure(3, "exportDamaged", of: "verify")
    }
}
