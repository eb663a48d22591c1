import DaybookEncoding

/// The text that a person sees before a decision, in the order of its importance.
package struct PromptContent: Equatable, Sendable {
    /// One sentence that says what an approval does.
    package var headline = ""
    /// Why the request can't be approved now; nil if it can.
    package var problem: String?
    /// The warnings: a code that stays, and a sentence.
    package var warnings: [ShownLine] = []
    /// The amounts, each a number and its unit: what is paid, the fee, both together.
    package var amounts: [ShownLine] = []
    /// Everything else, the recipient first.
    package var details: [ShownLine] = []

    package init() {}

    /// Everything that is shown, in its order; headline and problem have these names.
    package var lines: [ShownLine] {
        [ShownLine("headline", headline)] + (problem.map { [ShownLine("problem", $0)] } ?? [])
            + warnings + amounts + details
    }

    /// The text of the first line with this name; an amount is given without its unit.
    package subscript(name: String) -> String? {
        if let amount = amounts.first(where: { Text.equal($0.name, name) }) { return amount.number }
        return lines.first { Text.equal($0.name, name) }?.text
    }

    /// Adds a warning with a code of ours and a sentence, which is escaped here.
    package mutating func warn(_ code: String, _ sentence: String) {
        warnings.append(.escaping(code, sentence))
    }

    // MARK: - Headlines

    /// The sentence of a payment, such as `Pay 1.25 DASH to XiUsEX…QHaa`.
    ///
    /// `amount` is nil if the user has yet to enter it.
    package static func payment(of amount: String?, _ asset: String, to recipient: String)
        -> String
    {
        let what = amount.map { "\($0) \(Text.escaped(asset))" }
            ?? "an amount that you enter, in \(Text.escaped(asset)),"
        return "Pay \(what) to \(short(recipient))"
    }

    /// A text for a headline: the beginning and the end of a long one. The details have it whole.
    package static func short(_ text: String, longest: Int = 16) -> String {
        let shown = Text.escaped(text)
        guard shown.count > longest else { return shown }
        return "\(shown.prefix(6))…\(shown.suffix(4))"
    }
}

/// One line of a prompt: a fixed name, and a text that is safe to print.
package struct ShownLine: Equatable, Sendable {
    /// A fixed name, never a caller's text.
    package let name: String
    /// The escaped text.
    package let text: String

    /// A line with a text that is escaped already.
    package init(_ name: String, _ text: String) {
        self.name = name
        self.text = text
    }

    /// The number of a line with an amount.
    package var number: String {
        String(decoding: text.utf8.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
    }

    /// The unit of a line with an amount.
    package var unit: String {
        String(decoding: text.utf8.dropFirst(number.utf8.count + 1), as: UTF8.self)
    }

    /// A line with any text, which is escaped here.
    package static func escaping(_ name: String, _ text: String) -> ShownLine {
        ShownLine(name, Text.escaped(text))
    }

    /// A line with an amount and its unit, such as `1.25 DASH`.
    package init(_ name: String, _ amount: String, unit: String) {
        self.init(name, "\(amount) \(Text.escaped(unit))")
    }

    /// Whether names and texts are the same bytes.
    package static func == (left: ShownLine, right: ShownLine) -> Bool {
        Text.equal(left.name, right.name) && Text.equal(left.text, right.text)
    }
}

/// The size limits of a prompt; a transaction that exceeds them is refused, never shortened.
package enum ShownLimits {
    /// The maximum number of lines.
    package static let lines = 200
    /// The maximum size of all names and texts together.
    package static let bytes = 65_536
    /// The maximum size of one escaped text; hexadecimal data and messages may be longer.
    package static let textBytes = 2_048

    /// Whether the content of a prompt is within the limits.
    package static func hold(_ content: PromptContent) -> Bool {
        let lines = content.lines
        guard lines.count <= Self.lines else { return false }
        return lines.reduce(0) { $0 + $1.name.utf8.count + $1.text.utf8.count } <= bytes
    }

    /// Whether a caller's text can be shown: it is short, or hexadecimal data.
    package static func hold(_ text: String) -> Bool {
        text.utf8.count <= textBytes
            || (text.utf8.starts(with: "0x".utf8)
                && text.utf8.dropFirst(2).allSatisfy(ICONInteger.isDigit))
    }
}
