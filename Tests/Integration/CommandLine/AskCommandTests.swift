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
        try Call.run(
            ["/bin/bash", "-c",
             """
             printf '\(lines)' | script -qec \
             "'$PROGRAM' ask \(words) --passphrase-file '$PASSPHRASE'" /dev/null
             """],
            environment: [
                "DAYBOOK_HOME": scene.home, "PROGRAM": "\(Call.folder)/daybook",
                "PASSPHRASE": scene.path("passphrase"),
            ]
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
