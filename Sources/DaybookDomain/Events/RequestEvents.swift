package import DaybookEncoding

/// A link's text arrived; it is recorded unchanged, except that secrets are replaced.
///
/// A secret is replaced by its kind and length.
package struct RequestReceived: EventData {
    package static let type = "request.received"

    package let text: Bytes
    package let frontEnd: String
    /// The front end's idempotency key: the same key with the same text is the same request.
    package let key: String?

    package init(text: Bytes, frontEnd: String, key: String?) {
        self.text = text
        self.frontEnd = frontEnd
        self.key = key
    }

    package var coded: CBOR {
        .record([
            "text": .bytes(text), "frontEnd": .text(frontEnd), "key": key.map(CBOR.text),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        text = try fields.bytes("text")
        frontEnd = try fields.text("frontEnd")
        key = try fields.optionalText("key")
    }
}

/// The request was accepted and waits for its user, who is shown `prompt`.
package struct RequestAccepted: EventData {
    package static let type = "request.accepted"

    package let request: Request
    package let prompt: Prompt
    /// The SHA-256 digest of the prompt, which a decision refers to.
    package let digest: Bytes
    /// When the request expires (µs).
    package let expires: UInt64

    package init(request: Request, prompt: Prompt, digest: Bytes, expires: UInt64) {
        self.request = request
        self.prompt = prompt
        self.digest = digest
        self.expires = expires
    }

    package var coded: CBOR {
        .record([
            "request": request.coded, "prompt": prompt.coded, "digest": .bytes(digest),
            "expires": .unsigned(expires),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        request = try Request(try fields.fields("request"))
        prompt = try Prompt(try fields.fields("prompt"))
        digest = try fields.bytes("digest")
        expires = try fields.number("expires")
    }
}

/// The request was refused; `protocolCode` is its protocol's number for the reason.
package struct RequestRefused: EventData {
    package static let type = "request.refused"

    package let refusal: Refusal
    package let protocolCode: Int64?
    /// The protocol that can parse the text; nil if none can.
    package let link: String?
}

extension RequestRefused {
    package var coded: CBOR {
        .record([
            "code": .text(refusal.code.rawValue), "parameter": refusal.parameter.map(CBOR.text),
            "protocolCode": protocolCode.map(CBOR.int), "link": link.map(CBOR.text),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        refusal = try Refusal(fields)
        link = try fields.optionalText("link")
        protocolCode = try fields.optionalSigned("protocolCode")
    }
}

/// The same request is pending or was just answered; `into` is that request.
package struct RequestCoalesced: EventData {
    package static let type = "request.coalesced"
    package let into: RequestID

    package init(into: RequestID) { self.into = into }

    package var coded: CBOR { .record(["into": .id(into)]) }

    package init(_ fields: Fields) throws(FieldError) { into = try fields.id("into") }
}

/// The request was parsed, and needs a node's answer before it can be decided on.
package struct RequestDeferred: EventData {
    package static let type = "request.deferred"
    package let request: Request

    package init(request: Request) { self.request = request }

    package var coded: CBOR { .record(["request": request.coded]) }

    package init(_ fields: Fields) throws(FieldError) {
        request = try Request(try fields.fields("request"))
    }
}

/// The user approved or rejected a request.
package struct DecisionMade: EventData {
    package static let type = "decision.made"

    package let decision: Decision
    /// The digest of the prompt that was shown; nil only when rejecting.
    package let prompt: Bytes?
    /// The wallet that the user chose.
    package let wallet: WalletID?
    /// The amount that the user entered, in minor units, if the request names none.
    package let amount: UInt64?
    /// Whether the right passphrase was given, which all requests but `bind` need.
    package let unlocked: Bool
    /// When the approval began (µs since 1970), which is the timestamp of an ICON transaction.
    ///
    /// The transaction is signed before the decision is recorded, so it can't have the event's
    /// time.
    package let began: UInt64?

    /// The user's choice.
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

/// The decision was refused: too late, about another prompt, or impossible now.
package struct DecisionRefused: EventData {
    package static let type = "decision.refused"
    package let refusal: Refusal

    package init(refusal: Refusal) { self.refusal = refusal }

    package var coded: CBOR { refusal.coded(protocolCode: nil) }

    package init(_ fields: Fields) throws(FieldError) { refusal = try Refusal(fields) }
}

/// The user rejected the request.
package struct RequestRejected: EventData {
    package static let type = "request.rejected"
    package init() {}
    package var coded: CBOR { .record([:]) }
    package init(_ fields: Fields) throws(FieldError) {}
}

/// The payment was cancelled: a block has the transaction that cancels it.
package struct RequestCancelled: EventData {
    package static let type = "request.cancelled"

    /// The request whose transaction spends a coin of the payment.
    package let by: RequestID
    /// Whether the caller had been told that it was paid; then it gets no second callback.
    package let wasAnswered: Bool

    /// The reason why the request ends.
    var refusal: Refusal { Refusal(wasAnswered ? .cancelledAfterAnswer : .cancelled) }
}

extension RequestCancelled {
    package var coded: CBOR {
        .record(["by": .id(by), "wasAnswered": .flag(wasAnswered)])
    }

    package init(_ fields: Fields) throws(FieldError) {
        by = try fields.id("by")
        wasAnswered = try fields.flag("wasAnswered")
    }
}

/// The request expired before the user decided.
package struct RequestExpired: EventData {
    package static let type = "request.expired"
    package init() {}
    package var coded: CBOR { .record([:]) }
    package init(_ fields: Fields) throws(FieldError) {}
}

/// The user asked to bump or cancel a payment of ours: the first event of a request.
///
/// Only a front end can ask for it, never a link.
package struct RemedyRequested: EventData {
    package static let type = "remedy.requested"

    package let remedy: Remedy
    /// The request that made the payment.
    package let payment: RequestID
    package let frontEnd: String

    package init(remedy: Remedy, payment: RequestID, frontEnd: String) {
        self.remedy = remedy
        self.payment = payment
        self.frontEnd = frontEnd
    }

    package var coded: CBOR {
        .record([
            "remedy": .text(remedy.rawValue), "payment": .id(payment), "frontEnd": .text(frontEnd),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        remedy = try fields.name("remedy")
        payment = try fields.id("payment")
        frontEnd = try fields.text("frontEnd")
    }
}

/// A callback was emitted: the exact URL that the front end opens to answer the caller.
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

/// Something was disclosed to a caller: what, and from which wallet.
package struct BindingGranted: EventData {
    package static let type = "binding.granted"

    package let caller: String
    package let wallet: WalletID
    package let kind: Kind
    /// The address, or the extended public keys in the order of their derivation paths.
    package let values: [String]

    /// What was handed out.
    package enum Kind: String, Sendable { case address, masterPublicKey, bind }

    package init(caller: String, wallet: WalletID, kind: Kind, values: [String]) {
        self.caller = caller
        self.wallet = wallet
        self.kind = kind
        self.values = values
    }

    package var coded: CBOR {
        .record([
            "caller": .text(caller), "wallet": .id(wallet), "kind": .text(kind.rawValue),
            "values": .list(values) { .text($0) },
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        caller = try fields.text("caller")
        wallet = try fields.id("wallet")
        kind = try fields.name("kind")
        values = try fields.list("values") { (item) throws(FieldError) in
            guard let text = item.record.textValue else {
                throw item.wrong("text")
            }
            return text
        }
    }
}
