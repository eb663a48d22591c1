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
    /// The text to print, without colours.
    package private(set) var text: String
    /// The same with colours; nil if no part has one.
    private var colored: String?

    package init(stringLiteral literal: String) {
        text = literal
    }

    package init(stringInterpolation parts: Parts) {
        self = parts.text
    }

    fileprivate init(safe text: String, colored: String? = nil) {
        self.text = text
        self.colored = colored
    }

    /// A text of several lines, such as a signed note; each line is escaped.
    package init(lines: String) {
        text = lines.split(separator: "\n", omittingEmptySubsequences: false)
            .map { Text.onOneLine(String($0)) }.joined(separator: "\n")
    }

    /// The text for a stream that shows colours, or for one that does not.
    package func text(colored isColored: Bool) -> String {
        isColored ? colored ?? text : text
    }

    package static func + (left: TerminalText, right: TerminalText) -> TerminalText {
        var sum = left
        sum += right
        return sum
    }

    package static func += (left: inout TerminalText, right: TerminalText) {
        if left.colored != nil || right.colored != nil {
            left.colored = left.text(colored: true) + right.text(colored: true)
        }
        left.text += right.text
    }

    /// The meaning of a colour; the words say it too, because many users see no colours.
    package enum Style: String, Sendable {
        case heading = "1"
        case good = "32"
        case bad = "31"
        case waiting = "33"
    }

    /// The text in a colour (ECMA-48, Select Graphic Rendition) on terminals that show colours.
    package func styled(_ style: Style?) -> TerminalText {
        guard let style, !text.isEmpty else { return self }
        return TerminalText(safe: text, colored: "\u{1b}[\(style.rawValue)m\(text)\u{1b}[0m")
    }

    /// Collects the parts of an interpolated literal.
    package struct Parts: StringInterpolationProtocol {
        fileprivate var text = TerminalText(safe: "")

        package init(literalCapacity: Int, interpolationCount: Int) {
            text.text.reserveCapacity(literalCapacity)
        }

        package mutating func appendLiteral(_ literal: String) {
            text += TerminalText(safe: literal)
        }

        package mutating func appendInterpolation(_ value: TerminalText) {
            text += value
        }

        /// Escapes a text; escaping an escaped text changes nothing.
        package mutating func appendInterpolation(_ value: String) {
            text += TerminalText(safe: Text.onOneLine(value))
        }

        package mutating func appendInterpolation(_ value: some BinaryInteger) {
            text += TerminalText(safe: String(value))
        }

        package mutating func appendInterpolation(_ value: some EventID) {
            text += TerminalText(safe: value.description)
        }
    }
}

extension Sequence<TerminalText> {
    /// Joins the texts, with a separator between them.
    package func joined(separator: TerminalText = "") -> TerminalText {
        var whole = TerminalText(safe: "")
        for (index, text) in enumerated() {
            if index > 0 { whole += separator }
            whole += text
        }
        return whole
    }
}
