package import DaybookEncoding
package import DaybookSystem

/// A command's output: results go to standard output, everything else to standard error.
package struct Console: Sendable {
    /// Whether results are printed as JSON.
    package let isJSON: Bool

    /// Whether anything was printed to standard output.
    private let printed = Monitor(false)

    package init(isJSON: Bool) {
        self.isJSON = isJSON
    }

    /// Whether a result was printed to standard output.
    var hasPrinted: Bool { printed.change { $0 } }

    /// Prints a result as a line of JSON or as text; only the printed one is evaluated.
    package func result(
        _ json: @autoclosure () throws -> JSON, _ text: @autoclosure () throws -> TerminalText
    ) throws {
        let line = try isJSON
            ? Self.line(json()) : text().text(colored: Colors.areShown(on: .output))
        try StandardStreams.write(line + "\n", to: .output)
        printed.change { $0 = true }
    }

    /// Prints a line, unless the output is JSON.
    package func text(_ line: TerminalText) throws(SystemError) {
        if isJSON { return }
        let text = line.text(colored: Colors.areShown(on: .output))
        try StandardStreams.write(text + "\n", to: .output)
    }

    /// Prints a message to standard error.
    package func note(_ line: TerminalText) throws(SystemError) {
        let text = line.text(colored: !isJSON && Colors.areShown(on: .error))
        try StandardStreams.write(text + "\n", to: .error)
    }

    /// Prints a result to standard error, because standard output is used for something else.
    package func aside(_ json: JSON, _ text: TerminalText) throws(SystemError) {
        try StandardStreams.write((isJSON ? Self.line(json) : text.text) + "\n", to: .error)
    }

    /// Prints a question without a line break.
    package func ask(_ question: TerminalText) throws(SystemError) {
        try StandardStreams.write(question.text, to: .error)
    }

    /// A JSON value on one line, with control and invisible characters escaped.
    package static func line(_ json: JSON) -> String {
        json.text(escapingHidden: true)
    }

    /// Formats pairs of names and texts, one pair a line, escaped and aligned.
    ///
    /// A name or text that is too long for `columns` is continued in its own column; if the
    /// terminal broke the line, the rest could look like another pair. If the names leave too
    /// little room, each text is put below its name. The texts of names in `whole` are not broken,
    /// so that they can be copied.
    package static func table(
        _ pairs: [(String, String)], indent: String = "  ", columns: Int? = nil,
        whole: [String] = []
    ) -> TerminalText {
        let pairs = pairs.map { (Text.onOneLine($0.0), Text.onOneLine($0.1)) }
        let width = pairs.map { Self.width(of: $0.0) }.max() ?? 0
        let room = columns.map { $0 - indent.utf8.count - width - 2 } ?? .max
        let lines = pairs.flatMap { name, text -> [String] in
            let isWhole = whole.contains { Text.equal($0, name) }
            guard let columns, room < minimumRoom else {
                let gap = String(repeating: " ", count: width - Self.width(of: name) + 2)
                let margin = indent + String(repeating: " ", count: width + 2)
                let pieces = isWhole ? [text] : folded(text, to: room)
                return pieces.enumerated().map {
                    ($0.offset == 0 ? indent + name + gap : margin) + $0.element
                }
            }
            let inner = indent + indent
            let names = folded(name, to: columns - indent.utf8.count)
            let texts = isWhole ? [text] : folded(text, to: columns - inner.utf8.count)
            return names.map { indent + $0 } + texts.map { inner + $0 }
        }
        return lines.map { "\($0)" as TerminalText }.joined(separator: "\n")
    }

    /// With less room than this, texts are put below their names.
    private static let minimumRoom = 24

    /// The maximum width of a text; characters other than ASCII count as two columns.
    private static func width(of text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + ($1.isASCII ? 1 : 2) }
    }

    /// Splits a text into pieces that are no wider than `room`.
    ///
    /// It is split after a blank, or else between code points, because a letter can have any number
    /// of accents.
    package static func folded(_ text: String, to room: Int) -> [String] {
        guard width(of: text) > room else { return [text] }
        var pieces = [""]
        var used = 0
        for scalar in text.unicodeScalars {
            let width = scalar.isASCII ? 1 : 2
            if used + width > room, used > 0 {
                let last = pieces[pieces.count - 1]
                let word = last.lastIndex(of: " ").map { last[last.index(after: $0)...] } ?? ""
                pieces[pieces.count - 1].removeLast(word.count)
                pieces.append(String(word))
                used = Self.width(of: String(word))
            }
            pieces[pieces.count - 1].unicodeScalars.append(scalar)
            used += width
        }
        return pieces
    }

    /// Formats rows in columns, escaped and aligned; the columns in `right` are right-aligned.
    ///
    /// The first row is the heading.
    package static func columns(_ rows: [[String]], right: [Int] = []) -> TerminalText {
        let rows = rows.map { $0.map(Text.onOneLine) }
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.enumerated().map { index, row in
            let cells = row.indices.map { column in
                let gap = String(repeating: " ", count: widths[column] - row[column].count)
                return right.contains(column) ? gap + row[column] : row[column] + gap
            }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return ("\(line)" as TerminalText).styled(index == 0 ? .heading : nil)
        }.joined(separator: "\n")
    }
}

/// Whether colours are shown: on terminals, unless the user says otherwise.
package enum Colors {
    /// Whether a stream is a terminal that shows colours.
    ///
    /// See https://no-color.org for `NO_COLOR`; a terminal named `dumb` would print the codes.
    package static func areShown(on stream: StandardStreams.Output) -> Bool {
        areWanted(EnvironmentVariables.value) && Terminal.isTerminal(stream.rawValue)
    }

    static func areWanted(_ variable: (String) -> String?) -> Bool {
        (variable("NO_COLOR") ?? "").isEmpty && isCapable(variable)
    }

    /// Whether the terminal takes the codes of ECMA-48, by the name that it has in `TERM`.
    static func isCapable(_ variable: (String) -> String?) -> Bool {
        !["", "dumb"].contains(variable("TERM") ?? "")
    }
}
