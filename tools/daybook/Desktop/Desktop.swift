import DaybookCommands
import DaybookEncoding
import DaybookSystem

/// The user's desktop, as far as it is about which program opens a link.
///
/// Nothing but two files is read and written, so that no tool of a desktop need be there.
struct Desktop {
    /// Where the entry lies, or is to lie.
    let entryPath: String
    /// The file in which the user's choices stand.
    let choicesPath: String

    /// What a desktop would call one scheme's links with.
    struct Choice {
        let scheme: String
        /// The program that came first before; nil if the user had chosen none.
        let was: String?
        let now: String?
    }

    /// No file of these is longer in earnest.
    private static let longest = 1 << 20

    /// The desktop of whoever runs the program.
    init() throws(CommandFailure) {
        func folder(_ variable: String, else path: String) throws(CommandFailure) -> String {
            // A relative path is to be ignored, says the base directory specification.
            if let value = Environment.value(variable), value.hasPrefix("/") { return value }
            guard let home = Environment.value("HOME"), home.hasPrefix("/") else {
                throw .usage("whose desktop? set HOME, or \(variable)")
            }
            return "\(home)/\(path)"
        }
        entryPath = try folder("XDG_DATA_HOME", else: ".local/share")
            + "/applications/\(DesktopEntry.id)"
        choicesPath = try folder("XDG_CONFIG_HOME", else: ".config") + "/mimeapps.list"
    }

    /// Makes an entry the first choice for all of our schemes.
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
        // A choice of an entry that is not there is passed over: so the entry comes first.
        try Self.write(entry.text, entryPath)
        try Self.write(choices.text, choicesPath)
        return made
    }

    /// Takes back what `install` did; whoever came second comes first again.
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

    private func choices() throws -> DefaultApplications {
        DefaultApplications(try Self.text(choicesPath) ?? "")
    }

    private static func text(_ path: String) throws -> String? {
        guard try Files.exists(path) else { return nil }
        guard let text = Text.utf8String(try Files.read(path, limit: longest)) else {
            throw CommandFailure(
                "unreadableFile", .refused, "\(CommandFailure.quoted(path)) is no text")
        }
        return text
    }

    /// Writes a file that may be a link to where the user keeps it; one that is the same stays.
    private static func write(_ text: String, _ path: String) throws {
        if let there = try Self.text(path), Text.equal(there, text) { return }
        try Files.createDirectories(Files.parent(of: path), mode: 0o700)
        let place = try Files.exists(path) ? try Files.resolved(path) : path
        let mode = try Files.information(place)?.mode ?? 0o644
        try Files.writeAtomically(place, Array(text.utf8), mode: mode)
    }
}
