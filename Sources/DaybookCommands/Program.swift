import DaybookEncoding
import DaybookSystem

/// A program made of commands: parses its arguments, runs a command, and reports its failure.
package struct Program: Sendable {
    /// The version of all of Daybook's programs.
    package static let version = "1.0.0"

    package let name: String
    package let summary: String
    package let commands: [Command]
    /// The options that every command has beside `--json`, `--help` and `--version`.
    package let options: [Command.Option]
    /// The words that a placeholder such as `CHAIN` stands for, which shells complete.
    let values: [String: [String]]
    /// The lists of the store's that placeholders of every command are completed with.
    let lists: [String: String]
    /// Converts an error of the layers below.
    package let explain: @Sendable (any Error) -> CommandFailure

    package init(
        name: String, summary: String, commands: [Command],
        options: [Command.Option] = [], values: [String: [String]] = [:],
        lists: [String: String] = [:],
        explain: @escaping @Sendable (any Error) -> CommandFailure
    ) {
        self.name = name
        self.summary = summary
        self.commands = commands
        self.options = options
        self.values = values
        self.lists = lists
        self.explain = explain
    }

    /// Runs the command in the process's arguments, and ends the process.
    package func main() async -> Never {
        let words = Process.arguments.map(Word.init)
        Process.ignoreBrokenPipes()
        do {
            // Required before any command, because commands hold secrets in memory.
            try Process.hideMemory()
            try Process.holdStandardStreams()
            try Process.checkResources()
            Process.exit(try await run(words).rawValue)
        } catch let error as SystemError where error.code == .brokenPipe {
            // The reader of the output has closed it.
            Process.endByBrokenPipe()
        } catch {
            let isJSON = words.contains { $0.text == "--json" }
            report(failure(error), of: parser.subject(words), isJSON: isJSON)
        }
    }

    private func run(_ words: [Word]) async throws -> ExitStatus {
        switch try parser.parse(words) {
        case .version:
            try StandardStreams.write("\(name) \(Self.version)\n", to: .output)
            return .done
        case .help(let topic):
            let text = help(topic).text(colored: Colors.areShown(on: .output))
            try StandardStreams.write(text, to: .output)
            return .done
        case .run(let command, let arguments, let values):
            let console = Console(isJSON: values.contains { $0.name == "--json" })
            let invocation = Invocation(
                program: self, name: command.name, words: arguments, console: console,
                values: values)
            do {
                return try await command.run(invocation)
            } catch let error as SystemError where error.code == .brokenPipe
                && (!command.changes || console.hasPrinted)
            {
                // The reader needs no more output, as in `daybook open URL | head -n 1`.
                throw error
            } catch {
                report(failure(error), of: command.name, isJSON: console.isJSON)
            }
        }
    }

    private func failure(_ error: any Error) -> CommandFailure {
        if let failure = error as? CommandFailure { return failure }
        return explain(error)
    }

    /// Prints a failure's line, with `--json` also the error object, and ends the process.
    private func report(_ failure: CommandFailure, of command: String, isJSON: Bool) -> Never {
        let who = ("\(name): \(command):" as TerminalText).styled(.bad)
        let line: TerminalText = "\(who) \(failure.message) (\(failure.code))\n"
        let isColored = !isJSON && Colors.areShown(on: .error)
        // If the streams are closed, the exit status still tells of the failure.
        try? StandardStreams.write(line.text(colored: isColored), to: .error)
        if isJSON {
            let object = #"{"error":\#(Console.line(failure.json))}"# + "\n"
            try? StandardStreams.write(object, to: .output)
        }
        Process.exit(failure.status.rawValue)
    }
}

// MARK: - Help

extension Program {
    static let everywhere = [
        Command.Option("--json", nil, "print JSON, one object a line"),
        Command.Option("--help", nil, "explain the command"),
        Command.Option("--version", nil, "print the version"),
    ]

    var parser: ArgumentParser {
        ArgumentParser(commands: commands, common: options + Self.everywhere)
    }

    func help(_ topic: ArgumentParser.Topic) -> TerminalText {
        switch topic {
        case .program:
            return "\(name): \(summary)\n\n\(Self.usage) \(name) COMMAND …\n\n"
                + list(commands) + "\n\n\(Self.common)\n"
                + list(options + Self.everywhere)
                + "\n\n`\(name) COMMAND --help` explains a command.\n"
        case .group(let word):
            return list(commands.filter { $0.words.first == word }) + "\n"
        case .command(let command):
            let arguments = command.arguments.isEmpty ? "" : " \(command.arguments)"
            let summary = TerminalText(lines: command.summary)
            var text: TerminalText = "\(Self.usage) \(name) \(command.name)\(arguments)\n"
            text += "\n\(summary)\n"
            if !command.options.isEmpty { text += "\n\(list(command.options))\n" }
            return text + "\n\(Self.common)\n\(list(options + Self.everywhere))\n"
        }
    }

    private static let usage = ("usage:" as TerminalText).styled(.heading)
    private static let common = ("options of every command:" as TerminalText).styled(.heading)

    private func list(_ commands: [Command]) -> TerminalText {
        Console.table(
            commands.map { command in
                let call = [command.name, command.arguments].filter { !$0.isEmpty }
                let line = command.summary.prefix { $0 != "\n" }
                return (call.joined(separator: " "), String(line))
            })
    }

    private func list(_ options: [Command.Option]) -> TerminalText {
        Console.table(
            options.map { option in
                (option.value.map { "\(option.name) \($0)" } ?? option.name, option.help)
            })
    }
}
