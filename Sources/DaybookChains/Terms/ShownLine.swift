import DaybookEncoding

/// One line that a user is shown: a fixed name of ours, and a text that is safe to print.
package struct ShownLine: Equatable, Sendable {
    /// A name of ours: never a caller's text.
    package let name: String
    /// The text, escaped already.
    package let text: String

    /// A line of a text that is escaped already.
    package init(_ name: String, _ text: String) {
        self.name = name
        self.text = text
    }

    /// A line of any text, which is escaped here.
    package static func escaping(_ name: String, _ text: String) -> ShownLine {
        ShownLine(name, Text.escaped(text))
    }

    /// Whether names and texts are the same bytes.
    package static func == (left: ShownLine, right: ShownLine) -> Bool {
        Text.equal(left.name, right.name) && Text.equal(left.text, right.text)
    }
}

/// How much a prompt may show; what needs more is refused, never shortened.
package enum ShownLimits {
    /// The most lines of a prompt.
    package static let lines = 200
    /// The most bytes of all names and texts together.
    package static let bytes = 65_536
    /// The most bytes of one text, escaped; plain hexadecimal data and messages may be longer.
    package static let textBytes = 2_048

    /// Whether lines can be shown: neither too many, nor too long together.
    package static func hold(_ lines: [ShownLine]) -> Bool {
        guard lines.count <= Self.lines else { return false }
        return lines.reduce(0) { $0 + $1.name.utf8.count + $1.text.utf8.count } <= bytes
    }

    /// Whether a caller's text can be shown on a line: it is short, or plain hexadecimal data.
    package static func hold(_ text: String) -> Bool {
        text.utf8.count <= textBytes
            || (text.utf8.starts(with: "0x".utf8)
                && text.utf8.dropFirst(2).allSatisfy(ICONInteger.isDigit))
    }
}
