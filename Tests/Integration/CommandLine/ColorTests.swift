@testable import DaybookCommands
import Testing
import TestSupport

/// Colours: on terminals alone, and never the only sign.
struct ColorTests {
    @Test func `a colored text without its codes is the plain text`() {
        let part = ("is \("completed")" as TerminalText).styled(.good)
        let line: TerminalText = "request \(3) \(part), \("\u{1b}[31mred")"
        #expect(line.text == "request 3 is completed, \\u{001B}[31mred")
        #expect(line.text(colored: false) == line.text)
        #expect(
            line.text(colored: true)
                == "request 3 \u{1b}[32mis completed\u{1b}[0m, \\u{001B}[31mred")
        let both = [line, "end"].joined(separator: "\n") + "!"
        #expect(both.text(colored: true) == line.text(colored: true) + "\nend!")
        #expect(both.text == line.text + "\nend!")
        #expect(("plain" as TerminalText).text(colored: true) == "plain")
    }

    @Test(arguments: [
        (["TERM": "xterm"], true), (["TERM": "xterm", "NO_COLOR": ""], true),
        (["TERM": "xterm", "NO_COLOR": "1"], false), (["TERM": "dumb"], false),
        (["TERM": ""], false), ([:], false),
    ])
    func `the environment says whether colors are wanted`(
        variables: [String: String], areWanted: Bool
    ) {
        #expect(Colors.areWanted { variables[$0] } == areWanted)
    }

    /// The output of a command on a terminal.
    private func output(
        of words: String, in scene: Scene, _ variables: [String: String]
    ) throws -> String {
        try Programs.run(
            ["/bin/bash", "-c", "script -qec \"'$PROGRAM' \(words)\" /dev/null </dev/null"],
            environment: [
                "DAYBOOK_HOME": scene.home, "PROGRAM": Programs.daybook,
                "TERM": "xterm", "NO_COLOR": "",
            ].merging(variables) { $1 }
        ).output
    }

    @Test func `progress is shown where a line can be overwritten`() throws {
        let scene = try Scene()
        let clearing = "\r\u{1b}[K"
        #expect(try output(of: "export \(scene.home)/a.daybook", in: scene, [:]).contains(clearing))
        let plain = try output(of: "export \(scene.home)/b.daybook", in: scene, ["TERM": "dumb"])
        #expect(!plain.contains("\u{1b}"))
        #expect(plain.contains("events"))
    }

    @Test func `a terminal gets colors, unless they are unwanted or the output is JSON`() throws {
        let scene = try Scene()
        func output(_ words: String, _ variables: [String: String]) throws -> String {
            try self.output(of: words, in: scene, variables)
        }
        let colored = try output("wallet list", [:])
        #expect(colored.contains("\u{1b}[1mid  chain"))
        for variables in [["NO_COLOR": "1"], ["TERM": "dumb"]] {
            let plain = try output("wallet list", variables)
            #expect(!plain.contains("\u{1b}"))
            #expect(plain == colored.replacing(/\u{1b}\[[0-9]m/, with: ""))
        }
        #expect(try !output("wallet list --json", [:]).contains("\u{1b}"))
        #expect(try output("nonsense", [:]).contains("\u{1b}[31mdaybook: arguments:\u{1b}[0m "))
        #expect(try !scene.daybook("wallet", "list").output.contains("\u{1b}"))
    }
}
