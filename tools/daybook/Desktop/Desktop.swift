import Daybook
import DaybookCommands
import DaybookEncoding
import DaybookSystem

/// The desktop's settings for which program opens a link.
///
/// Only two files are read and written, so that no desktop tool is needed.
struct Desktop {
    /// The path of our desktop entry.
    let entryPath: String
    /// The path of the user's choices.
    let choicesPath: String

    /// The program for the links of one scheme.
    struct Choice {
        let scheme: String
        /// The user's first choice before; nil if there was none.
        let was: String?
        let now: String?
    }

    /// The desktop of the current user.
    init() throws(CommandFailure) {
        entryPath = try UserFolder.data.needed() + "/applications/\(DesktopEntry.id)"
        choicesPath = try UserFolder.config.needed() + "/mimeapps.list"
    }

    /// Writes our entry and makes it the first choice for all of our schemes.
    func install(_ entry: DesktopEntry) throws -> [Choice] {
        if let text = try Self.text(entryPath), !DesktopEntry.isOurs(text) {
            throw CommandFailure(
                "fileExists", .refused,
                "the entry at \(CommandFailure.quoted(entryPath)) is somebody else's")
        }
        var choices = try choices()
        let made = DesktopEntry.schemes.map { scheme in
            let type = DesktopEntry.type(scheme)
            let was = choices.programs(for: type).first
            choices.prefer(DesktopEntry.id, for: type)
            return Choice(scheme: scheme, was: was, now: DesktopEntry.id)
        }
        // The entry is written first, because desktops skip choices without an entry.
        try Self.write(entry.text, entryPath)
        try Self.write(choices.text, choicesPath)
        return made
    }

    /// Undoes `install`; the previous choices are first again.
    func remove() throws -> [Choice] {
        var choices = try choices()
        let made = DesktopEntry.schemes.map { scheme in
            let type = DesktopEntry.type(scheme)
            let was = choices.programs(for: type).first
            choices.remove(DesktopEntry.id, for: type)
            return Choice(scheme: scheme, was: was, now: choices.programs(for: type).first)
        }
        if try Files.exists(choicesPath) { try Self.write(choices.text, choicesPath) }
        if let text = try Self.text(entryPath), DesktopEntry.isOurs(text) {
            try Files.remove(entryPath)
        }
        return made
    }

    private func choices() throws -> DesktopFile { DesktopFile(try Self.text(choicesPath) ?? "") }

    private static func text(_ path: String) throws -> String? { try DesktopFile.text(path) }

    /// Writes a file, through a symbolic link if it is one, unless its content is the same.
    private static func write(_ text: String, _ path: String) throws {
        if let there = try Self.text(path), Text.equal(there, text) { return }
        try Files.createDirectories(Files.parent(of: path), mode: 0o700)
        let place = try Files.exists(path) ? try Files.resolved(path) : path
        let mode = try Files.information(place)?.mode ?? 0o644
        try Files.writeAtomically(place, Array(text.utf8), mode: mode)
    }
}

/// The desktop entry for our links, by the Desktop Entry Specification.
struct DesktopEntry {
    /// The name that desktops know the entry by.
    static let id = "daybook.desktop"
    /// The schemes of the links that `open` takes.
    static let schemes = ["dashwallet", "dash", "axewallet", "axe", "iconex"]
    /// Marks our own entry; others are neither replaced nor removed.
    private static let mark = "X-Daybook-Entry=1"

    /// The command that a desktop runs.
    let exec: String

    /// The entry for a program and the words that it is called with before a link.
    init(program: String, _ words: [String]) throws(CommandFailure) {
        // An equals sign there would make the program's name an assignment.
        if program.contains("=") { throw Self.unspeakable(program) }
        var quoted: [String] = []
        for word in [program] + words {
            quoted.append(Self.isPlain(word) ? word : try Self.quoted(word))
        }
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

    /// The media type of a URL scheme.
    static func type(_ scheme: String) -> String { "x-scheme-handler/\(scheme)" }

    /// Whether a file is our own entry.
    static func isOurs(_ text: String) -> Bool {
        text.split(whereSeparator: \.isNewline).contains { $0 == mark }
    }

    /// Whether a word of `Exec` needs no quotes.
    ///
    /// Without a desktop, the `xdg-open` of Debian 12 takes quotes as a part of the program's name.
    private static func isPlain(_ word: String) -> Bool {
        !word.isEmpty && word.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || "/._-+:@,".utf8.contains(byte)
        }
    }

    /// A quoted argument of `Exec`: four characters are escaped, and percent signs doubled.
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

    /// A value as it is written to the file, where backslashes are escaped once more.
    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\")
    }

    private static func unspeakable(_ path: String) -> CommandFailure {
        CommandFailure(
            "pathNotPossible", .refused,
            "a desktop can't be told of a path like '\(CommandFailure.quoted(path))'")
    }
}

extension Desktop {
    /// What becomes of links that are clicked, for `doctor`; nothing unless `install` was called.
    static func findings() throws -> [StoreFinding] {
        guard let desktop = try? Desktop(), let text = try DesktopFile.text(desktop.entryPath),
            DesktopEntry.isOurs(text)
        else { return [] }
        let handlers = SchemeHandlers()
        var others: [String] = []
        for scheme in DesktopEntry.schemes {
            do {
                let id = try handlers.entry(for: scheme).id
                if id != DesktopEntry.id { others.append("\(scheme): with \(id)") }
            } catch is SchemeHandlers.Refusal {
                others.append("\(scheme): with nothing")
            }
        }
        var findings = others.isEmpty
            ? [StoreFinding("desktop", .ok, "the desktop opens wallets' links with Daybook")]
            : [
                StoreFinding(
                    "desktop", .warning,
                    "the desktop opens " + others.joined(separator: ", ") + ", not Daybook",
                    advice: "run `desktop install` again")
            ]
        if SchemeHandlers.desktops.contains("kde") {
            findings.append(
                StoreFinding(
                    "desktop", .warning,
                    "KDE's kde-open, which xdg-open calls, makes web addresses of links like "
                        + "dashwallet://pay=ADDRESS&amount=1, so that they don't arrive",
                    advice: "give such a link to `daybook open`; links without slashes, such as "
                        + "dash:ADDRESS?amount=1, arrive as they are"))
        }
        return findings
    }
}
