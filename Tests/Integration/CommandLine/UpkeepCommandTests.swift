import DaybookEncoding
import DaybookLMDB
import DaybookLog
import DaybookReplay
import DaybookSystem
import Foundation
import Testing
import TestSupport

/// `checkpoint`, `prove`, `verify`, `backup`, `migrate` and `doctor`.
struct UpkeepCommandTests {
    private let scene: Scene

    init() throws { scene = try Scene() }

    private static let verifier = Fixture.path("tree/verify-proof.py")

    @Test func `checkpoint prints the note alone, or all about it`() throws {
        let text = try scene.done("checkpoint")
        #expect(text.lines.count == 4 && text.output.hasSuffix("=\n"))
        let object = try scene.done("checkpoint", "--json").object
        let note = try #require(object["note"]?.stringValue)
        #expect(note.hasPrefix("daybook/"))
        #expect(object["size"] == object["position"])
        #expect(object["root"]?.stringValue?.count == 64)
        let key = try #require(object["key"]?.stringValue)
        #expect(text.error.contains("key: \(key)\n"))
        try scene.write("note", text.output)
        #expect(try scene.daybook("verify", "--checkpoint", scene.path("note")).status == 0)
        try scene.expectCleanReplay()
    }

    @Test func `another program verifies what prove prints`() throws {
        let note = try scene.write("note", scene.done("checkpoint").output)
        for words in [[], ["--checkpoint", note]] {
            let answer = try Programs.run(
                [Programs.daybook, "prove", "7"] + words,
                environment: ["DAYBOOK_HOME": scene.home])
            let proof = try scene.write("proof", answer.output)
            let key = try #require(answer.lastWords.split(separator: " ").last)
            let object = try scene.done("prove", "7", "--json").object
            let event = try #require(object["event"]?.stringValue.flatMap { Hex.decode($0) })
            try Data(event).write(to: URL(fileURLWithPath: scene.path("event")))
            let verify = [
                "/usr/bin/env", "python3", Self.verifier, String(key), proof, scene.path("event"),
            ]
            let verified = try Programs.run(verify)
            #expect(verified.status == 0, "\(verified.error)")
            #expect(verified.output.hasSuffix(" 7\n"))
            try Data(event + [0]).write(to: URL(fileURLWithPath: scene.path("event")))
            let refused = try Programs.run(verify)
            #expect(refused.status == 1)
        }
        try scene.daybook("prove", "99999").expectFailure(1, "unknownPosition", of: "prove")
        try scene.daybook("prove", "7", "--checkpoint", scene.path("nothing"))
            .expectFailure(2, "unreadableFile", of: "prove")
    }

    @Test func `verify says the number of events, or the first fault`() throws {
        let whole = try scene.done("verify", "--json").object
        #expect(whole["ok"] == .bool(true))
        #expect(whole["first"] == nil)
        let events = try scene.done("log", "--json").lines.count
        #expect(whole["events"]?.intValue == Int64(events))
        do {
            try EventLog(opening: scene.home + "/log").bringForward()
            let environment = try DaybookLMDB.Environment(scene.home + "/derived")
            try environment.write { view in
                let table = try #require(try view.table("positions"))
                let entry = try #require(try Cursor(view, table).last())
                try view.remove(table, entry.key)
            }
        }
        let answer = try scene.daybook("verify", "--json")
        #expect(answer.status == 1)
        #expect(answer.code == "missing")
        let first = try answer.object["first"]
        try #expect(answer.object["ok"] == .bool(false))
        #expect(first?["table"] == .string("positions"))
        #expect(first?["key"]?.stringValue?.count == 34)
        let text = try scene.daybook("verify")
        #expect(text.output.contains("positions: key "))
    }

    @Test func `derived tables can be built again, in any condition`() throws {
        try EventLog(opening: scene.home + "/log").bringForward()
        let whole = try scene.done("verify", "--json").object
        do {
            let environment = try DaybookLMDB.Environment(scene.home + "/derived")
            try environment.write { view in
                let table = try #require(try view.table("state"))
                let entry = try #require(try Cursor(view, table).last())
                try view.remove(table, entry.key)
            }
        }
        let damaged = try scene.daybook("verify", "--json")
        #expect(damaged.status == 1 && damaged.code == "missing")
        try scene.done("doctor", "--rebuild")
        let rebuilt = try scene.done("verify", "--json").object
        #expect(rebuilt == whole)
        try Files.removeTree(scene.home + "/derived")
        #expect(try scene.done("verify", "--json").object == whole)
        try scene.expectCleanReplay()
    }

    @Test func `a file of which nothing can be read is damage`() throws {
        let data = scene.home + "/log/data.mdb"
        let noise = Data(repeating: 0x5a, count: 1 << 16)
        try noise.write(to: URL(fileURLWithPath: data))
        let answer = try scene.daybook("verify", "--json")
        #expect(answer.status == 1)
        try #expect(answer.object["first"]?["code"] == .string("unreadable"))
        try scene.daybook("verify", "--home", "/nowhere")
            .expectFailure(3, "storeMissing", of: "verify")
    }

    @Test func `damage that makes the library crash is reported all the same`() throws {
        let note = scene.path("note")
        #expect(mkfifo(note, 0o600) == 0)
        let program = try RunningProgram([
            Programs.daybook, "verify", "--json", "--checkpoint", note, "--home",
            scene.home,
        ])
        // Opens only when the process that reads the store is there, and holds it.
        let held = open(note, O_WRONLY)
        let parent = program.id
        let children = try String(
            contentsOfFile: "/proc/\(parent)/task/\(parent)/children", encoding: .utf8)
        let child = try #require(children.split(separator: " ").first.flatMap { Int32($0) })
        #expect(kill(child, SIGSEGV) == 0)
        let answer = program.end()
        close(held)
        #expect(answer.status == 1)
        #expect(answer.code == "crashed")
        try #expect(answer.object["ok"] == .bool(false))
        try #expect(answer.object["first"]?["code"] == .string("crashed"))
    }

    @Test func `backup copies a store, verifies the copy and refuses what exists`() throws {
        let target = scene.path("backup")
        let object = try scene.done("backup", target, "--json").object
        #expect(object["path"]?.stringValue == (try Files.resolved(target)))
        let copy = try scene.daybook("verify", "--json", "--home", target).object
        #expect(copy["root"] == object["root"])
        #expect(copy["events"] == object["events"])
        #expect(try Files.information(target)?.mode == 0o700)
        #expect(try Files.information(target + "/log/data.mdb")?.mode == 0o600)
        try scene.daybook("backup", target).expectFailure(1, "backupExists", of: "backup")
        try scene.daybook("backup").expectFailure(2, "usage", of: "backup")
        let balances = try scene.done("balance", "--json").output
        #expect(try scene.daybook("balance", "--json", "--home", target).output == balances)
    }

    @Test func `backups of a store that is written to are whole`() throws {
        let script = """
            for i in 1 2 3 4 5 6; do
                "$0" open "dashwallet://request=address&sender=app$i" > /dev/null || exit 9
            done & writer=$!
            for i in 1 2 3; do "$0" backup "$1/copy$i" > /dev/null || exit 8; done
            wait $writer
            """
        let answer = try Programs.run(
            ["/bin/bash", "-c", script, Programs.daybook, scene.folder],
            environment: ["DAYBOOK_HOME": scene.home])
        #expect(answer.status == 0, "\(answer.error)")
        for name in ["copy1", "copy2", "copy3"] {
            #expect(try scene.daybook("verify", "--home", scene.path(name)).status == 0)
        }
    }

    @Test func `doctor finds the faults of a store, and says their cures`() throws {
        let well = try scene.done("doctor", "--json").object
        #expect(well["ok"] == .bool(true))
        let missing = try scene.daybook("doctor", "--json", "--home", "/nowhere")
        #expect(missing.status == 1)
        let keys = scene.home + "/keys"
        let name = try #require(try Files.list(keys).first)
        try Files.remove("\(keys)/\(name)")
        try Files.writeAtomically(keys + "/0123456789abcdef.key", [1], mode: 0o644)
        let answer = try scene.daybook("doctor", "--json")
        #expect(answer.status == 1)
        let findings = try #require(answer.object["findings"]?.arrayValue)
        func statuses(_ about: String) -> [String] {
            findings.filter { $0["about"]?.stringValue == about }
                .compactMap { $0["status"]?.stringValue }
        }
        #expect(statuses("keys") == ["problem", "warning"])
        #expect(statuses("permissions") == ["problem"])
        #expect(statuses("checkpoint") == ["warning"])
        #expect(statuses("disk").count == 1)
        #expect(findings.allSatisfy { $0["status"] == .string("ok") || $0["advice"] != nil })
        try scene.write("store/settings.json", "{")
        #expect(try scene.daybook("doctor").output.contains("problem: settings: "))
    }

    @Test func `migrate says which layout the store had and has`() throws {
        let done = try scene.done("migrate", "--json").object
        #expect(done["from"] == done["to"])
        try scene.daybook("migrate", "--home", "/nowhere")
            .expectFailure(3, "storeMissing", of: "migrate")
    }

    @Test func `a restored log goes on under its old key, or under a new one that was asked for`()
        throws
    {
        let made = try scene.done("checkpoint", "--json").object
        try scene.done("export", scene.path("log.daybook"))
        for bringsKey in [true, false] {
            let other = try Scene(empty: true)
            try other.done("init")
            try other.done("import", scene.path("log.daybook"))
            let events = try other.done("log", "--json").lines.count
            for words in [["checkpoint"], ["prove", "7"]] {
                let answer = try Programs.run(
                    [Programs.daybook] + words,
                    environment: ["DAYBOOK_HOME": other.home])
                answer.expectFailure(3, "logKeyChanged", of: words[0])
            }
            try Files.remove(other.home + "/log.key")
            try other.daybook("checkpoint").expectFailure(3, "logKeyMissing", of: "checkpoint")
            #expect(try other.done("log", "--json").lines.count == events)
            if bringsKey {
                try FileManager.default.copyItem(
                    atPath: scene.home + "/log.key", toPath: other.home + "/log.key")
                let next = try other.done("checkpoint", "--json").object
                #expect(next["key"] == made["key"])
            } else {
                let next = try other.done("checkpoint", "--new-key", "--json").object
                #expect(next["key"] != nil && next["key"] != made["key"])
                // From then on the new key is the log's.
                #expect(try other.done("checkpoint", "--json").object["key"] == next["key"])
            }
            #expect(try other.daybook("verify").status == 0)
            try other.expectCleanReplay()
        }
    }
}
