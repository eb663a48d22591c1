package import DaybookChains
import DaybookCrypto
package import DaybookEncoding

/// What a user is shown before deciding: named lines with escaped texts.
///
/// A decision carries the digest of the prompt that was shown. When it arrives, the prompt is made
/// again from the state at that time, and the decision counts only if the digests are equal.
package struct Prompt: Recorded, Equatable, Sendable {
    private let content: RecordedLines
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

    package var lines: [Line] { content.all }

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
        SHA256.hash(encoded())
    }

    /// Decodes a recorded prompt: its lines alone.
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        content = try coder.lines("lines", value?.content)
        terms = nil
        isIncomplete = false
    }
}
