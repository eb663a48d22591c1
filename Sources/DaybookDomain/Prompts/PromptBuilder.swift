import DaybookChains
import DaybookEncoding

/// Collects the content of a prompt.
struct PromptBuilder {
    let rules: Rules
    private(set) var content = PromptContent()
    private var isIncomplete = false
    /// The terms that an approval agrees to, once the content shows all of them.
    var terms: Terms?

    /// A prompt without content, in the words of some rules.
    init(_ rules: Rules) { self.rules = rules }

    mutating func headline(_ sentence: String) { content.headline = sentence }

    /// Says why the request can't be approved now; the first reason counts.
    mutating func problem(_ reason: String) {
        guard content.problem == nil, let shown = shown(reason) else { return }
        content.problem = shown
    }

    mutating func problem(_ refusal: Refusal) { problem(refusal.reason(by: rules)) }

    /// Adds a detail; a text that is too long to be shown whole makes the prompt incomplete.
    mutating func add(_ name: String, _ text: String) {
        guard let shown = shown(text) else { return }
        content.details.append(ShownLine(name, shown))
    }

    mutating func add(_ details: [ShownLine]) { content.details += details }

    mutating func add(amount: ShownLine) { content.amounts.append(amount) }

    /// Adds a warning with a code of ours.
    mutating func warn(_ code: String, _ sentence: String) {
        guard let shown = shown(sentence) else { return }
        content.warnings.append(ShownLine(code, shown))
    }

    /// Adds the warnings about terms.
    mutating func warn(of terms: Terms, _ context: TermsContext) { terms.warn(context, &content) }

    /// Adds the content of terms; nil means that they can't be shown.
    mutating func add(_ made: PromptContent?) {
        guard let made else { return isIncomplete = true }
        content.headline = made.headline
        content.amounts += made.amounts
        content.details += made.details
    }

    /// Adds a text of the sender's. A protocol may give it no other name than these two.
    mutating func add(_ note: Request.Note) {
        guard ["label", "message"].contains(note.name) else { return isIncomplete = true }
        add("sender's \(note.name)", note.text)
    }

    /// The escaped text; nil if it is too long to be shown whole, so that the prompt is incomplete.
    private mutating func shown(_ text: String) -> String? {
        let shown = Text.escaped(text)
        guard ShownLimits.hold(shown) else {
            isIncomplete = true
            return nil
        }
        return shown
    }

    /// The prompt of this content, or a prompt that says that it can't be shown whole.
    var prompt: Prompt {
        guard !isIncomplete, ShownLimits.hold(content) else {
            var refusal = PromptContent()
            refusal.headline = rules.sentences.cannotBeShown
            refusal.problem = Text.escaped(Refusal(.cannotBeShown).reason(by: rules))
            return Prompt(refusal, isIncomplete: true)
        }
        return Prompt(content, terms: terms)
    }
}
