import DaybookEncoding
import DaybookSystem
import Foundation
import Testing

/// `ask` on a terminal, which `script` of util-linux makes, and `prompt`.
struct AskCommandTests {
    private let scene: Scene

    init() throws {
        scene = try Scene()
    }

    /// Runs `ask` on a terminal and types lines.
    private func ask(_ words: String, typing lines: String) throws -> String {
        try Programs.run(
            ["/bin/bash", "-c",
             """
             printf '\(lines)' | script -qec \
             "'$PROGRAM' ask \(words) --passphrase-file '$PASSPHRASE'" /dev/null
             """],
            environment: [
                "DAYBOOK_HOME": scene.home, "PROGRAM": Programs.daybook,
                "PASSPHRASE": scene.path("passphrase"),
            ]
        ).output
    }

    /// Runs `ask` about a request on a terminal and types each line once its question is there.
    ///
    /// Text that is typed before the passphrase's question is dropped, so nothing is typed ahead.
    private func ask(_ request: String, answering lines: [(String, String)]) throws -> String {
        let program = """
            import os, pty, sys, termios
            child, terminal = pty.fork()
            if child == 0:
                os.execv(os.environ["PROGRAM"], ["daybook", "ask", sys.argv[1]])
            seen = b""
            def read():
                global seen
                try:
                    more = os.read(terminal, 65536)
                except OSError:
                    more = b""
                seen += more
                sys.stdout.buffer.write(more)
                return more
            for question, line in zip(sys.argv[2::2], sys.argv[3::2]):
                while question.encode() not in seen and read():
                    pass
                seen = seen.partition(question.encode())[2]
                while question == "passphrase: " and termios.tcgetattr(terminal)[3] & termios.ECHO:
                    pass
                os.write(terminal, line.encode() + b"\\n")
            while read():
                pass
            """
        return try Programs.run(
            ["/usr/bin/python3", "-c", program, request] + lines.flatMap { [$0.0, $0.1] },
            environment: ["DAYBOOK_HOME": scene.home, "PROGRAM": Programs.daybook]
        ).output
    }

    private func status(_ request: String) throws -> String? {
        try scene.daybook("show", request, "--json").object["status"]?.stringValue
    }

    /// The number of events besides sessions'.
    private func recorded() throws -> Int {
        let types = try scene.done("log", "--json").objects.map { $0["type"]?.stringValue ?? "" }
        return types.count { !$0.hasPrefix("session.") }
    }

    @Test func `each waiting request is asked about, until the input ends`() throws {
        let requests = try (1...3).map { amount in
            try scene.pending("dash:\(Scene.payee)?amount=\(amount)")
        }
        // Ctrl-D ends it at the next question, so there is one more request than answers.
        let last = try scene.pending("dash:\(Scene.payee)?amount=4")
        let output = try ask("", typing: "y\\nn\\nlater\\n\\004")
        for request in requests {
            #expect(output.contains("request \(request) asks:"), "\(output)")
        }
        #expect(try status(requests[0]) == "completed", "\(output)")
        #expect(try status(requests[1]) == "rejected")
        #expect(try status(requests[2]) == "pending" && status(last) == "pending")
        try scene.expectCleanReplay()
    }

    @Test func `with a number it asks about that request alone, and for a missing amount`() throws {
        let other = try scene.pending("dash:\(Scene.payee)?amount=2")
        let request = try scene.pending("dash:\(Scene.payee)")
        let output = try ask(request, typing: "1.25\\ny\\n")
        #expect(output.contains("amount or all, or nothing for later: "), "\(output)")
        #expect(output.contains("1.25 DASH"))
        #expect(try status(request) == "completed" && status(other) == "pending")
        #expect(try ask("9999", typing: "y\\n").contains("(unknownRequest)"))
    }

    @Test func `a wrong passphrase is asked for again, in the same place`() throws {
        let request = try scene.pending("dash:\(Scene.payee)?amount=1.25")
        let output = try ask(
            request,
            answering: [
                ("approve? ", "y"), ("passphrase: ", "wrong"), ("passphrase: ", Scene.passphrase),
            ])
        #expect(output.contains("the passphrase is wrong; try again, or Enter for later"))
        #expect(output.components(separatedBy: "request \(request) asks:").count == 2, "\(output)")
        #expect(try status(request) == "completed", "\(output)")
        try scene.expectCleanReplay()
    }

    @Test func `nothing at the passphrase leaves the request waiting`() throws {
        let request = try scene.pending("dash:\(Scene.payee)?amount=1.25")
        let output = try ask(
            request,
            answering: [("approve? ", "y"), ("passphrase: ", "wrong"), ("passphrase: ", "")])
        #expect(output.contains("request \(request) still waits"), "\(output)")
        #expect(try status(request) == "pending")
    }

    @Test func `a lockout is said before anything is asked`() throws {
        let request = try scene.pending("dash:\(Scene.payee)?amount=1.25")
        let free = try #require(
            try scene.done("settings", "freeUnlockFailures", "2", "--json").object["value"])
        #expect(free == .number("2"))
        let first = try ask(
            request,
            answering: [("approve? ", "y")]
                + Array(repeating: ("passphrase: ", "wrong"), count: 2))
        #expect(first.contains("too many wrong passphrases; try again in "), "\(first)")
        #expect(first.contains("request \(request) still waits"))
        let output = try ask(request, answering: [("reject? ", "later")])
        let said = try #require(output.range(of: "too many wrong passphrases"), "\(output)")
        let asked = try #require(output.range(of: "it can't be approved as it stands; reject?"))
        #expect(said.lowerBound < asked.lowerBound)
        #expect(!output.contains("passphrase: "))
        #expect(try status(request) == "pending")
    }

    @Test func `without a terminal nothing is asked`() throws {
        try scene.daybook("ask", input: "y\n").expectFailure(2, "terminalMissing", of: "ask")
    }

    @Test func `a prompt has the digest that approve takes, and records nothing`() throws {
        let request = try scene.pending("dash:\(Scene.payee)?amount=1")
        let events = try recorded()
        let answer = try scene.done("prompt", request, "--json").object
        let digest = try #require(answer["prompt"]?["digest"]?.stringValue)
        #expect(try scene.done("prompt", request).output.contains("digest"))
        #expect(try scene.done("prompt", request).output.contains(digest))
        #expect(try recorded() == events)
        let other = try scene.done("prompt", request, "--wallet", "my-dash", "--json").object
        #expect(other["prompt"]?["digest"]?.stringValue?.count == digest.count)
        #expect(try scene.approve(request, "--shown", digest, "--yes").status == 0)
        try scene.daybook("prompt", "9999").expectFailure(1, "unknownRequest", of: "prompt")
    }
}
