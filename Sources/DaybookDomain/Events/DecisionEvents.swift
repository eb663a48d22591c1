package import DaybookEncoding

/// The user decided about what they were shown.
package struct DecisionMade: EventData {
    package static let type = "decision.made"

    package let decision: Decision
    /// The digest of the prompt that was shown; nil only when rejecting.
    package let prompt: Bytes?
    /// The wallet that the user chose.
    package let wallet: UInt64?
    /// The amount that the user typed, in minor units, where the request names none.
    package let amount: UInt64?
    /// Whether the wallet's passphrase was given and right, as all but `bind` asks for.
    package let unlocked: Bool

    package enum Decision: String, Sendable { case approve, reject }

    package init(
        decision: Decision, prompt: Bytes?, wallet: UInt64?, amount: UInt64?, unlocked: Bool
    ) {
        self.decision = decision
        self.prompt = prompt
        self.wallet = wallet
        self.amount = amount
        self.unlocked = unlocked
    }

    package var coded: CBOR {
        .record([
            "decision": .text(decision.rawValue),
            "prompt": prompt.map(CBOR.bytes),
            "wallet": wallet.map(CBOR.unsigned),
            "amount": amount.map(CBOR.unsigned),
            "unlocked": .flag(unlocked),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        decision = try fields.name("decision")
        prompt = try fields.optionalBytes("prompt")
        wallet = try fields.optionalNumber("wallet")
        amount = try fields.optionalNumber("amount")
        unlocked = try fields.flag("unlocked")
    }
}

/// The decision can't stand: too late, about something else, or not to be carried out now.
package struct DecisionRefused: EventData {
    package static let type = "decision.refused"
    package let refusal: Refusal

    package init(refusal: Refusal) { self.refusal = refusal }

    package var coded: CBOR { refusal.coded(protocolCode: nil) }

    package init(_ fields: Fields) throws(FieldError) { refusal = try Refusal(fields) }
}

/// A caller now knows something of the user's: what, from which wallet.
package struct BindingGranted: EventData {
    package static let type = "binding.granted"

    package let caller: String
    package let wallet: UInt64
    package let kind: Kind
    /// The address, or the extended public keys in the order of their derivation paths.
    package let values: [String]

    package enum Kind: String, Sendable { case address, masterPublicKey, bind }

    package init(caller: String, wallet: UInt64, kind: Kind, values: [String]) {
        self.caller = caller
        self.wallet = wallet
        self.kind = kind
        self.values = values
    }

    package var coded: CBOR {
        .record([
            "caller": .text(caller), "wallet": .unsigned(wallet), "kind": .text(kind.rawValue),
            "values": .list(values) { .text($0) },
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        caller = try fields.text("caller")
        wallet = try fields.number("wallet")
        kind = try fields.name("kind")
        values = try fields.list("values") { (item) throws(FieldError) in
            guard let text = item.record.textValue else {
                throw FieldError(field: "data.values", expected: "a list of texts")
            }
            return text
        }
    }
}

/// The exact URL with which the front end answers the caller.
package struct CallbackEmitted: EventData {
    package static let type = "callback.emitted"
    package let url: String

    package init(url: String) { self.url = url }

    package var coded: CBOR { .record(["url": .text(url)]) }

    package init(_ fields: Fields) throws(FieldError) { url = try fields.text("url") }
}

/// The front end opened the callback URL.
package struct CallbackDelivered: EventData {
    package static let type = "callback.delivered"
    package init() {}
    package var coded: CBOR { .record([:]) }
    package init(_ fields: Fields) throws(FieldError) {}
}
