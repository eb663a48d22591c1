import DaybookEncoding
import DaybookMigrations
import DaybookLog
import DaybookReplay
import DaybookSystem
import Foundation
import TestSupport
import Testing

struct PageCommandTests {
    private let scene: Scene

    init() throws {
        scene = try Scene()
    }

    private func page(_ name: String = "page.html") throws -> String {
        try String(contentsOfFile: scene.path(name), encoding: .utf8)
    }

    @Test func `report writes one page for its owner, and the same one again`() throws {
        let id = try scene.pending("dashwallet://pay=\(Scene.payee)&amount=1&sender=myapp")
        #expect(try scene.approve(id).status == 0)
        let first = try scene.replay(
            "report", scene.home, "--out", scene.path("page.html"), "--json")
        #expect(first.status == 0, "\(first.error)")
        let events = try scene.daybook("log", "--json").objects
        #expect(try first.object["events"]?.intValue == Int64(events.count))
        #expect(try first.object["requests"]?.intValue == 1)
        #expect(try first.object["findings"]?.intValue == 0)
        let content = try page()
        #expect(try first.object["bytes"]?.intValue == Int64(content.utf8.count))
        #expect(content.contains("\"id\":[\(id)]"))
        #expect(content.contains("Nothing wrong was found"))
        #expect(try Files.information(scene.path("page.html"))?.mode == 0o600)
        // An earlier page gives way.
        let again = try scene.replay("report", scene.home, "--out", scene.path("page.html"))
        #expect(again.status == 0, "\(again.error)")
        #expect(try page() == content)
        #expect(try Files.list(scene.folder).filter { $0.contains("page") } == ["page.html"])
    }

    @Test func `a log that does not follow is reported on all the same, with status 1`() throws {
        let log = try Migrations.openLog(at: scene.home + "/log")
        let position = try log.write { transaction in
            let draft = EventDraft(
                stream: "session/1", type: "request.expired", time: transaction.lastTime,
                session: .at(1), cause: transaction.count - 1, actor: "daybook", data: .record([:]))
            return try transaction.append(draft).position
        }
        let answer = try scene.replay(
            "report", scene.home, "--out", scene.path("page.html"), "--json")
        answer.expectFailure(1, "findings", of: "report")
        #expect(try answer.object["findings"]?.intValue == 2)
        #expect(try page().contains(" wrong with this log"))
        #expect(try page().contains("<a href=\"#e\(position)\">event \(position)</a>"))
    }

    @Test func `report lists a period or a wallet, and names what was not checked`() throws {
        _ = try scene.pending("dashwallet://pay=\(Scene.payee)&amount=1&sender=myapp")
        func report(_ options: String...) throws -> ProgramRun {
            let words = ["report", scene.home, "--out", scene.path("page.html"), "--json"]
            return try Programs.run(["\(Programs.folder)/daybook-replay"] + words + options)
        }
        #expect(try report("--to", "2020-01-01").object["requests"]?.intValue == 0)
        #expect(try report("--from", "2020-01-01").object["requests"]?.intValue == 1)
        #expect(try report("--wallet", "my-axe").object["requests"]?.intValue == 0)
        #expect(try page().contains("none was given (--checkpoint)"))
        let events = try report().object["bytes"]?.intValue ?? 0
        let stories = try report("--no-events").object["bytes"]?.intValue ?? 0
        #expect(stories < events)
        let made = try scene.done("checkpoint", "--json").object
        let kept = try scene.write("kept", try #require(made["note"]?.stringValue))
        let key = try scene.write("key", try #require(made["key"]?.stringValue) + "\n")
        let signed = try report("--checkpoint", kept, "--key", key)
        #expect(signed.status == 0, "\(signed.error)")
        #expect(try page().contains("which the key has signed"))
        #expect(try !page().contains("none was given (--checkpoint)"))
        try report("--wallet", "nobody").expectFailure(1, "unknownWallet", of: "report")
        for (from, to, code) in [
            ("2026-02-01", "2026-01-01", "usage"), ("2026-02-01", "2026-02-01", "usage"),
            ("2026-02-30", "2027-01-01", "invalidTime"), ("yesterday", "2027-01-01", "invalidTime"),
        ] {
            try report("--from", from, "--to", to).expectFailure(2, code, of: "report")
        }
    }

    @Test func `report replaces nothing but a page`() throws {
        let other = try scene.write("notes.txt", "mine")
        let data = scene.home + "/log/data.mdb"
        for path in [other, data, scene.folder] {
            try scene.replay("report", scene.home, "--out", path)
                .expectFailure(1, "fileExists", of: "report")
        }
        #expect(try page("notes.txt") == "mine")
        try scene.expectCleanReplay()
        try scene.replay("report", scene.home).expectFailure(2, "usage", of: "report")
        try scene.replay("report", scene.home, "--out", scene.folder + "/no/page.html")
            .expectFailure(3, "systemError", of: "report")
        try scene.replay("report", "/nowhere", "--out", scene.path("page.html"))
            .expectFailure(3, "storeMissing", of: "report")
        #expect(try !Files.exists(scene.path("page.html")))
    }
}
