import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookMigrations
import DaybookSystem
import Foundation
import Testing
import TestSupport

/// Audits that write a result and go on from it: `--out`, `--sign-with`, `--since`, `--auditor`.
struct ContinuedAuditCommandTests {
    private let scene: Scene

    init() throws {
        scene = try Scene()
        for name in ["auditor", "stranger"] {
            try shell("openssl genpkey -algorithm ed25519 -out \(name).key 2> /dev/null")
            try shell("openssl pkey -in \(name).key -pubout -out \(name).pub")
        }
    }

    @Test(arguments: ["verify", "replay"], [false, true])
    func `an audit that goes on gives the result of a whole audit`(
        command: String, isExport: Bool
    ) throws {
        let first = try audit(command, try source("one", isExport), "--out", "result")
        #expect(first.status == 0, "\(first.error)")
        let events = try scene.daybook("log", "--json").lines.count
        try pay()
        _ = try scene.done("checkpoint")
        let second = try audit(
            command, try source("two", isExport), "--since", "result", "--out", "result", "--json")
        #expect(second.status == 0, "\(second.error)")
        let whole = try scene.replay(command, scene.home, "--json").object
        try expect(second, equals: whole, since: events)
        #expect(try second.object["since"]?["new"]?["events"]?.intValue ?? 0 > 10)
        // A third one goes on from the second; nothing is new.
        let third = try audit(command, try source("two", isExport), "--since", "result", "--json")
        try expect(third, equals: whole, since: Int(whole["events"]?.intValue ?? 0))
        let text = try audit(command, try source("two", isExport), "--since", "result").lines
        let new = command == "verify"
            ? "signatures, 0 violations" : "inputs, 0 outcomes, 0 divergences"
        #expect(
            text.contains(
                "since: the first \(whole["events"]?.intValue ?? 0) events are those of the "
                    + "result; new: 0 events, 0 \(new)"))
        #expect(try Files.list(scene.folder).filter { $0.hasPrefix("result.") }.count == 1)
        let note = try String(contentsOfFile: scene.path("result"), encoding: .utf8)
        #expect(note.hasPrefix("daybook audit result 10\ndid \(command)\nlog "))
        #expect(note.contains("\n\n\u{2014} daybook-auditor "))
    }

    @Test func `each later audit repeats an earlier one's findings`() throws {
        let log = try Migrations.openLog(at: scene.home + "/log")
        _ = try log.write { transaction in
            try transaction.append(
                EventDraft(
                    stream: "session/0", type: "request.expired", time: transaction.lastTime,
                    session: .at(0), cause: transaction.count - 1, actor: "daybook",
                    data: .record([:])))
        }
        let first = try audit("replay", scene.home, "--out", "result")
        first.expectFailure(1, "divergence", of: "replay")
        #expect(
            try String(contentsOfFile: scene.path("result"), encoding: .utf8)
                .contains("\ndivergences 1\n"))
        try pay()
        let second = try audit("replay", scene.home, "--since", "result", "--json")
        second.expectFailure(1, "divergence", of: "replay")
        try expect(second, equals: try scene.replay("replay", scene.home, "--json").object)
    }

    @Test func `checkpoints from before and after the result are compared`() throws {
        let key = try #require(try scene.daybook("checkpoint", "--json").object["key"]?.stringValue)
        try scene.write("log.pub", key + "\n")
        try FileManager.default.copyItem(atPath: scene.home, toPath: scene.path("copy"))
        let early = try #require(
            try scene.daybook("checkpoint", "--json").object["note"]?.stringValue)
        try scene.write("early", early)
        try pay()
        let options = ["--key", scene.path("log.pub")]
        #expect(try audit("verify", scene.home, ["--out", "result"] + options).status == 0)
        try pay()
        let late = try #require(
            try scene.daybook("checkpoint", "--json").object["note"]?.stringValue)
        try scene.write("both", early + late)
        let notes = options + ["--checkpoint", scene.path("both")]
        let since = try audit("verify", scene.home, ["--since", "result", "--json"] + notes)
        #expect(since.status == 0, "\(since.error)")
        let whole = try Programs.run(
            ["\(Programs.folder)/daybook-replay", "verify", scene.home, "--json"] + notes)
        try expect(since, equals: whole.object)
        // Other keys and notes than those of the first audit count for all of the log.
        try expect(
            try audit("verify", scene.home, "--since", "result", "--json"),
            equals: try scene.replay("verify", scene.home, "--json").object)
        let other = ["--checkpoint", try parted("other")]
        for (source, name) in [(scene.home, "store"), (try source("all", true), "export")] {
            for options in [other, other + options] {
                let since = try audit("verify", source, ["--since", "result", "--json"] + options)
                let whole = try Programs.run(
                    ["\(Programs.folder)/daybook-replay", "verify", source, "--json"] + options)
                #expect(whole.status == 1 && since.status == 1, "\(name): \(since.error)")
                try expect(since, equals: whole.object)
            }
        }
    }

    // MARK: - Refusals

    @Test func `a result that is forged or of something else is refused by name`() throws {
        #expect(try audit("verify", scene.home, "--out", "result").status == 0)
        let note = try String(contentsOfFile: scene.path("result"), encoding: .utf8)
        try scene.write("result", note.replacing("violations 0", with: "violations 1"))
        try refuse("resultForged")
        try scene.write("result", note + note)
        try refuse("resultForged")
        try scene.write("result", "nothing\n")
        try refuse("resultMalformed")
        try scene.write("result", note)
        try audit("replay", scene.home, "--since", "result")
            .expectFailure(1, "resultOtherCommand", of: "replay")
        try scene.replay(
            "verify", scene.home, "--since", scene.path("result"), "--auditor",
            scene.path("stranger.pub")
        ).expectFailure(1, "resultOtherAuditor", of: "verify")
        let other = try Scene(empty: true)
        try other.done("init")
        try audit("verify", other.home, "--since", "result")
            .expectFailure(1, "resultOtherLog", of: "verify")
        let state = try #require(
            try Files.list(scene.folder).first { $0.hasPrefix("result.") }.map(scene.path))
        var bytes = try Files.read(state, limit: 1 << 24)
        bytes[bytes.count / 2] ^= 1
        try Files.writeAtomically(state, bytes, mode: 0o600)
        try refuse("auditStateDiffers")
        try Files.remove(state)
        try refuse("auditStateMissing")
    }

    @Test func `a log that was rolled back or has parted is refused at its position`() throws {
        let old = scene.path("old")
        try FileManager.default.copyItem(atPath: scene.home, toPath: old)
        let events = try scene.daybook("log", "--json").lines.count
        try pay()
        #expect(try audit("verify", scene.home, "--out", "result").status == 0)
        let shorter = try audit("verify", old, "--since", "result", "--json")
        shorter.expectFailure(1, "logRolledBack", of: "verify")
        #expect(try shorter.object["error"]?["position"]?.intValue == Int64(events))
        // The copy goes on otherwise, until it is longer.
        for index in 0..<40 {
            let answer = try Programs.run(
                [
                    Programs.daybook, "open", "--home", old,
                    "dashwallet://request=address&sender=app\(index)",
                ])
            try #require(answer.status == 0, "\(answer.error)")
        }
        try Programs.run(
            [Programs.daybook, "export", scene.path("old.daybook"), "--home", old])
        .expectDone()
        for source in [old, scene.path("old.daybook")] {
            let parted = try audit("verify", source, "--since", "result", "--json")
            parted.expectFailure(1, "logParted", of: "verify")
            let position = try #require(try parted.object["error"]?["position"]?.intValue)
            #expect(position <= Int64(events))
            // The trees are the same up to the last full subtree before the place.
            #expect(position > 0 || events < 64)
        }
    }

    @Test func `keys, options and files that do not fit are named`() throws {
        try scene.replay("verify", scene.home, "--out", scene.path("result"))
            .expectFailure(2, "usage", of: "verify")
        try scene.replay("replay", scene.home, "--auditor", scene.path("auditor.pub"))
            .expectFailure(2, "usage", of: "replay")
        try audit("replay", scene.home, "--out", "result", "--until", "3")
            .expectFailure(2, "usage", of: "replay")
        try scene.replay(
            "verify", scene.home, "--out", scene.path("result"), "--sign-with",
            scene.path("auditor.pub")
        ).expectFailure(2, "auditorKeyMalformed", of: "verify")
        try shell("openssl genpkey -algorithm ed25519 -aes256 -pass pass:word -out sealed.key")
        try scene.replay(
            "verify", scene.home, "--out", scene.path("result"), "--sign-with",
            scene.path("sealed.key")
        ).expectFailure(2, "auditorKeyMalformed", of: "verify")
        try scene.write("letter", "dear auditor")
        try audit("verify", scene.home, "--out", "letter")
            .expectFailure(1, "fileExists", of: "verify")
        try scene.done("export", scene.path("part.daybook"), "--from", "3")
        try audit("verify", scene.path("part.daybook"), "--out", "result")
            .expectFailure(1, "partialExport", of: "verify")
        try shell("chmod 644 auditor.key")
        try audit("verify", scene.home, "--out", "result")
            .expectFailure(2, "fileExposed", of: "verify")
        #expect(try !Files.exists(scene.path("result")))
    }

    @Test func `the log's own key signs no result of an audit`() throws {
        _ = try scene.done("checkpoint")
        let file = try Files.read(scene.home + "/log.key", limit: 1000)
        let seed = file.suffix(64).prefix(32)
        // PKCS#8 of an Ed25519 key (RFC 8410, section 7).
        let der = try #require(Hex.decode("302e020100300506032b657004220420")) + seed
        try scene.write(
            "auditor.key",
            "-----BEGIN PRIVATE KEY-----\n\(Base64.encode(der))\n-----END PRIVATE KEY-----\n")
        for command in ["verify", "replay"] {
            try audit(command, scene.home, "--out", "result")
                .expectFailure(1, "auditorKeyOfLog", of: command)
        }
        #expect(try Files.list(scene.folder).filter { $0.hasPrefix("result") } == [])
    }

    // MARK: - Files

    @Test(.enabled(if: SmallDisk.canMount))
    func `a full disk leaves the earlier result, from which an audit goes on`() throws {
        let disk = try SmallDisk(at: scene.path("disk"), kilobytes: 128)
        #expect(try audit("verify", scene.home, "--out", "disk/result").status == 0)
        let before = try Files.list(disk.path)
        for _ in 0..<6 { try pay() }
        try shell("head -c 1000000 /dev/zero > disk/filler; true")
        let full = try audit("verify", scene.home, "--since", "disk/result", "--out", "disk/result")
        #expect(full.status == 3, "\(full.error)")
        try Files.remove(disk.path + "/filler")
        #expect(try Files.list(disk.path) == before)
        #expect(try audit("verify", scene.home, "--since", "disk/result").status == 0)
    }

    @Test func `two audits at once leave one whole result`() throws {
        let program = "\(Programs.folder)/daybook-replay"
        try shell(
            """
            for n in 1 2 3 4 5 6; do
                \(program) verify store --out result --sign-with auditor.key > /dev/null &
                \(program) replay store --out result --sign-with auditor.key > /dev/null
            done; wait; \(program) verify store --out result --sign-with auditor.key > /dev/null
            """)
        #expect(try audit("verify", scene.home, "--since", "result").status == 0)
        #expect(try Files.list(scene.folder).filter { $0.hasPrefix("result.") }.count == 1)
    }

    // MARK: - Helpers

    private func audit(
        _ command: String, _ source: String, _ options: String...
    ) throws -> ProgramRun {
        try audit(command, source, options)
    }

    /// Runs an audit in the scene's folder, with the auditor's key where a result is named.
    private func audit(
        _ command: String, _ source: String, _ options: [String]
    ) throws -> ProgramRun {
        var words = ["\(Programs.folder)/daybook-replay", command, source]
        for (index, word) in options.enumerated() {
            let isFile = index > 0 && ["--out", "--since"].contains(options[index - 1])
            words.append(isFile ? scene.path(word) : word)
        }
        if options.contains("--out") { words += ["--sign-with", scene.path("auditor.key")] }
        if options.contains("--since") { words += ["--auditor", scene.path("auditor.pub")] }
        return try Programs.run(words)
    }

    private func refuse(_ code: String, at place: SourceLocation = #_sourceLocation) throws {
        try audit("verify", scene.home, "--since", "result")
            .expectFailure(1, code, of: "verify", at: place)
    }

    /// Compares all that two audits say, but for what one of them says about its beginning.
    private func expect(
        _ answer: ProgramRun, equals whole: JSON, since events: Int? = nil,
        at place: SourceLocation = #_sourceLocation
    ) throws {
        let members = try #require(try answer.object.objectValue)
        let rest = JSON.object(members.filter { $0.name != "since" })
        #expect(rest == whole, sourceLocation: place)
        let since = try answer.object["since"]
        #expect(since?["root"]?.stringValue?.count == 64, sourceLocation: place)
        if let events {
            #expect(since?["events"]?.intValue == Int64(events), sourceLocation: place)
        }
    }

    /// The note of a checkpoint that a parted copy of the store, in `copy`, has signed.
    private func parted(_ name: String) throws -> String {
        func daybook(_ words: String...) throws -> ProgramRun {
            try Programs.run([Programs.daybook] + words + ["--home", scene.path("copy")])
        }
        try daybook("open", "dashwallet://request=address&sender=elsewhere").expectDone()
        let signed = try daybook("checkpoint", "--json").object
        return try scene.write(name, try #require(signed["note"]?.stringValue))
    }

    private func source(_ name: String, _ isExport: Bool) throws -> String {
        guard isExport else { return scene.home }
        let path = scene.path("\(name).daybook")
        if try !Files.exists(path) { try scene.done("export", path) }
        return path
    }

    private func pay() throws {
        let id = try scene.pending("dashwallet://pay=\(Scene.payee)&amount=1&sender=myapp")
        #expect(try scene.approve(id).status == 0)
        try scene.done("sandbox", "mine")
    }

    private func shell(_ script: String) throws {
        try Programs.run(["/bin/bash", "-c", "cd \(scene.folder) && umask 077 && \(script)"])
            .expectDone()
    }
}

extension ProgramRun {
    fileprivate func expectDone(at place: SourceLocation = #_sourceLocation) {
        #expect(status == 0, "\(error)", sourceLocation: place)
    }
}
