import DaybookEncoding
import DaybookSystem

/// A program made of commands: finds the one that is meant, runs it, and reports how it ended.
package struct Program: Sendable {
    /// The version of all of Daybook's programs.
    package static let version = "0.1.0"

    package let name: String
    package let summary: String
    package let commands: [Command]
    /// The options that every command has beside `--json`, `--help` and `--version`.
    package let options: [Command.Option]
    /// Turns an error of the layers below into a failure.
    package let explain: @Sendable (any Error) -> CommandFailure

    package init(
        name: String, summary: String, commands: [Command],
        options: [Command.Option] = [],
        explain: @escaping @Sendable (any Error) -> CommandFailure
    ) {
        self.name = name
        self.summary = summary
        self.commands = commands
        self.options = options
        self.explain = explain
    }

    /// Runs what the process was started for and ends it.
    package func main() async -> Never {
        let words = Process.arguments.map(Word.init)
        Process.ignoreBrokenPipes()
        do {
            // Secrets are about to enter memory: without this no command runs.
            try Process.hideMemory()
            try Process.holdStandardStreams()
            try Process.checkResources()
            Process.exit(try await run(words).rawValue)
        } catch let error as SystemError where error.code == .brokenPipe {
            // Whoever read our output has seen enough.
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
            try StandardStreams.write(help(topic).text, to: .output)
            return .done
        case .run(let command, let arguments, let values):
            let console = Console(isJSON: values.contains { $0.name == "--json" })
            let invocation = Invocation(
                name: command.name, words: arguments, console: console, values: values)
            do {
                return try await command.run(invocation)
            } catch let error as SystemError where error.code == .brokenPipe
                && (!command.changes || console.hasPrinted)
            {
                // What was still to be printed is not missed: `daybook open URL | head -n 1`.
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

    /// Prints the one line that every failure has, with `--json` the error object too, and ends.
    private func report(_ failure: CommandFailure, of command: String, isJSON: Bool) -> Never {
        let line: TerminalText = "\(name): \(command): \(failure.message) (\(failure.code))\n"
        // Nothing can be done about streams that don't take the report; the status still tells.
        try? StandardStreams.write(line.text, to: .error)
        if isJSON {
            let object = #"{"error":\#(Console.line(failure.json))}"# + "\n"
            try? StandardStreams.write(object, to: .output)
        }
        Process.exit(failure.status.rawValue)
    }
}

// MARK: - Help

extension Program {
    private static let everywhere = [
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
            return "\(name): \(summary)\n\nusage: \(name) COMMAND …\n\n"
                + list(commands) + "\n\noptions of every command:\n"
                + list(options + Self.everywhere)
                + "\n\n`\(name) COMMAND --help` explains a command.\n"
        case .group(let word):
            return list(commands.filter { $0.words.first == word }) + "\n"
        case .command(let command):
            let arguments = command.arguments.isEmpty ? "" : " \(command.arguments)"
            let summary = TerminalText(lines: command.summary)
            var text: TerminalText = "usage: \(name) \(command.name)\(arguments)\n\n\(summary)\n"
            if !command.options.isEmpty { text += "\n\(list(command.options))\n" }
            return text + "\noptions of every command:\n\(list(options + Self.everywhere))\n"
        }
    }

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

/// Work that reads what may be damaged, done in a process of its own that this one watches.
package enum Watched {
    package typealias Progress = (_ table: String, _ entries: UInt64) -> Void

    /// How far the work had come.
    package struct Place {
        package let table: String
        package let entries: UInt64

        /// The line that a child writes.
        var line: String { "\(table) \(entries)" }

        init(table: String, entries: UInt64) {
            self.table = table
            self.entries = entries
        }

        init(line: String?) {
            let words = (line ?? "").split(separator: " ")
            table = words.first.map { String($0) } ?? "pages"
            entries = words.last.flatMap { UInt64($0) } ?? 0
        }

        package var text: String {
            entries == 0 ? "'\(table)'" : "'\(table)' behind entry \(entries)"
        }
    }

    /// Runs `work` in a child; `crashed` is asked where that ended by a crash.
    package static func run(
        _ work: (@escaping Progress) async throws -> ExitStatus,
        crashed: (Place) async throws -> ExitStatus
    ) async throws -> ExitStatus {
        if let report = ChildProcess.report {
            return try await work { table, entries in
                // A parent that has gone needs no reports.
                try? report(Place(table: table, entries: entries).line)
            }
        }
        let (end, report) = try ChildProcess.runAgain()
        switch end {
        case .exited(let status):
            guard ExitStatus(rawValue: status) != nil else {
                throw CommandFailure(
                    "crashed", .store, "its child could not start, and ended with \(status)")
            }
            // The child has said all there is to say.
            Process.exit(status)
        case .crashed: return try await crashed(Place(line: report))
        case .ended(let signal):
            throw CommandFailure("interrupted", .store, "it was ended by signal \(signal)")
        }
    }
}
