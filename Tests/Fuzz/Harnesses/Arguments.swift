@testable import DaybookCommands
import DaybookEncoding

extension Harness {
    /// Command lines: words with a zero byte between them.
    static let arguments = Harness(
        "arguments", longest: 256,
        words: [
            "wallet", "add", "list", "--json", "--help", "--version", "--name", "--name=", "--",
            "-h", "help", "-1", "\u{0}",
        ]
    ) { bytes in
        let words = bytes.split(separator: 0, omittingEmptySubsequences: false)
            .map { Word(Bytes($0)) }
        _ = program.parser.subject(words)
        let parsed: ArgumentParser.Parsed
        do throws(CommandFailure) {
            parsed = try program.parser.parse(words)
        } catch {
            let message = Text.onOneLine(error.message)
            try law("an error is short", message.utf8.count <= 1024)
            return
        }
        switch parsed {
        case .version: break
        case .help(let topic): try law("there is help", !program.help(topic).text.isEmpty)
        case .run(let command, let arguments, let values):
            try law("a command has its arguments", command.count.contains(arguments.count))
            let isKnown = values.allSatisfy { value in
                (command.options + program.parser.common).contains { $0.name == value.name }
            }
            try law("a command has its own options", isKnown)
            try law("no option stands twice", Set(values.map(\.name)).count == values.count)
            let invocation = Invocation(
                program: program, name: command.name, words: arguments,
                console: Console(isJSON: false), values: values)
            _ = try? invocation.number("--count")
            for index in arguments.indices {
                guard let number = try? invocation.number(at: index, "it") else { continue }
                let digits = arguments[index].text.drop { $0 == "0" }
                try law("a number is its digits", digits == (number == 0 ? "" : String(number)))
            }
        }
    }

    private static let program = Program(
        name: "fuzz", summary: "is fed",
        commands: [
            Command("init", does: "begins") { _ in .done },
            Command(
                "wallet add", "NAME", count: 1...1, does: "adds",
                options: [.init("--name", "TEXT", "a name"), .init("--fast", nil, "quickly")]
            ) { _ in .done },
            Command(
                "wallet list", "[W…]", count: 0...3, does: "lists",
                options: [.init("--count", "N", "how many")]
            ) { _ in .done },
        ],
        explain: { CommandFailure("any", .usage, "\($0)") })
}
