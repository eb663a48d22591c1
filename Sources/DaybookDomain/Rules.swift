import DaybookChains
package import DaybookEncoding

/// The limits, outcomes and sentences of an engine. Decisions ask it for them.
///
/// A session records the number of its engine, and the rules of that engine decide its inputs for
/// ever. A constant stands here from the first engine on that needs another value; until then it
/// may stand where it is used (`docs/recipes/adding-an-engine.md`). Rules never change, so they are
/// shared by reference.
package final class Rules: Sendable {
    /// The number that `session.started` records.
    package let engine: UInt64
    private let content: Content

    /// All that an engine can have of its own; the values here are those of engine 10.
    package struct Content: Sendable {
        package var limits = RuleLimits()
        package var outcomes = RuleOutcomes()
        package var sentences = RuleSentences()
    }

    /// The numbers that decisions compare with.
    package var limits: RuleLimits { content.limits }
    /// The choices between outcomes.
    package var outcomes: RuleOutcomes { content.outcomes }
    /// The sentences that prompts, refusals and callbacks have.
    package var sentences: RuleSentences { content.sentences }

    private init(_ engine: UInt64, _ content: Content) {
        (self.engine, self.content) = (engine, content)
    }

    /// The rules of a newer engine: those of an older one, except for what `change` sets.
    package convenience init(
        _ engine: UInt64, after older: Rules, _ change: (inout Content) -> Void
    ) {
        var content = older.content
        change(&content)
        self.init(engine, content)
    }

    /// The rules of 1.0. A test replays the logs that they have decided.
    package static let ten = Rules(10, Content())
}

/// The rules of the engines that a program knows.
package struct Engines: Sendable {
    /// In ascending order of their numbers, at least one.
    private let rules: [Rules]

    /// The engines with these rules, in ascending order of their numbers.
    package init(_ rules: [Rules]) {
        precondition(!rules.isEmpty, "a program knows the engine of its own sessions")
        self.rules = rules
    }

    /// The engines of this program: one line for each, which stays for ever.
    package static let known = Engines([
        .ten
    ])

    /// The rules of the sessions that this program begins.
    package var current: Rules { rules[rules.count - 1] }

    /// The numbers of the engines, in ascending order.
    package var numbers: [UInt64] { rules.map(\.engine) }

    /// The rules of an engine; nil if this program does not know them.
    package subscript(engine: UInt64) -> Rules? { rules.last { $0.engine == engine } }

    /// The name of an unknown engine, such as `engine 99, newer than 10, the last one known`.
    package func name(ofUnknown engine: UInt64) -> String {
        if engine > current.engine {
            return "engine \(engine), newer than \(current.engine), the last one known"
        }
        return engine < Engine.first
            ? "engine \(engine), of a development version before 1.0"
            : "engine \(engine), whose rules this program lacks"
    }
}

/// The version of the rules that `Decider` applies; `session.started` records it.
///
/// The number never falls within a log: after a session of an engine that a program does not know,
/// that program does not write (`State.engine`).
package enum Engine {
    /// The engine of 1.0; development versions had lower numbers.
    package static let first = Rules.ten.engine
    /// The engine of the sessions that this program begins.
    package static let current = Engines.known.current.engine
}

// MARK: - What can differ

/// The limits of an engine.
package struct RuleLimits: Sendable {
    /// The bytes of the longest link that is parsed.
    package var link = 65_536
    /// The bytes of the longest link of Dash or Axe; real ones have some 150.
    package var paymentLink = 2_048
    /// How long an approval takes at most; one that began earlier belongs to an older prompt.
    package var approvalSeconds: UInt64 = 5 * 60
    /// The wait after the first wrong passphrase that locks a wallet; each next one doubles it.
    package var firstLockSeconds: UInt64 = 60
    /// The longest such wait.
    package var longestLockSeconds: UInt64 = 24 * 60 * 60
    /// By how much the first bump raises the fee rate of its payment, at least.
    package var bumpFactor: UInt64 = 2
}

/// The outcomes that an engine chooses.
package struct RuleOutcomes: Sendable {
    /// Whether a link that comes again is coalesced into an earlier request with the same text.
    package var coalesces: @Sendable (_ earlier: RequestRow) -> Bool = { !$0.status.isTerminal }
    /// Whether a link that comes again gets the callback of an earlier request that has ended.
    ///
    /// An earlier request with a refusal failed first and was executed later: its caller was told
    /// that it failed.
    package var answersAgain: @Sendable (
        _ request: Request, _ earlier: RequestRow, _ time: UInt64
    ) -> Bool = { request, earlier, time in
        request.reference != nil && earlier.status == .completed && earlier.refusal == nil
            && earlier.expires.map { $0 > time } ?? false
    }
    /// The refusals of requests without a callback, so that no flood opens as many URLs.
    package var silentRefusals: [Refusal.Code] = [
        .senderBlocked, .tooManyFromSender, .tooManyRequests,
    ]
}

/// The sentences of an engine. Those of prompts are in their digests.
package struct RuleSentences: Sendable {
    /// The reasons of refusals, in lower case.
    package var refusals = Refusal.sentences

    // Prompts as a whole.
    package var cannotBeShown = "This request can't be shown whole"
    package var unverified: @Sendable (_ headline: String, _ sender: String) -> String = {
        "\($0) for \($1) (unverified)"
    }
    package var neverSeen = "unverified, never seen before"
    package var seenBefore = "unverified, seen before"

    // Warnings.
    package var ownAddress = "This address is in your wallet."
    package var similarSender: @Sendable (_ other: String) -> String = {
        "You approved a sender with a similar name before: \($0)"
    }
    package var repeated: @Sendable (_ earlier: RequestID) -> String = {
        "The same request was already answered: request \($0)."
    }
    package var attemptExecuted: @Sendable (_ earlier: RequestID) -> String = {
        "An earlier attempt (request \($0)) was executed after all. This payment is a second one."
    }
    package var attemptOpen: @Sendable (_ earlier: RequestID) -> String = {
        "An earlier attempt (request \($0)) may still be executed. This payment spends the same"
            + " coin, so that only one of the two can be executed."
    }
    package var attemptMustExpire: @Sendable (_ earlier: RequestID, _ until: String) -> String = {
        "an earlier attempt (request \($0)) may still be executed: the payment can be repeated"
            + " after \($1), once a node says that no block has the earlier one"
    }
    package var samePaymentWaits: @Sendable (_ other: RequestID) -> String = {
        "Request \($0) waits for the same payment. Approve only one of them."
    }
    package var noEstimate =
        "The node could not estimate this call. It may fail and cost its fee all the same."
    package var tokenImitatesCoin =
        "This token uses the name of a coin. It is not that coin, and is shown by the address of"
        + " its contract."
    package var tokenWithoutSymbol =
        "The token has no symbol that can be shown. It is shown by the address of its contract."
    package var unknownAncestors =
        "The payment spends coins of somebody else's unconfirmed transaction. Its fee is not known"
        + " here, and these rates do not count it."

    // Consequences.
    package var givesAddress = "The sender learns an unused address of this wallet."
    package var givesKeys =
        "The sender can see every address and payment of this account from now on."
    package var binds = "The sender learns the address of this wallet."
    package var signsOnly = "The sender can send this transaction at any time."
    package var bumps =
        "A block that takes this transaction takes the payment too. The rest of the coin comes"
        + " back to this wallet."
    package var cancels =
        "Only one of the payment and this transaction can be executed. Until a block has one,"
        + " either may be."

    // Proofs of payment, and fees.
    package var proofDeclined =
        "The sender gets none: the URL that the link names may not be opened."
    package var proofTooLong = "The sender gets none: the transaction is too long for a callback."
    package var proofSent = "The sender gets the whole transaction once it is sent."
    package var lowestRate: @Sendable (_ duffs: UInt64) -> String = {
        "The node gave no estimate. This is the lowest rate that it accepts: \($0) duffs per 1000"
            + " bytes."
    }
}

// MARK: - The rules of a session

extension State {
    /// Lends `body` the state as a session decides and shows it; nil if its engine is unknown.
    ///
    /// That is under the rules of its engine and its highest fee rate. A session that has not begun
    /// has those that the state has already.
    package func seen<Value>(
        in session: SessionID, by engines: Engines, _ body: (State) throws -> Value
    ) rethrows -> Value? {
        guard let (engine, rate) = sessions.read(session, { ($0.engine, $0.settings.maxFeeRate) })
        else { return try body(self) }
        guard let rules = engines[engine] else { return nil }
        return try seen(under: rules, paying: rate ?? UTXOFees.highestRate, body)
    }

    /// Lends `body` the state under some rules and a highest fee rate, in duffs for 1000 bytes.
    package func seen<Value>(
        under rules: Rules, paying rate: UInt64, _ body: (State) throws -> Value
    ) rethrows -> Value {
        if rules === self.rules, rate == maxFeeRate { return try body(self) }
        var seen = self
        (seen.rules, seen.maxFeeRate) = (rules, rate)
        return try body(seen)
    }
}
