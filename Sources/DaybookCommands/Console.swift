package import DaybookEncoding
package import DaybookSystem

/// Where a command's words go: results to standard output, everything else to standard error.
package struct Console: Sendable {
    /// Whether the results are wanted as JSON.
    package let isJSON: Bool

    /// Whether anything was printed to standard output.
    private let printed = Monitor(false)

    package init(isJSON: Bool) {
        self.isJSON = isJSON
    }

    /// Whether whoever reads standard output has got a result of it.
    var hasPrinted: Bool { printed.change { $0 } }

    /// Prints a result: a JSON object on a line of its own, or the text; only one is made.
    package func result(
        _ json: @autoclosure () throws -> JSON, _ text: @autoclosure () throws -> TerminalText
    ) throws {
        let line = try isJSON ? Self.line(json()) : text().text
        try StandardStreams.write(line + "\n", to: .output)
        printed.change { $0 = true }
    }

    /// Prints a line for people only.
    package func text(_ line: TerminalText) throws(SystemError) {
        if !isJSON { try StandardStreams.write(line.text + "\n", to: .output) }
    }

    /// Prints a message beside the results.
    package func note(_ line: TerminalText) throws(SystemError) {
        try StandardStreams.write(line.text + "\n", to: .error)
    }

    /// Prints a result beside the results, where standard output holds something else.
    package func aside(_ json: JSON, _ text: TerminalText) throws(SystemError) {
        try StandardStreams.write((isJSON ? Self.line(json) : text.text) + "\n", to: .error)
    }

    /// Prints a question, behind which the answer is typed.
    package func ask(_ question: TerminalText) throws(SystemError) {
        try StandardStreams.write(question.text, to: .error)
    }

    /// A JSON value on one line, as a terminal may show it: nothing hidden in it stays raw.
    package static func line(_ json: JSON) -> String {
        json.text(escapingHidden: true)
    }

    /// Names and texts, one pair a line, aligned.
    ///
    /// Both are escaped. A text that is too long for `columns` goes on below itself: where the
    /// terminal broke it, its rest could pass for a pair of its own. So does a name; where the
    /// names leave no room, each text stands below its name. Texts of `whole` are to be copied and
    /// stay whole.
    package static func table(
        _ pairs: [(String, String)], indent: String = "  ", columns: Int? = nil,
        whole: [String] = []
    ) -> TerminalText {
        let pairs = pairs.map { (Text.onOneLine($0.0), Text.onOneLine($0.1)) }
        let width = pairs.map { Self.width(of: $0.0) }.max() ?? 0
        let room = columns.map { $0 - indent.utf8.count - width - 2 } ?? .max
        let lines = pairs.flatMap { name, text -> [String] in
            let isWhole = whole.contains { Text.equal($0, name) }
            guard let columns, room < leastRoom else {
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

    /// With less room than this, a text stands below its name.
    private static let leastRoom = 24

    /// How wide a text can be at most: what is not ASCII may be as wide as two columns.
    private static func width(of text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + ($1.isASCII ? 1 : 2) }
    }

    /// The text in pieces that are no wider than `room`.
    ///
    /// It is broken between code points, because one letter can have any number of accents.
    private static func folded(_ text: String, to room: Int) -> [String] {
        guard width(of: text) > room else { return [text] }
        var pieces = [""]
        var used = 0
        for scalar in text.unicodeScalars {
            let width = scalar.isASCII ? 1 : 2
            if used + width > room, used > 0 {
                pieces.append("")
                used = 0
            }
            pieces[pieces.count - 1].unicodeScalars.append(scalar)
            used += width
        }
        return pieces
    }

    /// Rows of texts in columns, escaped and aligned; the columns named in `right` to the right.
    package static func columns(_ rows: [[String]], right: [Int] = []) -> TerminalText {
        let rows = rows.map { $0.map(Text.onOneLine) }
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            let cells = row.indices.map { column in
                let gap = String(repeating: " ", count: widths[column] - row[column].count)
                return right.contains(column) ? gap + row[column] : row[column] + gap
            }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return "\(line)"
        }.joined(separator: "\n")
    }
}
