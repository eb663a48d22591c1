import DaybookEncoding

/// Completes a program's command lines in a shell, from the table of its commands.
///
/// The scripts of all shells do the same. They find the plain words before the cursor, without
/// options and their values; from these follow the command and the number of the argument.
struct Completion {
    let program: Program

    /// A shell for which there is a script.
    enum Shell: String, CaseIterable {
        case bash, zsh, fish
    }

    /// The words that can be written in a place.
    enum Values: Hashable {
        case files
        case words([String])
        /// The output of the program's `complete NAME` when a word is completed, a word a line.
        case listed(String)
        /// Commands or options, with what they do.
        case described(Kind, [Entry])
        case unknown

        enum Kind: String {
            case command
            case option = "-o option"
        }
    }

    /// A command or an option with what it does.
    struct Entry: Hashable {
        let word: String
        let summary: String

        init(_ word: String, _ summary: String) {
            self.word = word
            self.summary = summary
        }
    }

    /// An argument of a command: the value of an option, or a plain word.
    struct Place: Hashable {
        let command: Command
        /// The number of the argument, from 0.
        let index: Int
        let values: Values

        static func == (left: Place, right: Place) -> Bool {
            left.command.name == right.command.name && left.index == right.index
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(command.name)
            hasher.combine(index)
        }
    }

    func script(for shell: Shell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }

    /// The placeholders of files and folders.
    private static let filePlaceholders = [
        "F", "FILE", "FILE.html", "FOLDER", "DIR", "PATH", "PEM", "RESULT", "SOURCE",
    ]
    /// Those of arguments alone: the logs that `diff` compares.
    private static let logPlaceholders = ["A", "B"]

    /// The values of a placeholder: files, a list of the store's, the words it stands for, or
    /// `a|b|c` themselves.
    func values(of placeholder: String, argumentOf command: Command? = nil) -> Values {
        let isArgument = command != nil
        if let list = command?.lists[placeholder] ?? program.lists[placeholder] {
            return .listed(list)
        }
        if let words = program.values[placeholder] { return .words(words) }
        let areFiles = Self.filePlaceholders.contains(placeholder)
            || isArgument && Self.logPlaceholders.contains(placeholder)
        if areFiles { return .files }
        let words = placeholder.split(separator: "|").map(String.init)
        let areWords = words.allSatisfy { $0.allSatisfy(\.isLowercase) }
        return areWords && words.count > 1 ? .words(words) : .unknown
    }

    /// The options of the program that take values, each once.
    var optionsWithValues: [Command.Option] {
        var options: [Command.Option] = []
        for option in program.options + Program.everywhere + program.commands.flatMap(\.options)
        where option.value != nil && !options.contains(where: { $0.name == option.name }) {
            options.append(option)
        }
        return options
    }

    /// The arguments of commands whose values are known.
    var places: [Place] {
        program.commands.flatMap { command in
            command.placeholders.enumerated().compactMap { index, placeholder in
                let values = values(of: placeholder, argumentOf: command)
                return values == .unknown
                    ? nil : Place(command: command, index: index, values: values)
            }
        }
    }

    /// The first words of commands, each once, with the summary if it is a whole command.
    var firstWords: [Entry] {
        var found: [Entry] = []
        for command in program.commands {
            guard let word = command.words.first, !found.contains(where: { $0.word == word })
            else { continue }
            let others = program.commands.filter { $0.words.first == word }
            let summary = command.words.count == 1
                ? command.firstLine : others.map { $0.words[1] }.joined(separator: ", ")
            found.append(Entry(word, summary))
        }
        return found
    }

    /// The first words of commands with two words.
    var groups: [String] {
        firstWords.map(\.word).filter { word in
            program.commands.contains { $0.words.count == 2 && $0.words[0] == word }
        }
    }

    /// The commands of a group, without the first word.
    func members(of group: String) -> [Entry] {
        program.commands.filter { $0.words.count == 2 && $0.words[0] == group }
            .map { Entry($0.words[1], $0.firstLine) }
    }

    /// All options of a command.
    func options(of command: Command) -> [Command.Option] {
        command.options + program.options + Program.everywhere
    }

    /// A word that no shell changes, in single quotes; none of ours has a quote inside.
    static func quoted(_ text: String) -> String {
        "'" + text.replacing("'", with: "’") + "'"
    }
}

extension Command {
    /// The summary's first line.
    var firstLine: String { String(summary.prefix { $0 != "\n" }) }

    /// Prints the script that completes the program's commands in a shell.
    package static let completion = Command(
        "completion", "bash|zsh|fish", count: 1...1, does: """
            print the script that completes commands and options in a shell
            For bash, write it to ~/.local/share/bash-completion/completions/ under the program's
            name; for fish, to ~/.config/fish/completions/ with .fish after the name; for zsh, to a
            folder of $fpath with _ before the name. `tools/install` does this for you.
            """
    ) { invocation in
        let shell: Completion.Shell = try WordChoice.named(
            invocation.arguments[0], for: "completion")
        let script = Completion(program: invocation.program).script(for: shell)
        try invocation.console.result(
            .record(["shell": .string(shell.rawValue), "script": .string(script)]),
            TerminalText(lines: String(script.dropLast())))
        return .done
    }
}
