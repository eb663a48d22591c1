import Foundation
import Testing
import TestSupport

/// `docs/COMMANDS.md`, held to what the programs say of themselves.
struct CommandsDocumentTests {
    /// A row of the document's table: the calls in its first cell, and the options named there.
    private struct Row {
        let calls: [String]
        let options: Set<String>

        func explains(_ name: String) -> Bool {
            calls.contains { $0 == name || $0.hasPrefix(name + " ") }
        }
    }

    @Test(arguments: ["daybook", "daybook-replay"])
    func `every command with its options stands in the document, and no other`(
        program: String
    ) throws {
        let names = Self.explained(try Self.help(program, [])).map { line in
            line.prefix { $0.first?.isLowercase == true && !$0.contains("|") }
                .joined(separator: " ")
        }
        let rows = try Self.rows(of: program)
        try #require(names.count > 5 && rows.count > 5)
        for name in names {
            let words = name.split(separator: " ").map(String.init)
            let own = Self.explained(try Self.help(program, words)).compactMap(\.first)
            // The document has it once, for all commands that take it.
            let options = Set(own).subtracting(["--passphrase-file"])
            let found = rows.filter { $0.explains(name) }.flatMap(\.options)
            #expect(Set(found) == options, "\(name)")
            #expect(rows.contains { $0.explains(name) }, "\(name)")
        }
        for call in rows.flatMap(\.calls) {
            #expect(names.contains { call == $0 || call.hasPrefix($0 + " ") }, "\(call)")
        }
    }

    private static func help(_ program: String, _ words: [String]) throws -> String {
        try Call.run(["\(Call.folder)/\(program)"] + words + ["--help"]).output
    }

    /// The words before the explanation, on each line that explains a command or one of its own
    /// options.
    private static func explained(_ help: String) -> [[String]] {
        help.components(separatedBy: "options of every command:")[0]
            .components(separatedBy: "\n").filter { $0.hasPrefix("  ") }
            .map { line in
                line.dropFirst(2).components(separatedBy: "  ")[0]
                    .split(separator: " ").map(String.init)
            }
    }

    private static func rows(of program: String) throws -> [Row] {
        let text = try Repository.text("docs/COMMANDS.md")
        let section = try #require(text.components(separatedBy: "\n## \(program)\n").last)
        let table = section.components(separatedBy: "| command | gives |\n|---|---|\n")
        let lines = try #require(table.dropFirst().first).components(separatedBy: "\n")
        return lines.prefix { $0.hasPrefix("|") }.map { line in
            let cell = line.replacing("\\|", with: "/").components(separatedBy: "|")[1]
            // Between backticks.
            let quoted = cell.components(separatedBy: "`").enumerated()
                .filter { $0.offset % 2 == 1 }.map(\.element)
            let words = quoted.flatMap {
                $0.components(separatedBy: CharacterSet(charactersIn: " []"))
            }
            return Row(
                calls: quoted.filter { !$0.hasPrefix("-") },
                options: Set(words.filter { $0.hasPrefix("--") }))
        }
    }
}
