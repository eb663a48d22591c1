package import DaybookChains
import DaybookCrypto
package import DaybookEncoding

/// The text that a user sees before deciding: a sentence, warnings, amounts, details, all escaped.
///
/// A decision carries the digest of the prompt that was shown. When it arrives, the prompt is made
/// again from the state at that time, and the decision counts only if the digests are equal.
package struct Prompt: Recorded, Equatable, Sendable {
    private let headline: String
    private let problem: String?
    private let warnings: RecordedLines
    private let amounts: RecordedLines
    private let details: RecordedLines
    /// The terms that an approval signs; the content shows all of them.
    ///
    /// Nil if nothing is signed, or if an amount, coins or a price is missing.
    package let terms: Terms?
    /// Whether the request does not fit in a prompt, so that nobody can approve it.
    package let isIncomplete: Bool
    /// The digest of a prompt that was made, which is asked for several times; nil of others.
    private var known: Bytes?

    package init(_ content: PromptContent, terms: Terms? = nil, isIncomplete: Bool = false) {
        headline = content.headline
        problem = content.problem
        warnings = .made(content.warnings)
        amounts = .made(content.amounts)
        details = .made(content.details)
        self.terms = terms
        self.isIncomplete = isIncomplete
        known = SHA256.hash(encoded())
    }

    /// The content.
    package var content: PromptContent {
        var content = PromptContent()
        content.headline = headline
        content.problem = problem
        content.warnings = warnings.all
        content.amounts = amounts.all
        content.details = details.all
        return content
    }

    /// Everything that is shown, in its order.
    package var lines: [ShownLine] { content.lines }

    /// Whether two prompts show the same.
    package static func == (left: Prompt, right: Prompt) -> Bool { left.content == right.content }

    /// The text of the line with this name; an amount is given without its unit.
    package subscript(name: String) -> String? { content[name] }

    /// SHA-256 of the prompt's canonical bytes.
    package var digest: Bytes { known ?? SHA256.hash(encoded()) }

    /// Decodes a recorded prompt: its content alone.
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        amounts = try coder.lines("amounts", value?.amounts)
        details = try coder.lines("details", value?.details)
        problem = try coder.optional("problem", value?.problem)
        headline = try coder.field("headline", value?.headline)
        warnings = try coder.lines("warnings", value?.warnings)
        terms = nil
        isIncomplete = false
    }
}
