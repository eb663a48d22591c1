import DaybookEncoding
import DaybookSystem
import Foundation
import TestSupport
import Testing

/// A store on a mount that can only be read, while others may write to it by another path.
@Suite(.enabled(if: Files.currentUser == 0 && SmallDisk.canMount))
struct ReadOnlyStoreTests {
    private let scene: Scene
    private let mount: ReadOnlyMount

    init() throws {
        scene = try Scene()
        mount = try ReadOnlyMount(of: scene.home, at: scene.path("read-only"))
    }

    /// A second path to a folder, by which nothing can be written.
    private final class ReadOnlyMount {
        let path: String

        init(of folder: String, at path: String) throws {
            self.path = path
            try Files.createDirectory(path, mode: 0o700)
            for words in [["--bind", folder, path], ["-o", "remount,bind,ro", path]] {
                let run = try ProgramRun(["/bin/mount"] + words)
                try #require(run.status == 0, "\(run.output)")
            }
        }

        deinit { _ = try? ProgramRun(["/bin/umount", "-l", path]) }
    }

    private func read(_ words: String...) throws -> ProgramRun {
        try Programs.run([Programs.daybook] + words + ["--home", mount.path])
    }

    @Test func `reading commands work, and say what they can't see`() throws {
        let id = try scene.pending("dashwallet://pay=\(Scene.payee)&amount=1&sender=myapp")
        let file = scene.path("log.daybook")
        for words in [
            ["balance", "--json"], ["history", "my-dash", "--json"], ["log", "--json"],
            ["show", id, "--json"], ["requests", "--json"], ["pending", "--json"],
            ["bindings", "--json"], ["callbacks", "--json"], ["wallet", "list", "--json"],
            ["coin", "list", "my-dash", "--json"], ["node", "list", "--json"],
            ["export", file, "--json"],
        ] {
            let answer = try Programs.run(
                [Programs.daybook] + words + ["--home", mount.path])
            #expect(answer.status == 0, "\(words): \(answer.error)")
            #expect(answer.error.contains("later events of others are not seen"))
            #expect(answer.error.contains("(storeReadOnly)"))
            let usual = try Programs.run(
                [Programs.daybook]
                    + words.map { $0 == file ? scene.path("usual.daybook") : $0 }
                    + ["--home", scene.home])
            #expect(answer.output == usual.output, "\(words)")
        }
        for words in [["verify"], ["settings"], ["doctor"]] {
            #expect(
                try Programs.run([Programs.daybook] + words + ["--home", mount.path]).status
                    == 0, "\(words)")
        }
        for command in ["replay", "verify"] {
            #expect(try scene.replay(command, mount.path).status == 0)
        }
    }

    @Test func `each command sees what others have recorded before it`() throws {
        let before = try read("log", "--json").objects.count
        let id = try scene.pending("dashwallet://pay=\(Scene.payee)&amount=1&sender=myapp")
        #expect(try read("pending", "--json").object["request"]?.numberLiteral == id)
        #expect(try read("log", "--json").objects.count > before)
    }

    @Test func `writing commands end with a named error, and nothing is written`() throws {
        let id = try scene.pending("dashwallet://pay=\(Scene.payee)&amount=1&sender=myapp")
        let events = try scene.daybook("log", "--json").objects.count
        for words in [
            ["open", "dash:\(Scene.payee)?amount=1"], ["reject", id], ["sync"], ["checkpoint"],
            ["wallet", "rename", "my-dash", "other"], ["settings", "expirySeconds", "9"],
            ["sandbox", "fund", "my-dash", "1"],
            ["approve", id, "--yes", "--passphrase-file", scene.path("passphrase")],
        ] {
            let answer = try Programs.run(
                [Programs.daybook] + words + ["--home", mount.path])
            #expect(answer.status == 3, "\(words): \(answer.error)")
            #expect(answer.code == "storeReadOnly", "\(words): \(answer.error)")
        }
        #expect(try scene.daybook("log", "--json").objects.count == events)
        try scene.expectCleanReplay()
    }

    @Test func `a server that can only read answers, and its health is bad`() throws {
        let server = try RunningProgram([
            Programs.daybook, "serve", "--json", "--home", mount.path, "--socket",
            scene.path("socket"), "--log-format", "json",
        ])
        _ = try server.object()
        let client = try SocketClient(scene.path("socket"))
        #expect(try client.result("wallet.list")["wallets"]?.arrayValue?.count == 3)
        let refused = try client.call(
            "request.open", ["url": .string("dash:\(Scene.payee)?amount=1")])
        #expect(refused["error"]?["data"]?["code"] == .string("storeReadOnly"))
        let ended = server.end(by: SIGTERM)
        let lines = try ended.error.split(separator: "\n").map { try JSON.parse(Array($0.utf8)) }
        let codes = ["serverStarted", "storeReadOnly", "callFailed", "serverStopped"]
        #expect(lines.map { $0["code"]?.stringValue } == codes)
    }
}
