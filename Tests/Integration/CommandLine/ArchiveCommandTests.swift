import DaybookEncoding
import DaybookSystem
import Foundation
import TestSupport
import Testing

/// `archive`, and what `daybook-replay` reads of one.
struct ArchiveCommandTests {
    private let scene: Scene
    private var folder: String { scene.path("archive") }

    init() throws { scene = try Scene() }

    private func replay(_ words: String...) throws -> ProgramRun {
        try Programs.run(["\(Programs.folder)/daybook-replay"] + words)
    }

    @Test func `segments are added to an archive, which is audited as a whole log`() throws {
        let first = try scene.done("archive", "--to", folder, "--events", "7", "--json").object
        let events = try #require(first["events"]?.intValue)
        let segments = try #require(first["segments"]?.arrayValue)
        #expect(segments.count == Int((events + 6) / 7))
        let nothing = try scene.done("archive", "--to", folder, "--json").object
        #expect(nothing["segments"] == .array([]) && nothing["events"] == first["events"])
        let before = try Files.list(folder).sorted()
        let link = "dashwallet://pay=\(Scene.payee)&amount=1&sender=shop"
        #expect(try scene.approve(scene.pending(link)).status == 0)
        let second = try scene.done("archive", "--to", folder, "--events", "7", "--json").object
        #expect(try Files.list(folder).sorted().starts(with: before))

        let whole = try replay("replay", folder, "--json").object
        let ofStore = try replay("replay", scene.home, "--json").object
        #expect(whole["events"] == second["events"] && whole["divergences"] == .array([]))
        #expect(whole["digest"] == ofStore["digest"])
        let verified = try replay("verify", folder, "--json")
        #expect(verified.status == 0, "\(verified.error)")
        let root = try replay("verify", scene.home, "--json").object["root"]
        #expect(try verified.object["root"] == root)
        let state = try replay("state", folder, "--at", "9", "--json")
        #expect(try state.output == replay("state", scene.home, "--at", "9", "--json").output)
    }

    @Test func `a log whose events lie in segments alone is a store again`() throws {
        try scene.done("archive", "--to", folder, "--events", "7")
        let restored = scene.path("restored")
        try scene.done("init", "--home", restored)
        let imported = try scene.done("import", folder, "--home", restored, "--json").object
        #expect(imported["status"] == .string("restored"))
        #expect(imported["root"] == (try replay("verify", scene.home, "--json").object["root"]))
        let link = "dashwallet://pay=\(Scene.payee)&amount=1&sender=shop"
        #expect(try scene.approve(scene.pending(link)).status == 0)
        try scene.done("archive", "--to", folder, "--events", "7")
        let continued = try scene.done("import", folder, "--home", restored, "--json").object
        #expect(continued["status"] == .string("continued"))
        #expect(try replay("replay", restored, "--json").object["divergences"] == .array([]))
        let empty = try scene.daybook("import", scene.path("."), "--home", restored)
        #expect(empty.error.contains("(unreadableFile)"))
    }

    @Test func `a missing segment, one of another log and a misnamed one are named`() throws {
        try scene.done("archive", "--to", folder, "--events", "7")
        let names = try Files.list(folder).sorted()
        func refusal(_ change: () throws -> Void) throws -> String {
            try change()
            let answer = try replay("verify", folder)
            #expect(answer.status == 3)
            return answer.error
        }
        let files = FileManager.default
        let (second, away) = ("\(folder)/\(names[1])", scene.path("away"))
        #expect(
            try refusal { try files.moveItem(atPath: second, toPath: away) }
                .contains("no segment that begins with event 7"))
        #expect(try scene.daybook("archive", "--to", folder).error.contains("(archiveDamaged)"))
        #expect(
            try refusal { try files.copyItem(atPath: "\(folder)/\(names[0])", toPath: second) }
                .contains("has other events than its name says"))
        try files.removeItem(atPath: second)
        try files.moveItem(atPath: away, toPath: second)
        let other = try #require(names[0].split(separator: "-").first)
        let renamed = names[0].replacingOccurrences(
            of: other, with: String(repeating: "0", count: 32))
        #expect(
            try refusal {
                try files.copyItem(atPath: second, toPath: "\(folder)/\(renamed)")
            }.contains("segments of several logs"))
    }
}
