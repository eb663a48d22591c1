import DaybookSystem
import Foundation
import Testing

/// The programs on a terminal, which `script` of util-linux makes.
struct TerminalTests {
    @Test(arguments: ["INT", "TERM", "HUP", "QUIT"])
    func `a signal at the passphrase prompt ends the program and leaves the echo on`(
        signal: String
    ) throws {
        let scene = try Scene()
        let request = try scene.pending("dash:\(Scene.payee)?amount=1")
        // A shell lets what it starts with & ignore INT and QUIT; env takes that back.
        let answer = try onTerminal(
            """
            env --default-signal=INT,QUIT "$PROGRAM" approve \(request) --yes </dev/tty &
            while kill -0 $! && ! stty -a | grep -q -- '-echo '; do :; done
            kill -\(signal) $!; wait $!; echo "status $?"; stty -a
            """, scene)
        let number = ["INT": 2, "TERM": 15, "HUP": 1, "QUIT": 3][signal] ?? 0
        #expect(answer.contains("passphrase: "))
        #expect(answer.contains("status \(128 + number)"))
        #expect(answer.contains(" echo ") && !answer.contains("-echo "))
        #expect(try scene.daybook("pending").output.contains("request \(request) "))
    }

    @Test func `a long text goes on below itself and can't pass for a line of the prompt`() throws {
        let scene = try Scene()
        let message = "hi" + String(repeating: "%20", count: 60) + "amount%20%200.00001"
        let request = try scene.pending(
            "dashwallet://pay=\(Scene.payee)&amount=1&sender=app&message=\(message)")
        let output = try onTerminal("stty cols 80; \"$PROGRAM\" show \(request)", scene)
        let lines = output.split(separator: "\r\n").map { $0.split(separator: "\n").last ?? $0 }
        let line = try #require(lines.first { $0.contains("amount  0.00001") })
        #expect(line.hasPrefix(String(repeating: " ", count: 20)))
        #expect(line.utf8.count <= 80)
    }

    @Test func `a rebuild of the derived tables says how far it is, on a terminal`() throws {
        let scene = try Scene()
        _ = try scene.pending("dash:\(Scene.payee)?amount=1")
        let output = try onTerminal("\"$PROGRAM\" doctor --rebuild", scene)
        let line = try #require(
            output.split(separator: "\r").first { $0.contains("derived tables: ") })
        let words = line.split { $0 == " " || $0 == "\u{1b}" }
        let numbers = words.compactMap { Int($0) }
        #expect(numbers.count == 2 && numbers[0] == numbers[1] && numbers[0] > 5, "\(line)")
        #expect(try !scene.done("doctor", "--rebuild").error.contains("derived tables"))
    }

    @Test func `a backup reports copying, and then each part that it verifies`() throws {
        let scene = try Scene()
        let output = try onTerminal("\"$PROGRAM\" backup '\(scene.path("copy"))'", scene)
        let lines = Self.progress(output)
        #expect(lines.first == "copying", "\(lines)")
        #expect(lines.contains { $0.hasPrefix("verifying ") && $0.hasSuffix(" entries") })
        #expect(try scene.done("backup", scene.path("other")).error.isEmpty)
    }

    @Test func `an audit says how far it is in a store, an export and a part of one`() throws {
        let scene = try Scene()
        let (whole, part) = (scene.path("whole.daybook"), scene.path("part.daybook"))
        let count = try #require(
            try scene.done("export", whole, "--json").object["events"]?.numberLiteral)
        let some = try #require(
            try scene.done("export", part, "--from", "3", "--json").object["events"]?.numberLiteral)
        let bytes = try [whole, part].map { try #require(try Files.information($0)).size }
        let calls = [
            "verify '\(scene.home)'", "verify '\(whole)'", "verify '\(part)'",
            "report '\(scene.home)' --out '\(scene.path("page"))'", "diff '\(whole)' '\(whole)'",
        ]
        let output = try onTerminal(
            calls.map { "\"$AUDITOR\" \($0)" }.joined(separator: "\n"), scene)
        // Each count ends with the whole, which is always shown, perhaps more than once.
        let ends = Self.progress(output).filter { line in
            let words = line.split(separator: " ")
            return words.count == 5 && words[1] == words[3]
        }.reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
        let (read, verified) = ("reading: \(count) of \(count)", "verify: \(count) of \(count)")
        let file = "reading: \(bytes[0]) of \(bytes[0]) bytes"
        #expect(
            ends == [
                "\(verified) events",
                file, "\(verified) events",
                "reading: \(bytes[1]) of \(bytes[1]) bytes", "verify: \(some) of \(some) events",
                "\(verified) events", "replay: \(count) of \(count) events",
                "\(read) events", file, "\(read) events",
            ], "\(ends)")
        let quiet = try Programs.run(["\(Programs.folder)/daybook-replay", "verify", whole])
        #expect(quiet.status == 0 && quiet.error.isEmpty)
    }

    @Test func `a question about the past says how many events it has read`() throws {
        let scene = try Scene()
        _ = try scene.pending("dash:\(Scene.payee)?amount=1")
        for call in ["\"$PROGRAM\" balance --at 3", "\"$AUDITOR\" state '\(scene.home)' --at 3"] {
            let lines = Self.progress(try onTerminal(call, scene))
            #expect(lines.contains { $0.hasSuffix(": 4 of 4 events") }, "\(lines)")
        }
        #expect(try scene.done("balance", "--at", "3").error.isEmpty)
    }

    @Test func `an export to standard output says how far it is, unless the terminal shows it`()
        throws
    {
        let scene = try Scene()
        let file = scene.path("export")
        let call = "\"$PROGRAM\" export - --format jsonl"
        let lines = Self.progress(try onTerminal("\(call) >'\(file)'", scene))
        #expect(lines.contains { $0.hasPrefix("export: ") }, "\(lines)")
        let text = String(decoding: try Files.read(file, limit: 1 << 20), as: UTF8.self)
        #expect(text.hasPrefix("{") && !text.contains("\u{1b}"))
        let shown = Self.progress(try onTerminal(call, scene))
        #expect(!shown.contains { $0.hasPrefix("export: ") }, "\(shown)")
    }

    /// The lines that were shown and overwritten.
    private static func progress(_ output: String) -> [String] {
        output.unicodeScalars.split(separator: "\r").map(String.init)
            .filter { $0.hasPrefix("\u{1b}[K") }
            .map { String($0.dropFirst(3)) }.filter { !$0.isEmpty }
    }

    /// The output of a script that runs on a terminal of its own.
    private func onTerminal(_ lines: String, _ scene: Scene) throws -> String {
        try Programs.run(
            // Where its input ends, `script` ends the program: so it gets a pipe that stays open.
            ["/bin/bash", "-c", "exec script -qec \"bash '$0'\" /dev/null <> <(:)",
             try scene.write("script", lines)],
            // A service has no TERM, and a terminal without one shows no progress.
            environment: ["DAYBOOK_HOME": scene.home, "PROGRAM": Programs.daybook,
                          "AUDITOR": "\(Programs.folder)/daybook-replay", "TERM": "xterm"]
        ).output
    }
}
