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
        /// The fields of a desktop entry.
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
    ///
    /// Of repeated groups and keys the last counts, as for GLib and KDE.
    func value(_ key: String, in group: Group) -> String? {
        places(of: key, in: group).last.map { Self.trimmed(Self.entry(lines[$0]).value) }
    }

    /// The programs that a group names for a type, in order.
    func programs(for type: String, in group: Group = .defaults) -> [String] {
        value(type, in: group).map(Self.items) ?? []
    }

    /// The items of a list, which semicolons separate.
    static func items(_ value: some StringProtocol) -> [String] {
        value.split(separator: ";").map { trimmed(Substring($0)) }.filter { !$0.isEmpty }
    }

    /// Puts a program before the others for a type, in each line of a group that has the type.
    ///
    /// Readers differ about the line of a repeated group that counts.
    mutating func prefer(_ program: String, for type: String, in group: Group = .defaults) {
        let others = programs(for: type, in: group).filter { $0 != program }
        let line = Self.line(type, [program] + others)
        let places = places(of: type, in: group)
        for place in places { lines[place] = line }
        guard places.isEmpty else { return }
        if let range = ranges(of: group).first {
            lines.insert(line, at: range.lowerBound)
        } else {
            lines += (lines.isEmpty ? [] : [""]) + [group.rawValue, line]
        }
    }

    /// Removes a program for a type, and lines and groups that are empty then.
    mutating func remove(_ program: String, for type: String, in group: Group = .defaults) {
        for place in places(of: type, in: group).reversed() {
            let programs = Self.items(Self.entry(lines[place]).value)
            guard programs.contains(program) else { continue }
            let rest = programs.filter { $0 != program }
            if !rest.isEmpty {
                lines[place] = Self.line(type, rest)
                continue
            }
            lines.remove(at: place)
            let ranges = ranges(of: group)
            guard let range = ranges.first(where: { $0.lowerBound == place && $0.isEmpty })
            else { continue }
            lines.remove(at: range.lowerBound - 1)
            if lines.last == "" { lines.removeLast() }
        }
    }

    /// The lines below each heading of a group, up to the next heading.
    private func ranges(of group: Group) -> [Range<Int>] {
        let headings = lines.indices.filter { Self.trimmed(lines[$0][...]).hasPrefix("[") }
        return headings.indices.compactMap { index in
            let heading = headings[index]
            guard Self.trimmed(lines[heading][...]) == group.rawValue else { return nil }
            let isLast = index + 1 == headings.count
            return heading + 1..<(isLast ? lines.count : headings[index + 1])
        }
    }

    private func places(of key: String, in group: Group) -> [Int] {
        ranges(of: group).flatMap { range in range.filter { Self.entry(lines[$0]).key == key } }
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
