package import DaybookEncoding

/// A text for people, in which only our own words move the cursor or begin a line.
///
/// A literal stands as it is written. What is put into it is data, whoever it came from: a text is
/// escaped there, line breaks included, unless it is such a text itself. So no event, name, path or
/// answer of a node can imitate what a program says. For example:
///
///     let line: TerminalText = "event \(record.type)\n  by \(record.actor)"
///
/// Whatever goes to a terminal goes through `Console`, which takes no other type: a text that was
/// put together as `String` does not compile there, and is escaped where it is put into a literal.
package struct TerminalText: ExpressibleByStringInterpolation, Equatable, Sendable {
    /// What a terminal is given.
    package private(set) var text: String

    package init(stringLiteral literal: String) {
        text = literal
    }

    package init(stringInterpolation parts: Parts) {
        text = parts.text
    }

    fileprivate init(safe text: String) {
        self.text = text
    }

    /// A text of several lines, such as a signed note: each line is escaped alone.
    package init(lines: String) {
        text = lines.split(separator: "\n", omittingEmptySubsequences: false)
            .map { Text.onOneLine(String($0)) }.joined(separator: "\n")
    }

    package static func + (left: TerminalText, right: TerminalText) -> TerminalText {
        TerminalText(safe: left.text + right.text)
    }

    package static func += (left: inout TerminalText, right: TerminalText) {
        left.text += right.text
    }

    /// The pieces of a literal, put together.
    package struct Parts: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity)
        }

        package mutating func appendLiteral(_ literal: String) {
            text += literal
        }

        package mutating func appendInterpolation(_ value: TerminalText) {
            text += value.text
        }

        /// Escapes a text; one that was escaped before comes out the same.
        package mutating func appendInterpolation(_ value: String) {
            text += Text.onOneLine(value)
        }

        package mutating func appendInterpolation(_ value: some BinaryInteger) {
            text += String(value)
        }

        package mutating func appendInterpolation(_ value: some EventID) {
            text += value.description
        }
    }
}

extension Sequence<TerminalText> {
    /// The texts one after the other, with a text between each two.
    package func joined(separator: TerminalText = "") -> TerminalText {
        TerminalText(safe: map(\.text).joined(separator: separator.text))
    }
}
