import DaybookEncoding
import DaybookSystem
import Foundation
import Testing
import TestSupport

struct SeveralProcessesTests {
    private let scene: Scene
    private static let canUnshare = Files.currentUser == 0
        && (try? Programs.run(["/usr/bin/unshare", "--pid", "--fork", "/bin/true"]))?.status == 0

    init() throws {
        scene = try Scene()
    }

    @Test func `of two processes that decide the same request, one is obeyed`() throws {
        let ids = try (1...5).map { number in
            try scene.pending("dashwallet://pay=\(Scene.payee)&amount=0.1&sender=app\(number)")
        }
        let script = """
            program=$0 passphrase=$1; shift
            for id; do
                $program approve $id --passphrase-file $passphrase > /dev/null 2>&1
                echo approve $? $id
            done & approver=$!
            for id; do $program reject $id > /dev/null 2>&1; echo reject $? $id; done
            wait $approver
            """
        let answer = try Programs.run(
            [
                "/bin/bash", "-c", script, Programs.daybook, scene.path("passphrase"),
            ] + ids, environment: ["DAYBOOK_HOME": scene.home])
        for id in ids {
            let status = try scene.daybook("show", id, "--json").object["status"]?.stringValue
            let obeyed = answer.lines.filter { $0.hasSuffix(" 0 \(id)") }
            let refused = answer.lines.filter { $0.hasSuffix(" 1 \(id)") }
            #expect(obeyed.count == 1 && refused.count == 1, "\(answer.lines)")
            #expect(obeyed[0].hasPrefix(status == "completed" ? "approve" : "reject"))
            let events = try scene.daybook("log", "--request", id, "--json").objects
            let callbacks = events.filter { $0["type"]?.stringValue == "callback.emitted" }
            #expect(callbacks.count == (status == "completed" ? 1 : 0))
        }
        try scene.expectCleanReplay()
    }

    @Test func `guesses of eight processes at once are tried one by one, until the lock`() throws {
        try scene.write("wrong", "mistaken horse")
        try scene.write("new", "another one")
        func command(_ number: Int, _ passphrase: String) -> String {
            let words = number % 2 == 0
                ? ["passphrase", "my-icon"]
                : ["export-keystore", "my-icon", scene.path("out\(number)")]
            return ([Programs.daybook, "wallet"] + words + [
                "--passphrase-file", scene.path(passphrase), "--new-passphrase-file",
                scene.path("new"), "--json",
            ]).joined(separator: " ")
        }
        let guesses = (0..<8).map { command($0, "wrong") + " &\n" }.joined()
        // At once, because the lock holds for a minute by the clock.
        let script = guesses + "wait\n" + command(0, "passphrase") + "\n"
            + command(1, "passphrase")
        let answer = try Programs.run(
            ["/bin/bash", "-c", script], environment: ["DAYBOOK_HOME": scene.home])
        let codes = try answer.objects.map { $0["error"]?["code"]?.stringValue }
        #expect(codes.prefix(8).count { $0 == "wrongPassphrase" } == 3, "\(codes)")
        #expect(codes.prefix(8).count { $0 == "lockedOut" } == 5, "\(codes)")
        #expect(codes.dropFirst(8) == ["lockedOut", "lockedOut"], "\(codes)")
    }

    @Test func `processes that open at the same time lose nothing`() throws {
        let script = """
            program=$0
            for process in 1 2 3; do
                for number in 1 2 3 4; do
                    $program open "dashwallet://request=address&sender=app$process$number" \\
                        > /dev/null || echo failed
                done &
            done
            wait
            """
        let answer = try Programs.run(
            ["/bin/bash", "-c", script, Programs.daybook],
            environment: ["DAYBOOK_HOME": scene.home])
        #expect(answer.output.isEmpty && answer.error.isEmpty)
        #expect(try scene.daybook("pending", "--json").objects.count == 12)
        try scene.expectCleanReplay()
    }

    @Test func `a full disk is named, and the log stays as it was`() throws {
        let before = try scene.daybook("log", "--json").output
        // A file size limit of nothing is what a full disk looks like to a program.
        let script = #"trap "" XFSZ; ulimit -f 0; exec "$0" "$@""#
        let answer = try Programs.run(
            [
                "/bin/bash", "-c", script, Programs.daybook, "open",
                "dashwallet://request=address&sender=myapp", "--json",
            ], environment: ["DAYBOOK_HOME": scene.home])
        answer.expectFailure(3, "diskFull", of: "open")
        #expect(try scene.daybook("log", "--json").output == before)
        try scene.expectCleanReplay()
    }

    @Test(.enabled(if: canUnshare))
    func `a second container with the same process number is told what to do`() throws {
        func inContainer(_ words: [String]) -> [String] {
            ["/usr/bin/unshare", "--pid", "--fork", "--kill-child", Programs.daybook]
                + words
        }
        let environment = ["DAYBOOK_HOME": scene.home]
        let first = try RunningProgram(
            inContainer(["serve", "--json", "--socket", scene.path("socket")]),
            environment: environment)
        // It ignores other signals, and its child ends with it.
        defer { first.send(SIGKILL) }
        _ = try first.object()
        for words in [["open", "dash:\(Scene.payee)?amount=1"], ["pending"], ["sync"]] {
            let second = try Programs.run(inContainer(words), environment: environment)
            #expect(second.status == 3 && second.code == "storeInOtherContainer", "\(second.error)")
            #expect(second.error.contains("--pid=container:NAME"), "\(second.error)")
        }
        // The control: processes with numbers of their own.
        #expect(try scene.daybook("pending").status == 0)
        #expect(try scene.daybook("open", "dash:\(Scene.payee)?amount=1").status == 0)
    }
}
