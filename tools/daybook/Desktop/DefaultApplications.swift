/// Which programs open what, by the MIME applications specification: a user's `mimeapps.list`.
///
/// Lines that are not about what is asked stay as they are, to the byte.
struct DefaultApplications {
    private static let heading = "[Default Applications]"

    private var lines: [String]

    init(_ text: String = "") {
        // By scalars: for Swift a line that ends as on Windows ends with another character.
        lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            .map { String($0) }
        if lines.last == "" { lines.removeLast() }
    }

    var text: String { lines.map { $0 + "\n" }.joined() }

    /// The programs for a type, the one to take first.
    func programs(for type: String) -> [String] {
        guard let place = place(of: type) else { return [] }
        return Self.entry(lines[place]).value.split(separator: ";").map { Self.trimmed($0) }
            .filter { !$0.isEmpty }
    }

    /// Puts a program before all others for a type; those stay for when it has gone.
    mutating func prefer(_ program: String, for type: String) {
        let line = Self.line(type, [program] + programs(for: type).filter { $0 != program })
        if let place = place(of: type) {
            lines[place] = line
        } else if let group {
            lines.insert(line, at: group.lowerBound)
        } else {
            lines += (lines.isEmpty ? [] : [""]) + [Self.heading, line]
        }
    }

    /// Takes a program out for a type, and the line and the group that are empty then.
    mutating func remove(_ program: String, for type: String) {
        let programs = programs(for: type)
        guard let place = place(of: type), programs.contains(program) else { return }
        let rest = programs.filter { $0 != program }
        if !rest.isEmpty {
            lines[place] = Self.line(type, rest)
            return
        }
        lines.remove(at: place)
        guard let group, group.isEmpty else { return }
        lines.remove(at: group.lowerBound - 1)
        if lines.last == "" { lines.removeLast() }
    }

    /// The lines below the heading, up to the next one.
    private var group: Range<Int>? {
        guard let heading = lines.firstIndex(where: { Self.trimmed($0[...]) == Self.heading })
        else { return nil }
        let end = lines[(heading + 1)...].firstIndex { $0.hasPrefix("[") } ?? lines.count
        return heading + 1..<end
    }

    private func place(of type: String) -> Int? {
        group.flatMap { lines[$0].firstIndex { Self.entry($0).key == type } }
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
