import DaybookCommands

/// The file that tells a desktop which program opens our links, by the Desktop Entry specification.
struct DesktopEntry {
    /// The name that desktops know the entry by.
    static let id = "daybook.desktop"
    /// The schemes of the links that `open` takes.
    static let schemes = ["dashwallet", "dash", "axewallet", "axe", "iconex"]
    /// What only an entry of ours has; no other is replaced or removed.
    private static let mark = "X-Daybook-Entry=1"

    /// The command that a desktop runs.
    let exec: String

    /// The entry for a program and the words that it is called with before a link.
    init(program: String, _ words: [String]) throws(CommandFailure) {
        // An equals sign there would make the program's name an assignment.
        if program.contains("=") { throw Self.unspeakable(program) }
        var quoted: [String] = []
        for word in [program] + words { quoted.append(try Self.quoted(word)) }
        exec = (quoted + ["%u"]).joined(separator: " ")
    }

    var text: String {
        """
        [Desktop Entry]
        Type=Application
        Name=Daybook
        Comment=Receives the links with which other apps ask for payments, addresses and signatures
        Exec=\(Self.escaped(exec))
        MimeType=\(Self.schemes.map { Self.type($0) + ";" }.joined())
        NoDisplay=true
        Terminal=false
        StartupNotify=false
        \(Self.mark)

        """
    }

    /// The media type that stands for a scheme.
    static func type(_ scheme: String) -> String { "x-scheme-handler/\(scheme)" }

    /// Whether a file is an entry that this made.
    static func isOurs(_ text: String) -> Bool {
        text.split(whereSeparator: \.isNewline).contains { $0 == mark }
    }

    /// A word in double quotes: four characters are escaped there, and a percent sign doubled.
    private static func quoted(_ word: String) throws(CommandFailure) -> String {
        var text = "\""
        for scalar in word.unicodeScalars {
            switch scalar {
            case "\"", "`", "$", "\\": text += "\\\(scalar)"
            case "%": text += "%%"
            default:
                if scalar.value < 0x20 || scalar.value == 0x7f { throw unspeakable(word) }
                text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }

    /// A value as it stands in the file, where a backslash escapes in its own right.
    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\")
    }

    private static func unspeakable(_ path: String) -> CommandFailure {
        CommandFailure(
            "pathNotPossible", .refused,
            "a desktop can't be told of a path like '\(CommandFailure.quoted(path))'")
    }
}
