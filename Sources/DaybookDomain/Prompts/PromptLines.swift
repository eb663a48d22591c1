import DaybookChains
import DaybookEncoding

/// Collects the lines of a prompt.
struct PromptLines {
    private var lines: [ShownLine] = []
    private var isIncomplete = false
    /// The terms that an approval agrees to, once the lines show all of them.
    var terms: Terms?

    /// Adds a line; a text that is too long to be shown whole makes the prompt incomplete.
    mutating func add(_ name: String, _ text: String) {
        let shown = Text.escaped(text)
        guard ShownLimits.hold(shown) else { return isIncomplete = true }
        lines.append(ShownLine(name, shown))
    }

    /// Adds finished lines; nil means that they can't be shown.
    mutating func add(_ made: (some Sequence<ShownLine>)?) {
        guard let made else { return isIncomplete = true }
        lines += made
    }

    /// Adds a text of the sender's. A protocol may give it no other name than these two.
    mutating func add(_ note: Request.Note) {
        guard ["label", "message"].contains(note.name) else { return isIncomplete = true }
        add("sender's \(note.name)", note.text)
    }

    mutating func add(amount: UInt256, decimals: Int, asset: String) {
        add("asset", asset)
        add("amount", DecimalAmount.format(amount, decimals: decimals))
        add("minor", amount.decimal)
    }

    /// The prompt of these lines, or a prompt that says that it can't be shown whole.
    var prompt: Prompt {
        guard !isIncomplete, ShownLimits.hold(lines) else {
            let problem = ShownLine.escaping("problem", Refusal(.cannotBeShown).reason)
            return Prompt(lines.prefix(1) + [problem], isIncomplete: true)
        }
        return Prompt(lines, terms: terms)
    }
}
