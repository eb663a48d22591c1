import DaybookEncoding

/// Parses a command line: a command of one or two words, options, and arguments.
///
/// Options are `--name`, `--name VALUE` or `--name=VALUE`, anywhere before or after the command,
/// each at most once. After `--` every word is an argument; so is a single `-`.
struct ArgumentParser {
    let commands: [Command]
    /// The options that every command has.
    let common: [Command.Option]

    /// The result of parsing.
    enum Parsed {
        case help(Topic)
        case version
        case run(Command, arguments: [Word], values: [(name: String, value: String)])
    }

    /// The topic of a help text.
    enum Topic {
        case program
        /// The commands that begin with a word.
        case group(String)
        case command(Command)
    }

    func parse(_ words: [Word]) throws(CommandFailure) -> Parsed {
        let split = try split(words)
        if split.has("--version"), split.plain.isEmpty { return .version }
        let isHelp = split.has("--help") || split.plain.first?.text == "help"
        let plain = split.plain.first?.text == "help" ? split.plain.dropFirst() : split.plain[...]
        let texts = plain.map(\.text)
        guard !texts.isEmpty else {
            if isHelp { return .help(.program) }
            throw .usage("a command is missing; try --help")
        }
        guard let command = command(texts) else { return .help(try group(texts, isHelp)) }
        if isHelp { return .help(.command(command)) }
        let arguments = Array(plain.dropFirst(command.words.count))
        try check(split.options, command)
        guard command.count.contains(arguments.count) else {
            throw wrongCount(arguments, of: command)
        }
        return .run(command, arguments: arguments, values: split.options)
    }

    /// The command that the words begin with, of `label` and `label export` the longer one.
    private func command(_ words: [String]) -> Command? {
        commands.filter { words.starts(with: $0.words) }.max { $0.words.count < $1.words.count }
    }

    /// The name of the command in a call that can't be parsed, for its error.
    func subject(_ words: [Word]) -> String {
        command(words.map(\.text).filter { !$0.hasPrefix("-") })?.name ?? "arguments"
    }

    private func group(_ words: [String], _ isHelp: Bool) throws(CommandFailure) -> Topic {
        let members = commands.filter { $0.words.first == words[0] }
        guard !members.isEmpty else {
            throw CommandFailure(
                "unknownCommand", .usage,
                "there is no command '\(CommandFailure.quoted(words[0]))'; "
                    + (meant(words) ?? "try --help"))
        }
        if isHelp { return .group(words[0]) }
        let names = members.map { $0.words.dropFirst().joined(separator: " ") }
        guard words.count > 1 else {
            throw .usage("\(words[0]) what? One of \(names.joined(separator: ", "))")
        }
        let advice = Suggestion.question(words[1], among: names).map { "; " + $0 } ?? ""
        throw CommandFailure(
            "unknownCommand", .usage,
            "'\(words[0])' has no '\(CommandFailure.quoted(words[1]))', only "
                + names.joined(separator: ", ") + advice)
    }

    /// The question whether a similar command was meant, or one of a group: `fund` has one.
    private func meant(_ words: [String]) -> String? {
        let ends = commands.filter { $0.words.count > 1 && $0.words[1] == words[0] }
        if ends.count == 1 { return "did you mean '\(ends[0].name)'?" }
        return Suggestion.question(words[0], among: commands.compactMap(\.words.first))
    }

    /// The error of a call with too few arguments, or with one too many.
    private func wrongCount(_ arguments: [Word], of command: Command) -> CommandFailure {
        let form = command.arguments.isEmpty ? "no arguments" : command.arguments
        let extra = arguments.dropFirst(command.count.upperBound).first.map {
            "there is no place for '\(CommandFailure.quoted($0.text))': "
        }
        return .usage("\(extra ?? "")\(command.name) takes \(form); try \(command.name) --help")
    }

    private func check(
        _ options: [(name: String, value: String)], _ command: Command
    ) throws(CommandFailure) {
        for (index, option) in options.enumerated() {
            let known = command.options + common
            guard let found = known.first(where: { $0.name == option.name }) else {
                let advice = Suggestion.question(option.name, among: known.map(\.name))
                throw .usage(
                    "\(command.name) has no option \(option.name)"
                        + (advice.map { "; " + $0 } ?? ""))
            }
            if !found.isRepeatable, options[..<index].contains(where: { $0.name == option.name }) {
                throw .usage("\(option.name) is given twice")
            }
        }
    }

    // MARK: - Splitting

    private struct Split {
        var plain: [Word] = []
        var options: [(name: String, value: String)] = []

        func has(_ option: String) -> Bool { options.contains { $0.name == option } }
    }

    /// Separates options from other words; an option takes a value in all commands or in none.
    private func split(_ words: [Word]) throws(CommandFailure) -> Split {
        var split = Split()
        var rest = words[...]
        while let word = rest.popFirst() {
            if word.text == "--" {
                split.plain += rest
                break
            }
            guard isOption(word.text) else {
                split.plain.append(word)
                continue
            }
            let parts = word.text.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = parts[0] == "-h" ? "--help" : String(parts[0])
            guard let option = known(name) else {
                let own = command(split.plain.map(\.text))?.options ?? commands.flatMap(\.options)
                let advice = Suggestion.question(name, among: (own + common).map(\.name))
                throw .usage(
                    "unknown option \(CommandFailure.quoted(name))"
                        + (advice.map { "; " + $0 } ?? ""))
            }
            let attached = parts.count == 2 ? String(parts[1]) : nil
            split.options.append((name, try value(option, attached, &rest)))
        }
        return split
    }

    /// Whether a word begins with a dash but is neither `-` (standard input) nor a negative number.
    private func isOption(_ word: String) -> Bool {
        word.hasPrefix("-") && word != "-" && Int(word) == nil
    }

    private func known(_ name: String) -> Command.Option? {
        (common + commands.flatMap(\.options)).first { $0.name == name }
    }

    private func value(
        _ option: Command.Option, _ attached: String?, _ rest: inout ArraySlice<Word>
    ) throws(CommandFailure) -> String {
        guard let placeholder = option.value else {
            guard attached == nil else { throw .usage("\(option.name) takes no value") }
            return ""
        }
        var value = attached
        // If the next word looks like an option, the value was forgotten.
        if value == nil, let next = rest.first?.text, !next.hasPrefix("--") {
            value = next
            rest.removeFirst()
        }
        guard let value, !value.isEmpty else {
            throw .usage("\(option.name) needs a value: \(option.name) \(placeholder)")
        }
        return value
    }
}

/// The known word that a user probably meant by an unknown one.
enum Suggestion {
    /// Longer words are no slips of the fingers.
    private static let longest = 40

    /// The most similar candidate; nil if none is similar.
    static func nearest(to word: String, among candidates: [String]) -> String? {
        let count = word.unicodeScalars.count
        guard (2...longest).contains(count) else { return nil }
        // A third of a word may not differ: `ad` is not `log`, nor is `show` `sync`.
        let limit = word.unicodeScalars.drop { $0 == "-" }.count < 6 ? 1 : 2
        let near = candidates.map { ($0, Text.distance(word, $0)) }
            .filter { $0.1 <= limit }
        return near.min { $0.1 < $1.1 }?.0
    }

    /// The words of a question that offers the candidate; empty if there is none.
    static func question(_ word: String, among candidates: [String]) -> String? {
        nearest(to: word, among: candidates).map { "did you mean '\($0)'?" }
    }
}
