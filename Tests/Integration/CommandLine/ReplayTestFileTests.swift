import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookMigrations
import DaybookSystem
import Foundation
import Testing
import TestSupport

/// `daybook-replay replay FOLDER --junit FILE`, its file read by another program.
struct ReplayTestFileTests {
    private let scene: Scene

    init() throws {
        scene = try Scene()
    }

    @Test func `every log of a folder is a case, and one that diverges or is none fails`() throws {
        let logs = try folder("logs")
        try FileManager.default.copyItem(atPath: scene.home, toPath: "\(logs)/store")
        _ = try folder("logs/more")
        try scene.done("export", "\(logs)/more/whole.daybook")
        try scene.done("export", "\(logs)/more/lines.jsonl", "--format", "jsonl")
        let id = try scene.pending("dashwallet://request=address&sender=myapp")
        try scene.done("export", "\(logs)/part.daybook", "--request", id)
        try scene.done("archive", "--to", "\(logs)/archived")
        try scene.write("logs/more/README.md", "no log")
        try scene.write("logs/more/damaged.daybook", "no log either")
        try forge("\(logs)/amount.daybook")
        let answer = try scene.replay(
            "replay", logs, "--junit", scene.path("results.xml"), "--json")
        #expect(answer.status == 1, "\(answer.error)")
        let counts = #"{"logs":7,"failures":1,"errors":2}"#
        #expect(try answer.object == JSON.parse(Array(counts.utf8)))
        let cases = try cases()
        #expect(
            cases.map(\.name) == [
                "amount.daybook", "archived", "more/damaged.daybook", "more/lines.jsonl",
                "more/whole.daybook", "part.daybook", "store",
            ])
        #expect(cases.filter { $0.outcome == "passed" }.count == 4)
        #expect(cases[0].outcome == "failure divergence event 7, data.digest")
        #expect(cases[0].text.contains("recorded 25be69ec"))
        #expect(cases[0].text.contains("4 more divergences"))
        #expect(cases[2].outcome.hasPrefix("error exportDamaged "))
        #expect(cases[5].outcome.hasPrefix("error partialExport "))
        let text = try scene.replay("replay", logs, "--junit", scene.path("results.xml"))
        #expect(text.lines[0] == "replay: 7 logs, 1 diverge, 2 can't be replayed")
        #expect(text.lines[1].hasPrefix("amount.daybook: event 7, data.digest: recorded "))
    }

    @Test func `names and values of every kind stay what they are in the file`() throws {
        let hostile = "]]><&\"'\t\u{1}\u{202E}\u{FFFE}é"
        let logs = try folder("logs")
        let store = "\(logs)/a<b>&\"c'\u{1}\u{FFFE}"
        try FileManager.default.copyItem(atPath: scene.home, toPath: store)
        let log = try Migrations.openLog(at: store + "/log")
        _ = try log.write { transaction in
            try transaction.append(
                EventDraft(
                    .timePassed(TimePassed()), position: Position(transaction.count),
                    time: transaction.lastTime, session: SessionID(0), request: nil,
                    actor: hostile))
        }
        let answer = try scene.replay("replay", logs, "--junit", scene.path("results.xml"))
        #expect(answer.status == 1, "\(answer.error)")
        let only = try #require(try cases().first)
        #expect(only.name == #"a<b>&"c'\u{0001}\u{FFFE}"#)
        #expect(only.outcome.hasSuffix(", actor"), "\(only)")
        #expect(
            only.text.contains(#"recorded ]]><&"'\u{0009}\u{0001}\u{202E}\u{FFFE}é, produced"#),
            "\(only)")
    }

    @Test func `a folder without logs, another's file and parts of logs are wrong usage`() throws {
        let results = scene.path("results.xml")
        try scene.replay("replay", try folder("empty"), "--junit", results)
            .expectFailure(1, "noLogs", of: "replay")
        try scene.replay("replay", scene.path("words"), "--junit", results)
            .expectFailure(2, "notAFolder", of: "replay")
        try scene.replay("replay", scene.home, "--junit", results, "--until", "3")
            .expectFailure(2, "usage", of: "replay")
        #expect(!FileManager.default.fileExists(atPath: results))
        let other = try scene.write("letter", "<?xml is not enough")
        try scene.replay("replay", scene.home, "--junit", other)
            .expectFailure(1, "fileExists", of: "replay")
        #expect(try String(contentsOfFile: other, encoding: .utf8) == "<?xml is not enough")
        // A folder that is a log itself is the only case.
        for _ in 0..<2 {
            #expect(try scene.replay("replay", scene.home, "--junit", results).status == 0)
        }
        #expect(try cases().map(\.name) == ["store"])
    }

    // MARK: - Helpers

    private func folder(_ name: String) throws -> String {
        try Files.createDirectory(scene.path(name), mode: 0o700)
        return scene.path(name)
    }

    /// Alters an amount in the log of `docs/AUDITING.md`, with all hashes made right.
    private func forge(_ path: String) throws {
        let audit = Repository.path("docs/audit")
        let answer = try Programs.run(
            [
                "/usr/bin/env", "python3", "-B", "\(audit)/forge.py", "amount",
                "\(audit)/shop.daybook", path,
            ])
        try #require(answer.status == 0, "\(answer.error)")
    }

    private struct Case {
        let name: String
        let outcome: String
        let text: String
    }

    /// The cases in the file, as Python's reader of XML finds them.
    private func cases() throws -> [Case] {
        let script = """
            import json, sys, xml.etree.ElementTree as tree
            suites = tree.parse(sys.argv[1]).getroot()
            suite, = suites
            assert suites.tag == "testsuites" and suite.tag == "testsuite"
            cases = suite.findall("testcase")
            for count, tag in (("failures", "failure"), ("errors", "error")):
                found = sum(case.find(tag) is not None for case in cases)
                assert suites.get(count) == suite.get(count) == str(found)
            assert suite.get("tests") == str(len(cases)) and float(suite.get("time")) >= 0
            for case in cases:
                float(case.get("time"))
                child = next(iter(case), None)
                print(json.dumps({"name": case.get("name"), "outcome": "passed" if child is None
                    else f"{child.tag} {child.get('type')} {child.get('message')}",
                    "text": "" if child is None else child.text or ""}))
            """
        let answer = try Programs.run(
            ["/usr/bin/env", "python3", "-c", script, scene.path("results.xml")])
        try #require(answer.status == 0, "\(answer.error)")
        return try answer.objects.map { line in
            Case(
                name: line["name"]?.stringValue ?? "",
                outcome: line["outcome"]?.stringValue ?? "",
                text: line["text"]?.stringValue ?? "")
        }
    }
}
