import DaybookCommands
import DaybookEncoding
import DaybookSystem

/// A file of groups with keys, such as `mimeapps.list` or a desktop entry.
///
/// Lines that an edit does not concern stay unchanged, byte for byte.
struct DesktopFile {
    /// The groups that name programs for media types.
    enum Group: String {
        /// The programs that a type is opened with, the preferred one first.
        case defaults = "[Default Applications]"
        /// Programs that can open a type, though their entries do not say so.
        case added = "[Added Associations]"
        /// Programs that are not offered for a type, though their entries name it.
        case removed = "[Removed Associations]"
        /// The types that the entries of a folder name: see `update-desktop-database`.
        case cache = "[MIME Cache]"
        /// What a desktop entry says.
        case entry = "[Desktop Entry]"
    }

    /// Longer files are refused.
    private static let longest = 1 << 20

    private var lines: [String]

    init(_ text: String = "") {
        // Split by scalars, because Swift counts CR LF as one character.
        lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            .map { String($0) }
        if lines.last == "" { lines.removeLast() }
    }

    /// The text of a file; nil if there is none.
    static func text(_ path: String) throws -> String? {
        guard try Files.exists(path) else { return nil }
        guard let text = Text.utf8String(try Files.read(path, limit: longest)) else {
            throw CommandFailure(
                "unreadableFile", .refused, "\(CommandFailure.quoted(path)) is no text")
        }
        return text
    }

    var text: String { lines.map { $0 + "\n" }.joined() }

    /// The value of a key in a group; nil if the group has no such key.
    func value(_ key: String, in group: Group) -> String? {
        place(of: key, in: group).map { Self.trimmed(Self.entry(lines[$0]).value) }
    }

    /// The programs that a group names for a type, in order.
    func programs(for type: String, in group: Group = .defaults) -> [String] {
        value(type, in: group).map(Self.items) ?? []
    }

    /// The items of a list, which semicolons separate.
    static func items(_ value: String) -> [String] {
        value.split(separator: ";").map { trimmed($0) }.filter { !$0.isEmpty }
    }

    /// Puts a program before the others for a type.
    mutating func prefer(_ program: String, for type: String) {
        let line = Self.line(type, [program] + programs(for: type).filter { $0 != program })
        if let place = place(of: type, in: .defaults) {
            lines[place] = line
        } else if let group = range(of: .defaults) {
            lines.insert(line, at: group.lowerBound)
        } else {
            lines += (lines.isEmpty ? [] : [""]) + [Group.defaults.rawValue, line]
        }
    }

    /// Removes a program for a type, and the line and the group if they are empty then.
    mutating func remove(_ program: String, for type: String) {
        let programs = programs(for: type)
        guard let place = place(of: type, in: .defaults), programs.contains(program) else {
            return
        }
        let rest = programs.filter { $0 != program }
        if !rest.isEmpty {
            lines[place] = Self.line(type, rest)
            return
        }
        lines.remove(at: place)
        guard let group = range(of: .defaults), group.isEmpty else { return }
        lines.remove(at: group.lowerBound - 1)
        if lines.last == "" { lines.removeLast() }
    }

    /// The lines below a group's heading, up to the next one.
    private func range(of group: Group) -> Range<Int>? {
        guard let heading = lines.firstIndex(where: { Self.trimmed($0[...]) == group.rawValue })
        else { return nil }
        let end = lines[(heading + 1)...].firstIndex { $0.hasPrefix("[") } ?? lines.count
        return heading + 1..<end
    }

    private func place(of key: String, in group: Group) -> Int? {
        range(of: group).flatMap { lines[$0].firstIndex { Self.entry($0).key == key } }
    }

    private static func line(_ type: String, _ programs: [String]) -> String {
        "\(type)=" + programs.map { $0 + ";" }.joined()
    }

    /// A line's key and value; a comment is a key without a value.
    private static func entry(_ line: String) -> (key: String, value: Substring) {
        let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (trimmed(parts.first ?? ""), parts.count == 2 ? parts[1] : "")
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
