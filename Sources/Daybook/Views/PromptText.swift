import DaybookChains
import DaybookDomain
public import DaybookEncoding

/// A prompt: what a user must see, in this order, and the digest that an approval is bound to.
///
/// All texts are escaped for display. The digest covers all but `left` and `expires`, which are as
/// of now.
public struct PromptText: Codable, Hashable, Sendable {
    /// A line's fixed name and its text.
    public struct Line: Codable, Hashable, Sendable {
        /// The line's fixed name, such as `to`.
        public let name: String
        /// The text to show, safe to print.
        public let text: String

        /// A line of a prompt.
        public init(name: String, text: String) {
            self.name = name
            self.text = text
        }

        init(_ line: ShownLine) { self.init(name: line.name, text: line.text) }
    }

    /// An amount that is shown, such as the fee.
    public struct Amount: Codable, Hashable, Sendable {
        /// `amount`, `fee`, `highestFee` or `total`.
        public let name: String
        /// The decimal amount in whole coins or tokens.
        public let amount: String
        /// The coin, the token's symbol, or the address of its contract.
        public let unit: String
        /// The share of a fee in the amount that is paid, such as `0.02 %`; nil for other amounts.
        public let share: String?

        /// An amount of a prompt.
        public init(name: String, amount: String, unit: String, share: String? = nil) {
            (self.name, self.amount, self.unit, self.share) = (name, amount, unit, share)
        }
    }

    /// A sentence that the user must read before an approval.
    public struct Warning: Codable, Hashable, Sendable {
        /// The subject of the warning, such as `highFee`; a code keeps its meaning.
        public let code: String
        /// The sentence.
        public let text: String

        /// A warning of a prompt.
        public init(code: String, text: String) {
            (self.code, self.text) = (code, text)
        }
    }

    /// One sentence that says what an approval does, with its amount and recipient.
    public let headline: String
    /// Why the request can't be approved now; nil if it can.
    public let problem: String?
    /// The warnings.
    public let warnings: [Warning]
    /// The amounts: what is paid, the fee, both together.
    public let amounts: [Amount]
    /// Everything else; the whole address of the recipient comes first.
    public let details: [Line]
    /// The amount that the wallet can still spend afterwards, with its unit; nil if not known.
    public let left: String?
    /// When the request expires.
    public let expires: Timestamp?
    /// The digest that an approval of this prompt names.
    public let digest: PromptDigest

    /// A prompt for previews and tests of a front end.
    public init(
        headline: String, problem: String? = nil, warnings: [Warning] = [],
        amounts: [Amount] = [], details: [Line] = [], left: String? = nil,
        expires: Timestamp? = nil, digest: PromptDigest
    ) {
        (self.headline, self.problem, self.warnings) = (headline, problem, warnings)
        (self.amounts, self.details, self.left) = (amounts, details, left)
        (self.expires, self.digest) = (expires, digest)
    }

    /// Whether the user has to enter the amount of the payment.
    public var isAmountMissing: Bool {
        self["method"] == "pay" && self["minor"] == nil && self["coins"] == nil
    }

    /// Everything that is shown, in its order, for a front end that prints lines.
    ///
    /// Amounts have their units; the names besides those of amounts and details are `headline`,
    /// `problem` and `warning`.
    public var lines: [Line] {
        [Line(name: "headline", text: headline)]
            + (problem.map { [Line(name: "problem", text: $0)] } ?? [])
            + warnings.map { Line(name: "warning", text: $0.text) }
            + amounts.map { Line(name: $0.name, text: "\($0.amount) \($0.unit)") } + details
    }

    /// The amount, without its unit, or the text of the detail with this name.
    public subscript(name: String) -> String? {
        amounts.first { Text.equal($0.name, name) }?.amount
            ?? details.first { Text.equal($0.name, name) }?.text
    }

    init(_ content: PromptContent, left: String?, expires: Timestamp?, digest: PromptDigest) {
        self.init(
            headline: content.headline, problem: content.problem,
            warnings: content.warnings.map { Warning(code: $0.name, text: $0.text) },
            amounts: Self.amounts(of: content),
            details: content.details.map { Line($0) }, left: left, expires: expires,
            digest: digest)
    }

    /// The amounts, each fee with its share.
    private static func amounts(of content: PromptContent) -> [Amount] {
        let paid = content.amounts.first { Text.equal($0.name, "amount") }
        return content.amounts.map { line in
            let isFee = ["fee", "highestFee"].contains(line.name)
            let share = isFee && paid?.unit == line.unit
                ? share(of: line.number, in: paid?.number ?? "") : nil
            return Amount(name: line.name, amount: line.number, unit: line.unit, share: share)
        }
    }

    /// A fee in percent of an amount, for display alone.
    private static func share(of fee: String, in amount: String) -> String? {
        let digits = 36
        guard let fee = DecimalAmount.parse(fee, decimals: digits)?.multiplied(by: 10_000),
            let amount = DecimalAmount.parse(amount, decimals: digits), amount > .zero
        else { return nil }
        if fee == .zero { return "0 %" }
        let highest: UInt64 = 100_000
        // The largest number of hundredths of a percent that the fee has.
        var (low, high) = (UInt64(0), highest)
        while low < high {
            let middle = (low + high + 1) / 2
            let part = amount.multiplied(by: middle)
            if let part, part <= fee { low = middle } else { high = middle - 1 }
        }
        return switch low {
        case 0: "less than 0.01 %"
        case highest: "more than 1000 %"
        default: "\(DecimalAmount.format(UInt256(low), decimals: 2)) %"
        }
    }

    /// The prompt of a pending request for a wallet.
    init(
        for request: Request, _ id: RequestID, _ row: RequestRow, wallet: WalletID?,
        amount: UInt64?, coins: CoinChoice = .automatic, _ state: borrowing State
    ) {
        let prompt = state.prompt(
            for: request, id: id, wallet: wallet, amount: amount, coins: coins,
            repeats: row.repeats)
        var left: String?
        if let wallet, let terms = prompt.terms, request.sendsTransaction {
            left = state.left(after: terms, in: wallet)
        }
        self.init(
            prompt.content, left: left, expires: Timestamp(row.expires),
            digest: PromptDigest(prompt.digest))
    }
}

/// SHA-256 of a prompt: an approval names it, so that what was not shown can't be approved.
///
/// It is 64 hex digits as text and in JSON.
public struct PromptDigest: Codable, Hashable, Sendable, CustomStringConvertible {
    /// The 32 bytes.
    public let bytes: [UInt8]

    /// A digest from 64 hex digits; nil if the text is anything else.
    public init?(hex: String) {
        guard let bytes = Hex.decode(hex), bytes.count == Self.size else { return nil }
        self.bytes = bytes
    }

    init(_ digest: [UInt8]) {
        precondition(digest.count == Self.size, "a prompt's digest is SHA-256")
        bytes = digest
    }

    /// Decodes the hex digits.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let digest = PromptDigest(hex: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a prompt's digest has 64 hex digits")
        }
        self = digest
    }

    /// Encodes the hex digits.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// The 64 hex digits.
    public var description: String { Hex.encode(bytes) }

    private static var size: Int { 32 }
}
