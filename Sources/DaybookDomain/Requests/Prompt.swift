package import DaybookChains
import DaybookCrypto
package import DaybookEncoding

/// What a user is shown before deciding: named lines with escaped texts.
///
/// A decision carries the digest of the prompt that was shown. When it arrives, the prompt is made
/// again from the state at that time, and the decision counts only if the digests are equal.
package struct Prompt: Equatable, Sendable {
    private let content: Content
    /// The terms that an approval signs; the lines show all of them.
    ///
    /// Nil if nothing is signed, or if an amount, coins or a price is missing.
    package let terms: Terms?
    /// Whether the request does not fit in a prompt, so that nobody can approve it.
    package let isIncomplete: Bool

    package init(_ lines: [Line], terms: Terms? = nil, isIncomplete: Bool = false) {
        content = .made(lines)
        self.terms = terms
        self.isIncomplete = isIncomplete
    }

    /// The lines as values, or as a slice of an event, which is decoded only if somebody reads it.
    private enum Content: Sendable {
        case made([Line])
        case recorded(EncodedItems)
    }

    package var lines: [Line] {
        switch content {
        case .made(let lines): lines
        case .recorded(let lines): lines.compactMap(Self.line)
        }
    }

    /// One line: a fixed name, and a text that is safe to print.
    package typealias Line = ShownLine

    /// Whether two prompts show the same lines.
    package static func == (left: Prompt, right: Prompt) -> Bool { left.lines == right.lines }

    /// The text of the line with this name.
    package subscript(name: String) -> String? {
        lines.first { $0.name == name }?.text
    }

    /// SHA-256 of the prompt's canonical bytes.
    package var digest: Bytes {
        SHA256.hash(coded.encoded())
    }

    package var coded: CBOR {
        .record([
            "lines": .list(lines) { .array([.text($0.name), .text($0.text)]) }
        ])
    }

    /// Decodes a recorded prompt: its lines alone.
    package init(_ fields: Fields) throws(FieldError) {
        let lines = try fields.items("lines", expecting: "a pair of texts", \.isPairOfTexts)
        content = lines.map(Content.recorded) ?? .made([])
        terms = nil
        isIncomplete = false
    }

    /// Decodes a line.
    private static func line(_ record: EncodedCBOR) -> Line? {
        guard var pair = record.items, let name = pair.next()?.textValue,
            let text = pair.next()?.textValue
        else { return nil }
        return Line(name, text)
    }
}
