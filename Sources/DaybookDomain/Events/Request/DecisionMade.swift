package import DaybookEncoding

/// The user decided about what they were shown.
package struct DecisionMade: EventData {
    package static let type = "decision.made"

    package let decision: Decision
    /// The digest of the prompt that was shown; nil only when rejecting.
    package let prompt: Bytes?
    /// The wallet that the user chose.
    package let wallet: WalletID?
    /// The amount that the user typed, in minor units, where the request names none.
    package let amount: UInt64?
    /// Whether the wallet's passphrase was given and right, as all but `bind` asks for.
    package let unlocked: Bool
    /// When an approval began, in microseconds since 1970: the timestamp of an ICON transaction.
    ///
    /// The transaction is signed before the decision is recorded, so its time can't be the
    /// event's.
    package let began: UInt64?

    /// Yes or no.
    package enum Decision: String, Sendable { case approve, reject }

    package init(
        decision: Decision, prompt: Bytes?, wallet: WalletID?, amount: UInt64?, unlocked: Bool,
        began: UInt64? = nil
    ) {
        self.decision = decision
        self.prompt = prompt
        self.wallet = wallet
        self.amount = amount
        self.unlocked = unlocked
        self.began = began
    }

    package var coded: CBOR {
        .record([
            "decision": .text(decision.rawValue),
            "prompt": prompt.map(CBOR.bytes),
            "wallet": wallet.map { .id($0) },
            "amount": amount.map(CBOR.unsigned),
            "unlocked": .flag(unlocked),
            "began": began.map(CBOR.unsigned),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        decision = try fields.name("decision")
        prompt = try fields.optionalBytes("prompt")
        wallet = try fields.optionalID("wallet")
        amount = try fields.optionalNumber("amount")
        unlocked = try fields.flag("unlocked")
        began = try fields.optionalNumber("began")
    }
}
