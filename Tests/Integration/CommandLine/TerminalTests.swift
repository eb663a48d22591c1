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
            sleep 1; kill -\(signal) $!; wait $!; echo "status $?"; stty -a
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

    /// What a script prints that runs on a terminal of its own.
    private func onTerminal(_ lines: String, _ scene: Scene) throws -> String {
        try Call.run(
            // Without anything to read `script` would end the program's input.
            ["/bin/bash", "-c", "sleep 3 | script -qec \"bash '$0'\" /dev/null",
             try scene.write("script", lines)],
            environment: ["DAYBOOK_HOME": scene.home, "PROGRAM": "\(Call.folder)/daybook"]
        ).output
    }
}
