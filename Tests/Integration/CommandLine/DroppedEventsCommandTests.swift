import DaybookEncoding
import DaybookSystem
import EventStores
import Foundation
import Testing
import TestSupport

/// `archive --keep`, and every use of a log whose oldest events are in an archive alone.
struct DroppedEventsCommandTests {
    private let scene: Scene
    private var folder: String { scene.path("archive") }
    private let link = "dashwallet://pay=\(Scene.payee)&amount=1&sender=shop"

    init() throws { scene = try Scene() }

    /// The answers of a store's commands about its past.
    private func past(_ request: String) throws -> [String] {
        try [
            scene.done("log", "--request", request), scene.done("show", request, "--json"),
            scene.done("requests", "--json"), scene.done("history", "my-dash", "--json"),
            scene.done("balance", "--at", "20", "--no-cache", "--json"),
        ].map(\.output)
    }

    @Test func `everything works as before after a log dropped its oldest events`() throws {
        let request = try scene.pending(link)
        #expect(try scene.approve(request).status == 0)
        let kept = try scene.done("archive", "--to", folder, "--events", "20", "--json").object
        #expect(kept["removed"] == .int(0))
        let before = try past(request)
        let digest = try scene.replay("state", scene.home, "--at", "40", "--json").output
        try scene.done("export", scene.path("before.daybook"))
        let dropped = try scene.done("archive", "--to", folder, "--keep", "3", "--json").object
        let events = try #require(dropped["events"]?.intValue)
        #expect(dropped["removed"] == .int(events - 3))

        #expect(try past(request) == before)
        #expect(try scene.replay("state", scene.home, "--at", "40", "--json").output == digest)
        try scene.done("export", scene.path("after.daybook"))
        let exports = try ["before", "after"].map {
            try Files.read(scene.path("\($0).daybook"), limit: 1 << 24)
        }
        #expect(exports[0] == exports[1])
        try scene.expectCleanReplay()
        try scene.done("verify")
        try scene.done("doctor")
        try scene.done("doctor", "--rebuild")
        try scene.done("prove", "2")
        try scene.done("backup", scene.path("backup"))
        #expect(try scene.daybook("verify", "--home", scene.path("backup")).status == 0)
        try scene.done("init", "--home", scene.path("whole"))
        try scene.done("import", scene.path("after.daybook"), "--home", scene.path("whole"))

        // It goes on, and drops more.
        #expect(try scene.approve(scene.pending(link)).status == 0)
        let more = try scene.done("archive", "--to", folder, "--keep", "1", "--json").object
        #expect(try #require(more["removed"]?.intValue) > events - 3)
        #expect(try scene.approve(scene.pending(link)).status == 0)
        try scene.expectCleanReplay()
        #expect(try past(request)[1] == before[1])
        #expect(try scene.replay("verify", folder).status == 0)
    }

    @Test func `an archive that is away or another one is named, and harms nothing`() throws {
        let request = try scene.pending(link)
        #expect(try scene.approve(request).status == 0)
        try scene.done("archive", "--to", folder, "--keep", "2")
        let away = scene.path("away")
        try FileManager.default.moveItem(atPath: folder, toPath: away)
        func expectRefusals(_ code: String, at place: SourceLocation = #_sourceLocation) throws {
            for words in [["log"], ["show", request], ["export", scene.path("part.daybook")]] {
                let answer = try Programs.run(
                    [Programs.daybook] + words, environment: ["DAYBOOK_HOME": scene.home])
                #expect(
                    answer.status == 3 && answer.error.contains("(\(code))"),
                    "\(words): \(answer.error)", sourceLocation: place)
            }
            let replay = try scene.replay("replay", scene.home)
            #expect(
                replay.status == 3 && replay.error.contains("(\(code))"), "\(replay.error)",
                sourceLocation: place)
            #expect(try scene.daybook("verify").status == 1, sourceLocation: place)
            #expect(try !Files.exists(scene.path("part.daybook")), sourceLocation: place)
        }
        try expectRefusals("segmentMissing")
        let doctor = try scene.daybook("doctor")
        #expect(doctor.status == 1 && doctor.output.contains("put the folder back"))
        // A call without need of an archived event works.
        let next = try scene.pending(link)
        #expect(try scene.daybook("reject", next).status == 0)

        // Another copy of the log, which has gone on otherwise: its segment has the same name.
        let other = try Scene()
        #expect(try other.approve(other.pending(link)).status == 0)
        try other.done("archive", "--to", folder)
        #expect(try Files.list(folder) == Files.list(away))
        try expectRefusals("segmentChanged")
        try FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createSymbolicLink(
            atPath: folder, withDestinationPath: away)
        try scene.done("show", request)
        try scene.done("verify")
        try scene.done("archive", "--to", folder, "--keep", "1")
        try scene.expectCleanReplay()
    }

    @Test func `a log in a database drops its oldest events, on each machine`() throws {
        let server = try TemporaryPostgres.shared.get()
        func run(
            _ machine: Int, _ words: String..., program: String = "daybook"
        ) throws -> ProgramRun {
            try Programs.run(
                ["\(Programs.folder)/\(program)"] + words,
                environment: ["XDG_DATA_HOME": scene.path("machine-\(machine)")])
        }
        let made = try run(1, "store", "create", server.database, "--json")
        let log = try #require(made.object["store"]?.stringValue)
        for _ in 0..<20 { _ = try run(1, "open", "--store", log, link) }
        let before = try run(2, "log", "--store", log, "--json").output
        let done = try run(
            1, "archive", "--to", folder, "--keep", "5", "--store", log, "--json")
        #expect(done.status == 0, "\(done.error)")
        let removed = try #require(try done.object["removed"]?.numberLiteral)
        let id = try #require(log.split(separator: "/").dropFirst(2).first?.prefix(32))
        let rows = try server.run(
            "SELECT count(*), min(position) FROM daybook.events WHERE log_id = '\\x\(id)'")
        #expect(rows == "5|\(removed)\n")
        for machine in 1...3 {
            let after = try run(machine, "log", "--store", log, "--json").output
            #expect(after.hasPrefix(before))
        }
        #expect(try run(1, "open", "--store", log, link).status == 1)
        #expect(try run(1, "verify", "--store", log).status == 0)
        #expect(try run(3, "replay", log, program: "daybook-replay").status == 0)
        let fenced = try run(2, "archive", "--to", folder, "--keep", "1", "--store", log)
        #expect(fenced.status == 3 && fenced.error.contains("(storeFenced)"), "\(fenced.error)")
        try FileManager.default.moveItem(atPath: folder, toPath: scene.path("away"))
        let missing = try run(4, "log", "--store", log)
        #expect(
            missing.status == 3 && missing.error.contains("(segmentMissing)"), "\(missing.error)")
    }
}
