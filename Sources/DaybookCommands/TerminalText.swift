package import DaybookEncoding

/// A text that is safe to print on a terminal, because interpolated data is escaped.
///
/// A literal is printed as it is. An interpolated `String` is escaped, including its line breaks;
/// an interpolated `TerminalText` is not. So no event, name, path or node's answer can imitate
/// output of the program. For example:
///
///     let line: TerminalText = "event \(record.type)\n  by \(record.actor)"
///
/// All output goes through `Console`, which accepts no `String`, only this type.
package struct TerminalText: ExpressibleByStringInterpolation, Equatable, Sendable {
    /// The text to print.
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

    /// A text of several lines, such as a signed note; each line is escaped.
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

    /// Collects the parts of an interpolated literal.
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

        /// Escapes a text; escaping an escaped text changes nothing.
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
    /// Joins the texts, with a separator between them.
    package func joined(separator: TerminalText = "") -> TerminalText {
        TerminalText(safe: map(\.text).joined(separator: separator.text))
    }
}
