import DaybookEncoding
import DaybookSystem

/// A program's manual page, in the macros of man(7), from the table of its commands.
struct ManualPage {
    let program: Program

    /// The section of programs that users run.
    static let section = 1

    /// The file's name.
    var fileName: String { "\(program.name).\(Self.section)" }

    var text: String {
        var lines = [
            #".\" Written by `\#(program.name) man`, from the program's own help."#,
            ".TH \(program.name.uppercased()) \(Self.section) \"\" \"Daybook \(Program.version)\"",
            ".SH NAME", "\(Self.escaped(program.name)) \\- \(Self.escaped(program.summary))",
            ".SH SYNOPSIS", ".B \(Self.escaped(program.name))",
            #"\fICOMMAND\fR [\fIARGUMENT\fR ...] [\fIOPTION\fR ...]"#,
        ]
        lines += [".SH DESCRIPTION"] + Self.paragraph(Self.description)
        lines += [".SH COMMANDS"] + program.commands.flatMap(command)
        lines += [".SH OPTIONS", "Every command has these options."]
        lines += (program.options + Program.everywhere).flatMap(Self.option)
        lines += [".SH EXIT STATUS"]
        for status in ExitStatus.allCases {
            lines += Self.item(".B \(status.rawValue)", status.meaning)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static let description = """
        Text output is for people and may change. With --json, standard output has one JSON \
        object, or one a line for lists. Messages, prompts and progress go to standard error. \
        Colours are shown on terminals, unless NO_COLOR is set or TERM is dumb. After -- every \
        word is an argument.
        """

    /// A command as a subsection: its call, its help, its options.
    private func command(_ command: Command) -> [String] {
        var call = "\\fB\(Self.escaped("\(program.name) \(command.name)"))\\fR"
        if !command.arguments.isEmpty { call += " \\fI\(Self.escaped(command.arguments))\\fR" }
        let summary = command.summary.split(separator: "\n").map(String.init)
        let rest = summary.dropFirst().joined(separator: " ")
        var lines = [".SS \(Self.escaped(command.name))", call, ".br"]
        lines += Self.paragraph(Self.sentence(command.firstLine))
        if !rest.isEmpty { lines += [".PP"] + Self.paragraph(rest) }
        return lines + command.options.flatMap(Self.option)
    }

    private static func option(_ option: Command.Option) -> [String] {
        let value = option.value.map { " \\fI\(escaped($0))\\fR" } ?? ""
        return item("\\fB\(escaped(option.name))\\fR\(value)", option.help)
    }

    private static func item(_ name: String, _ text: String) -> [String] {
        [".TP", name] + paragraph(sentence(text))
    }

    private static func sentence(_ text: String) -> String {
        let first = text.prefix(1).uppercased() + text.dropFirst()
        return first.last.map { ".?)".contains($0) } == true ? first : first + "."
    }

    /// Sentences on lines of their own, as man(7) asks.
    private static func paragraph(_ text: String) -> [String] {
        text.replacing(". ", with: ".\n").split(separator: "\n").map { escaped(String($0)) }
    }

    /// A text without characters that mean something to troff.
    static func escaped(_ text: String) -> String {
        var output = ""
        for character in Text.onOneLine(text) {
            switch character {
            case "\\": output += "\\e"
            case "-": output += "\\-"
            case "'": output += "\\(aq"
            case "`": output += "\\(ga"
            case "~": output += "\\(ti"
            case "^": output += "\\(ha"
            case "…": output += "..."
            default: output.append(character)
            }
        }
        // A line that begins with a dot would be a request.
        return output.first == "." ? "\\&" + output : output
    }
}

extension Command {
    /// Prints the program's manual page, or writes it to a folder.
    package static let manual = Command(
        "man", "[DIR]", count: 0...1, does: """
            print this program's manual page, or write it to the folder DIR
            To read it: `man -l FILE`. For `man` to find it, DIR is a folder such as
            ~/.local/share/man/man1.
            """
    ) { invocation in
        let page = ManualPage(program: invocation.program)
        guard let folder = invocation.arguments.first else {
            try invocation.console.result(
                .record(["page": .string(page.text)]),
                TerminalText(lines: String(page.text.dropLast())))
            return .done
        }
        let path = "\(folder)/\(page.fileName)"
        try Files.createDirectories(folder, mode: 0o755)
        try Files.writeAtomically(path, Array(page.text.utf8), mode: 0o644)
        try invocation.console.result(.record(["file": .string(path)]), "wrote \(path)")
        return .done
    }
}
