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

/// Lines of a prompt in the making.
struct PromptLines {
    private var lines: [ShownLine] = []
    private var isIncomplete = false
    /// What an approval agrees to, once the lines show all of it.
    var terms: Terms?

    /// Adds a line; a text that is too long to be shown whole makes the prompt incomplete.
    mutating func add(_ name: String, _ text: String) {
        let shown = Text.escaped(text)
        guard ShownLimits.hold(shown) else { return isIncomplete = true }
        lines.append(ShownLine(name, shown))
    }

    /// Adds lines that are made already; none means that they can't be shown.
    mutating func add(_ made: (some Sequence<ShownLine>)?) {
        guard let made else { return isIncomplete = true }
        lines += made
    }

    /// Adds a text of the sender's; protocols give them no other names than these.
    mutating func add(_ note: Request.Note) {
        guard ["label", "message"].contains(note.name) else { return isIncomplete = true }
        add("sender's \(note.name)", note.text)
    }

    mutating func add(amount: UInt256, decimals: Int, asset: String) {
        add("asset", asset)
        add("amount", DecimalAmount.format(amount, decimals: decimals))
        add("minor", amount.decimal)
    }

    /// The prompt of these lines, or one that says that it can't be shown.
    var prompt: Prompt {
        guard !isIncomplete, ShownLimits.hold(lines) else {
            let problem = ShownLine.escaping("problem", Refusal(.cannotBeShown).reason)
            return Prompt(lines.prefix(1) + [problem], isIncomplete: true)
        }
        return Prompt(lines, terms: terms)
    }
}

/// The payments and prompts that were made of a state, as long as it does not change.
///
/// From the prompt to the approval a request is shown, checked and decided on the same state: its
/// coins are selected once (`tools/bench lifecycle`).
final class PromptMemo {
    private var payments: [(question: PaymentQuestion, answer: Result<Spending.Payment, Refusal>)]
        = []
    private var prompts: [(question: PromptQuestion, answer: Prompt)] = []

    /// All that a payment is made of, beside the state.
    struct PaymentQuestion: Equatable {
        let amount: UInt64
        let address: String
        let lockable: Bool
        let wallet: WalletID
    }

    /// All that a prompt is made of, beside the state.
    struct PromptQuestion: Equatable {
        let id: RequestID
        let request: Request
        let wallet: WalletID?
        let amount: UInt64?
        let repeats: RequestID?
    }

    /// So many of each are remembered: those that front ends look at together.
    private static let capacity = 16

    // A closure that makes the answer would take a copy of the state, which is large.

    func payment(_ question: PaymentQuestion) -> Result<Spending.Payment, Refusal>? {
        payments.first { $0.question == question }?.answer
    }

    func remember(_ answer: Result<Spending.Payment, Refusal>, _ question: PaymentQuestion) {
        if payments.count == Self.capacity { payments.removeFirst() }
        payments.append((question, answer))
    }

    func prompt(_ question: PromptQuestion) -> Prompt? {
        prompts.first { $0.question == question }?.answer
    }

    func remember(_ answer: Prompt, _ question: PromptQuestion) {
        if prompts.count == Self.capacity { prompts.removeFirst() }
        prompts.append((question, answer))
    }
}
