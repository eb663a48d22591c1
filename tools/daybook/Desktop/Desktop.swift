import Daybook
import DaybookCommands
import DaybookEncoding
import DaybookSystem

/// The desktop's settings for which program opens a link.
///
/// Only files are read and written, so that no desktop tool is needed.
struct Desktop {
    /// The path of our desktop entry.
    let entryPath: String
    /// The path of the user's choices for all desktops.
    let choicesPath: String
    private let launcherPath: String

    /// The program that the desktop opens the links of one scheme with.
    struct Choice {
        let scheme: String
        /// The program before; nil if there was none.
        let was: String?
        let now: String?
        /// The list that names the program; nil if only its entry does.
        let list: String?
    }

    /// The desktop of the current user.
    init() throws(CommandFailure) {
        let applications = try UserFolder.data.needed() + "/applications"
        entryPath = "\(applications)/\(DesktopEntry.id)"
        launcherPath = "\(applications)/daybook-open"
        choicesPath = try UserFolder.config.needed() + "/mimeapps.list"
    }

    /// Writes our entry for a program, and its words before a link, and makes it the first choice.
    ///
    /// Returns the line that desktops run, and what they open the links with now.
    func install(_ program: String, _ words: [String]) throws -> (exec: String, [Choice]) {
        for path in [entryPath, launcherPath] {
            guard let text = try DesktopFile.text(path), !DesktopEntry.isOurs(text) else {
                continue
            }
            throw CommandFailure(
                "fileExists", .refused,
                "the file at \(CommandFailure.quoted(path)) is somebody else's")
        }
        let before = try opening()
        // The entry is written first, because desktops skip choices without an entry.
        let entry = try writeEntry(program, words)
        for path in try lists() {
            var list = DesktopFile(try DesktopFile.text(path) ?? "")
            for type in DesktopEntry.types {
                // A list for one desktop goes before the one for all.
                if path == choicesPath || !list.programs(for: type).isEmpty {
                    list.prefer(DesktopEntry.id, for: type)
                }
                list.remove(DesktopEntry.id, for: type, in: .removed)
            }
            try Self.write(list.text, path)
        }
        try associate()
        return (entry.exec, try choices(since: before))
    }

    /// Undoes `install`; the previous choices are first again.
    func remove() throws -> [Choice] {
        let before = try opening()
        for path in try lists() {
            guard let text = try DesktopFile.text(path) else { continue }
            var list = DesktopFile(text)
            for type in DesktopEntry.types {
                list.remove(DesktopEntry.id, for: type)
                list.remove(DesktopEntry.id, for: type, in: .added)
            }
            try Self.write(list.text, path)
        }
        for path in [entryPath, launcherPath] {
            if let text = try DesktopFile.text(path), DesktopEntry.isOurs(text) {
                try Files.remove(path)
            }
        }
        return try choices(since: before)
    }

    /// Writes the entry, and the launcher if the command line needs quotes without one.
    private func writeEntry(_ program: String, _ words: [String]) throws -> DesktopEntry {
        let needsQuotes = !([program] + words).allSatisfy(DesktopEntry.isPlain)
        guard needsQuotes, DesktopEntry.isPlain(launcherPath) else {
            let entry = try DesktopEntry(program: program, words)
            try Self.write(entry.text, entryPath)
            if let text = try DesktopFile.text(launcherPath), DesktopEntry.isOurs(text) {
                try Files.remove(launcherPath)
            }
            return entry
        }
        let entry = try DesktopEntry(program: launcherPath, [])
        try Self.write(DesktopEntry.launcher(program, words), launcherPath, mode: 0o755)
        try Self.write(entry.text, entryPath)
        return entry
    }

    /// Says that our entry opens its types where a list takes that away (`/etc/xdg`, for example).
    private func associate() throws {
        let others = DesktopEntry.schemes.filter { opening($0)?.entry.id != DesktopEntry.id }
        guard !others.isEmpty else { return }
        var list = DesktopFile(try DesktopFile.text(choicesPath) ?? "")
        for scheme in others {
            list.prefer(DesktopEntry.id, for: DesktopEntry.type(scheme), in: .added)
        }
        try Self.write(list.text, choicesPath)
    }

    /// The user's lists of choices: for all desktops, and those there are for single ones.
    private func lists() throws -> [String] {
        let folder = Files.parent(of: choicesPath)
        let names = try Files.exists(folder) ? try Files.list(folder) : []
        return [choicesPath]
            + names.filter { $0.hasSuffix("-mimeapps.list") }.map { "\(folder)/\($0)" }
    }

    private func opening(_ scheme: String) -> (entry: HandlerEntry, list: String?)? {
        try? SchemeHandlers().choice(for: scheme)
    }

    /// The program that opens each scheme's links.
    private func opening() throws -> [String: String] {
        var programs: [String: String] = [:]
        for scheme in DesktopEntry.schemes { programs[scheme] = opening(scheme)?.entry.id }
        return programs
    }

    private func choices(since before: [String: String]) throws -> [Choice] {
        DesktopEntry.schemes.map { scheme in
            let now = opening(scheme)
            return Choice(
                scheme: scheme, was: before[scheme], now: now?.entry.id, list: now?.list)
        }
    }

    /// Writes a file, at the end of its symbolic links, unless its content is the same.
    private static func write(_ text: String, _ path: String, mode: UInt32 = 0o644) throws {
        if let there = try DesktopFile.text(path), Text.equal(there, text) { return }
        // An empty list that is not there says the same.
        if try text.isEmpty && !Files.exists(path) { return }
        try Files.createDirectories(Files.parent(of: path), mode: 0o700)
        let place = try place(of: path)
        let mode = try Files.information(place)?.mode ?? mode
        try Files.writeAtomically(place, Array(text.utf8), mode: mode)
    }

    /// Where a file lies that symbolic links may lead to, though there may be no file yet.
    private static func place(of path: String, links: Int = 16) throws -> String {
        if try Files.exists(path) { return try Files.resolved(path) }
        guard let target = try Files.linkTarget(path), links > 0 else { return path }
        let next = target.hasPrefix("/") ? target : "\(Files.parent(of: path))/\(target)"
        guard try Files.exists(Files.parent(of: next)) else {
            throw CommandFailure(
                "linkDangling", .refused,
                "\(CommandFailure.quoted(path)) is a symbolic link into a folder that is not there;"
                    + " make the folder, or remove the link")
        }
        return try place(of: next, links: links - 1)
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

    /// The media types of our schemes.
    static let types = schemes.map(type)

    /// The media type of a URL scheme.
    static func type(_ scheme: String) -> String { "x-scheme-handler/\(scheme)" }

    /// A script that a desktop can run without quotes: it runs the program with its words.
    static func launcher(_ program: String, _ words: [String]) -> String {
        let quoted = ([program] + words).map { "'" + $0.replacing("'", with: #"'\''"#) + "'" }
        return """
            #!/bin/sh
            # Made by `daybook desktop install`, because not every desktop reads quotes in Exec=.
            # \(mark)
            exec \(quoted.joined(separator: " ")) "$@"

            """
    }

    /// Whether a file is our own entry or launcher.
    static func isOurs(_ text: String) -> Bool {
        text.split(whereSeparator: \.isNewline).contains { $0 == mark || $0 == "# \(mark)" }
    }

    /// Whether a word of `Exec` needs no quotes.
    ///
    /// Without a desktop, the `xdg-open` of Debian 12 takes quotes as a part of the program's name.
    static func isPlain(_ word: String) -> Bool {
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
    /// The desktop's handling of clicked links, for `doctor`; nothing unless `install` was called.
    static func findings() throws -> [StoreFinding] {
        guard let desktop = try? Desktop(), let text = try DesktopFile.text(desktop.entryPath),
            DesktopEntry.isOurs(text)
        else { return [] }
        let handlers = SchemeHandlers()
        var others: [String] = []
        for scheme in DesktopEntry.schemes {
            do {
                let (entry, list) = try handlers.choice(for: scheme)
                if entry.id == DesktopEntry.id { continue }
                others.append(
                    "\(scheme): with \(entry.id)" + (list.map { " by \($0)" } ?? ""))
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
