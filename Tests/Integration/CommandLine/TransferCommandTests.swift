import DaybookEncoding
import DaybookSystem
import Foundation
import Testing
import TestSupport

struct TransferCommandTests {
    let scene: Scene
    let other: Scene

    init() throws {
        scene = try Scene()
        other = try Scene(empty: true)
        try other.done("init")
    }

    @Test func `a log moves to another store by export and import, and back as the same bytes`()
        throws
    {
        try scene.done("checkpoint")
        _ = try scene.pending("dashwallet://pay=\(Scene.payee)&amount=0.1&sender=app")
        try scene.done("checkpoint")
        let exported = try scene.daybook("export", scene.path("log.daybook"), "--json").object
        let count = try scene.daybook("log", "--json").objects.count
        #expect(exported["events"]?.numberLiteral == "\(count)")
        #expect(exported["root"]?.stringValue?.count == 64)
        let size = try #require(try Files.information(scene.path("log.daybook"))).size
        #expect(exported["bytes"]?.numberLiteral == "\(size)")
        #expect(try scene.daybook("export", scene.path("log.jsonl")).status == 0)

        let first = try other.daybook("import", scene.path("log.jsonl"), "--json").object
        #expect(first["status"] == .string("restored"))
        #expect(first["events"] == exported["events"] && first["root"] == exported["root"])
        let second = try other.daybook("import", scene.path("log.daybook"), "--json").object
        #expect(second["status"] == .string("unchanged"))
        #expect(try other.daybook("pending").output == scene.daybook("pending").output)
        #expect(try other.daybook("balance").output == scene.daybook("balance").output)
        try other.done("export", other.path("again.daybook"))
        #expect(
            try read(other.path("again.daybook")) == read(scene.path("log.daybook")))
        try other.expectCleanReplay()
    }

    @Test func `stores that parted are named with the position, and stay as they are`() throws {
        try scene.done("export", scene.path("early.daybook"))
        try other.done("import", scene.path("early.daybook"))
        let early = try other.daybook("log", "--json").objects.count
        _ = try scene.pending("dashwallet://request=address&sender=here")
        _ = try other.pending("dashwallet://request=address&sender=there")
        let before = try other.daybook("log", "--json").output
        try scene.done("export", scene.path("late.jsonl"))
        let answer = try other.daybook("import", scene.path("late.jsonl"), "--json")
        answer.expectFailure(1, "fork", of: "import")
        let error = try answer.object["error"]
        #expect(error?["code"] == .string("fork"))
        #expect(error?["position"]?.numberLiteral == "\(early)")
        #expect(try other.daybook("log", "--json").output == before)
    }

    /// `development/export.jsonl` is of a revision before 1.0, whose numbers were 1.
    @Test func `an export of a development version is called by its name at each door`() throws {
        let path = Repository.path("Tests/Fixtures/development/export.jsonl")
        let imported = try other.daybook("import", path)
        imported.expectFailure(1, "developmentVersion", of: "import")
        #expect(
            imported.error.contains(
                "the export format 1 was written by a development version before 1.0; read it "
                    + "with that program"), "\(imported.error)")
        #expect(try other.daybook("log").output.isEmpty)
        for command in ["verify", "replay"] {
            try other.replay(command, path).expectFailure(3, "developmentVersion", of: command)
        }
    }

    @Test func `every file that can't be imported is refused by name`() throws {
        try scene.done("export", scene.path("log.daybook"))
        try scene.done("export", scene.path("part.jsonl"), "--from", "3")
        let whole = try read(scene.path("log.daybook"))
        try scene.write("torn.daybook", Array(whole.dropLast(9)))
        try scene.write("new.daybook", Array(whole[..<7] + [11] + whole[8...]))
        try scene.write("old.daybook", Array(whole[..<7] + [1] + whole[8...]))
        try scene.write("letter", Array("dear".utf8))
        let wrong: [(String, Int32, String)] = [
            ("torn.daybook", 1, "exportDamaged"), ("new.daybook", 1, "exportTooNew"),
            ("old.daybook", 1, "developmentVersion"),
            ("letter", 1, "notAnExport"), ("part.jsonl", 1, "exportPartial"),
            ("none", 2, "unreadableFile"), ("store", 2, "unreadableFile"),
        ]
        for (name, status, code) in wrong {
            let answer = try other.daybook("import", scene.path(name), "--json")
            answer.expectFailure(status, code, of: "import")
            try #expect(answer.object["error"]?["code"] == .string(code))
        }
        #expect(try other.daybook("log").output.isEmpty)
        let third = try Scene(empty: true)
        try third.done("init")
        _ = try third.daybook("open", "dashwallet://request=address&sender=own")
        try third.daybook("import", scene.path("log.daybook"))
            .expectFailure(1, "otherLog", of: "import")
        try Scene(empty: true).daybook("import", scene.path("log.daybook"))
            .expectFailure(3, "storeMissing", of: "import")
        try other.daybook("import").expectFailure(2, "usage", of: "import")
    }

    @Test func `the options of an export must make sense`() throws {
        let path = scene.path("log.daybook")
        let wrong: [([String], Int32, String)] = [
            ([scene.path("log")], 2, "unknownFormat"),
            (["-"], 2, "usage"), ([path, "--format", "xml"], 2, "usage"),
            ([path, "--from", "5", "--to", "4"], 2, "invalidRange"),
            ([path, "--from", "100000"], 1, "unknownPosition"),
            ([path, "--request", "0"], 1, "unknownRequest"),
            ([path, "--wallet", "nobody"], 1, "unknownWallet"),
        ]
        for (words, status, code) in wrong {
            let answer = try Programs.run(
                [Programs.daybook, "export"] + words,
                environment: ["DAYBOOK_HOME": scene.home])
            answer.expectFailure(status, code, of: "export")
        }
        #expect(try !Files.exists(path))
        try scene.done("export", path)
        try scene.daybook("export", path).expectFailure(1, "fileExists", of: "export")
        try scene.done("export", path, "--force", "--format", "jsonl")
        #expect(try read(path).first == UInt8(ascii: "{"))
    }

    @Test func `standard output takes an export, and the summary stands beside it`() throws {
        try scene.done("export", scene.path("log.jsonl"), "--wallet", "my-dash")
        let answer = try scene.daybook(
            "export", "-", "--format", "jsonl", "--wallet", "my-dash", "--json")
        #expect(answer.status == 0)
        #expect(Array(answer.output.utf8) == (try read(scene.path("log.jsonl"))))
        let summary = try JSON.parse(Array(answer.lastWords.utf8))
        #expect(summary["bytes"]?.numberLiteral == "\(answer.output.utf8.count)")
        let table = try scene.daybook("export", "-", "--format", "csv")
        #expect(table.output.hasPrefix("Date,Sent Amount,"))
        #expect(table.error.contains(" events in "))
    }

    private func read(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }
}

extension Scene {
    fileprivate func write(_ name: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
    }
}
