package import DaybookChains
import DaybookCrypto
package import DaybookEncoding

/// What a user is shown before deciding: named lines, every text already escaped.
///
/// A decision carries the digest of the prompt that was shown. When it arrives, the prompt is made
/// again from the state of that moment, and the decision counts only if the digests are equal.
package struct Prompt: Equatable, Sendable {
    private let content: Content
    /// What an approval agrees to, where it signs a transaction: the lines show all of it.
    ///
    /// Nil where nothing is signed, or where something is missing: an amount, coins, a price.
    package let terms: Terms?
    /// Whether the request is more than a prompt may show; nobody can approve it then.
    package let isIncomplete: Bool

    package init(_ lines: [Line], terms: Terms? = nil, isIncomplete: Bool = false) {
        content = .made(lines)
        self.terms = terms
        self.isIncomplete = isIncomplete
    }

    /// The lines in the making, or where they lie in an event, which few readers want to see.
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

    /// One line: a fixed name of ours, and a text that is safe to print.
    package typealias Line = ShownLine

    /// Whether the same is shown: the lines say all.
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

    /// The prompt as it was recorded: its lines.
    package init(_ fields: Fields) throws(FieldError) {
        let lines = try fields.items("lines", expecting: "a pair of texts", Self.isLine)
        content = lines.map(Content.recorded) ?? .made([])
        terms = nil
        isIncomplete = false
    }

    private static func isLine(_ record: EncodedCBOR) -> Bool {
        guard var pair = record.items, pair.count == 2 else { return false }
        return pair.next()?.isText == true && pair.next()?.isText == true
    }

    /// A line as it was recorded.
    private static func line(_ record: EncodedCBOR) -> Line? {
        guard var pair = record.items, let name = pair.next()?.textValue,
            let text = pair.next()?.textValue
        else { return nil }
        return Line(name, text)
    }
}
