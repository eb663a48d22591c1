import DaybookEncoding
import DaybookSystem
import Foundation
import TestSupport
import Testing

/// `daybook witness serve`, asked by `daybook checkpoint` and judged by `daybook-replay`.
struct WitnessServerTests {
    private let folder: TemporaryFolder
    private let home: String

    init() throws {
        folder = try TemporaryFolder()
        home = folder.path + "/store"
        #expect(try daybook("init").status == 0)
        #expect(try daybook("open", "dashwallet://request=address&sender=shop").status != 2)
    }

    /// A call of `daybook`; its messages are among the output if they are wanted.
    private func daybook(
        _ words: String..., home: String? = nil, withMessages: Bool = false
    ) throws -> ProgramRun {
        try ProgramRun(
            ["\(ProgramRun.folder)/daybook"] + words + ["--json", "--home", home ?? self.home],
            dropsErrors: !withMessages)
    }

    private func replay(_ words: String..., withMessages: Bool = false) throws -> ProgramRun {
        try ProgramRun(
            ["\(ProgramRun.folder)/daybook-replay"] + words + ["--json"],
            dropsErrors: !withMessages)
    }

    private func json(_ run: ProgramRun) throws -> JSON {
        try JSON.parse(Array(run.output.utf8))
    }

    /// The log's own key.
    private func logKey() throws -> String {
        try #require(try json(try daybook("checkpoint"))["key"]?.stringValue)
    }

    /// A witness that runs until `stop`, and its line.
    private func serve(
        _ key: String, place: String = "127.0.0.1:0"
    ) throws -> (program: RunningProgram, url: String, key: String) {
        let program = try RunningProgram([
            "\(ProgramRun.folder)/daybook", "witness", "serve", "--json", "--key",
            folder.path + "/witness.key", "--log", key, "--listen", place,
        ])
        let line = try JSON.parse(Array(try #require(program.output.line()).utf8))
        return (
            program, try #require(line["url"]?.stringValue), try #require(line["key"]?.stringValue)
        )
    }

    @Test func `a witness cosigns a log that continues, survives a kill, and refuses a fork`()
        throws
    {
        let log = try logKey()
        let first = try serve(log)
        #expect(try daybook("witness", "add", first.url, first.key).status == 0)
        let made = try json(try daybook("checkpoint"))
        #expect(made["problems"] == nil)
        let size = try #require(made["size"]?.intValue)
        // A second one with its state is refused.
        let second = try ProgramRun([
            "\(ProgramRun.folder)/daybook", "witness", "serve", "--json", "--key",
            folder.path + "/witness.key", "--log", log,
        ])
        #expect(second.status == 3 && second.output.contains("witnessRunning"))
        // An older copy of the store is the fork.
        let copy = folder.path + "/copy"
        try FileManager.default.copyItem(atPath: home, toPath: copy)
        _ = try daybook("open", "dashwallet://request=address&sender=other")
        #expect(try json(try daybook("checkpoint"))["problems"] == nil)
        first.program.send(SIGKILL)
        _ = first.program.end()
        let port = try #require(first.url.split(separator: ":").last)
        let again = try serve(log, place: "127.0.0.1:\(port)")
        #expect(again.key == first.key)
        for _ in 0..<3 { _ = try daybook("open", "dashwallet://request=address", home: copy) }
        let forked = try daybook("checkpoint", home: copy, withMessages: true)
        #expect(forked.status == 0)
        #expect(forked.output.contains("(witnessForked)"), "\(forked.output)")
        let last = try json(try daybook("checkpoint"))
        #expect(last["problems"] == nil)
        again.program.send(SIGTERM)
        let ended = again.program.end()
        #expect(ended.status == 0)
        #expect(ended.error.contains("a fork, or a wrong proof"))
        try verify(made, last, key: first.key, firstSize: size, copy: copy)
    }

    /// An auditor with the key sees what is covered, and with a kept note which log is the other.
    private func verify(
        _ made: JSON, _ last: JSON, key: String, firstSize: Int64, copy: String
    ) throws {
        let audit = try replay("verify", home, "--witness", key)
        #expect(audit.status == 0, "\(audit.output)")
        let spans = try #require(try json(audit)["coverage"]?.arrayValue)
        #expect(spans[0]["from"] == .int(0))
        #expect(spans[0]["to"]?.intValue == last["size"]?.intValue.map { $0 - 1 })
        #expect(spans[0]["at"]?.stringValue != nil)
        #expect(spans.last?["by"]?.isNull == true)
        // The copy has the first cosignature, and nothing of what came later.
        let old = try json(try replay("verify", copy, "--witness", key))
        #expect(old["coverage"]?.arrayValue?[0]["to"]?.intValue == firstSize - 1)
        let note = folder.path + "/note"
        try #require(last["note"]?.stringValue).write(
            toFile: note, atomically: true, encoding: .utf8)
        let other = try replay("verify", copy, "--witness", key, "--checkpoint", note)
        #expect(other.status == 1)
        #expect(other.output.contains("checkpointMismatch"), "\(other.output)")
        let file = folder.path + "/keys"
        try (key + "\n").write(toFile: file, atomically: true, encoding: .utf8)
        let good = try replay(
            "verify", home, "--witness", file, "--checkpoint", note, "--checkpoint", note)
        #expect(good.status == 0, "\(good.output)")
        let unknown = "remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2"
        let nobody = try replay("verify", home, "--witness", unknown, withMessages: true)
        #expect(nobody.status == 1 && nobody.output.contains("notWitnessed"))
        let export = folder.path + "/log.daybook"
        #expect(try daybook("export", export).status == 0)
        let exported = try replay("verify", export, "--witness", key)
        #expect(try json(exported)["coverage"] == json(audit)["coverage"])
        let report = folder.path + "/report.html"
        #expect(try replay("report", export, "--witness", key, "--out", report).status == 0)
        let page = try String(contentsOfFile: report, encoding: .utf8)
        #expect(page.contains("witnessed by daybook-witness/"))
    }

    @Test func `a server makes checkpoints after so many events, and a last one when it ends`()
        throws
    {
        let program = try RunningProgram([
            "\(ProgramRun.folder)/daybook", "serve", "--json", "--home", home, "--socket",
            folder.path + "/socket", "--checkpoint-every", "1000",
        ])
        _ = try #require(program.output.line())
        program.send(SIGTERM)
        #expect(program.end().status == 0)
        let log = try daybook("log").output.split(separator: "\n")
        #expect(log.last?.contains("\"checkpoint.made\"") == true)
        // Nothing has happened since, so the next one makes none.
        let next = try RunningProgram([
            "\(ProgramRun.folder)/daybook", "serve", "--json", "--home", home, "--socket",
            folder.path + "/socket", "--checkpoint-every", "1",
        ])
        _ = try #require(next.output.line())
        _ = try daybook("open", "dashwallet://request=address&sender=later")
        var count = 0
        while count < 2 {
            count = try daybook("log").output.split(separator: "\n").count {
                $0.contains("\"checkpoint.made\"")
            }
        }
        next.send(SIGTERM)
        #expect(next.end().status == 0)
        #expect(try daybook("log").output.split(separator: "\n").count {
            $0.contains("\"checkpoint.made\"")
        } == 2)
    }
}
