package import DaybookEncoding
package import DaybookSystem

/// Where a command's words go: results to standard output, everything else to standard error.
package struct Console: Sendable {
    /// Whether the results are wanted as JSON.
    package let isJSON: Bool

    package init(isJSON: Bool) {
        self.isJSON = isJSON
    }

    /// Prints a result: a JSON object on a line of its own, or the text; only one is made.
    package func result(
        _ json: @autoclosure () throws -> JSON, _ text: @autoclosure () throws -> TerminalText
    ) throws {
        let line = try isJSON ? Self.line(json()) : text().text
        try StandardStreams.write(line + "\n", to: .output)
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
    /// terminal broke it, its rest could pass for a pair of its own. Those of `whole` are to be
    /// copied and stay whole.
    package static func table(
        _ pairs: [(String, String)], indent: String = "  ", columns: Int? = nil,
        whole: [String] = []
    ) -> TerminalText {
        let pairs = pairs.map { (Text.onOneLine($0.0), Text.onOneLine($0.1)) }
        let width = pairs.map(\.0.count).max() ?? 0
        let margin = indent + String(repeating: " ", count: width + 2)
        return pairs.map { name, text in
            let room = columns.map { max($0 - margin.count, 16) } ?? .max
            let isWhole = whole.contains { Text.equal($0, name) }
            let lines = isWhole ? [text] : folded(text, to: room)
            let head = indent + name + String(repeating: " ", count: width - name.count) + "  "
            return lines.enumerated().map { "\($0.offset == 0 ? head : margin)\($0.element)" }
                .joined(separator: "\n")
        }.joined(separator: "\n")
    }

    /// The text in pieces that are no wider than `room`, if what is not ASCII is as wide as two.
    private static func folded(_ text: String, to room: Int) -> [String] {
        var pieces = [""]
        var used = 0
        for character in text {
            let width = character.isASCII ? 1 : 2
            if used + width > room {
                pieces.append("")
                used = 0
            }
            pieces[pieces.count - 1].append(character)
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
