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

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        key = try coder.optional("key", value?.key)
        text = try coder.field("text", value?.text)
        frontEnd = try coder.field("frontEnd", value?.frontEnd)
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

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        digest = try coder.field("digest", value?.digest)
        prompt = try coder.map("prompt", value?.prompt)
        expires = try coder.field("expires", value?.expires)
        request = try coder.map("request", value?.request)
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
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        let code = try coder.field("code", value?.refusal.code)
        link = try coder.optional("link", value?.link)
        let parameter = try coder.optional("parameter", value?.refusal.parameter)
        protocolCode = try coder.optional("protocolCode", value?.protocolCode)
        refusal = Refusal(code, parameter: parameter)
    }
}

/// The same request is pending or was just answered; `into` is that request.
package struct RequestCoalesced: EventData {
    package static let type = "request.coalesced"
    package let into: RequestID

    package init(into: RequestID) { self.into = into }

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        into = try coder.field("into", value?.into)
    }
}

/// The request was parsed, and needs a node's answer before it can be decided on.
package struct RequestDeferred: EventData {
    package static let type = "request.deferred"
    package let request: Request

    package init(request: Request) { self.request = request }

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        request = try coder.map("request", value?.request)
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
    /// The coins that the user chose: `coins` and `all` on disk.
    package let coins: CoinChoice
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
        decision: Decision, prompt: Bytes?, wallet: WalletID?, amount: UInt64?,
        coins: CoinChoice = .automatic, unlocked: Bool, began: UInt64? = nil
    ) {
        self.decision = decision
        self.prompt = prompt
        self.wallet = wallet
        self.amount = amount
        self.coins = coins
        self.unlocked = unlocked
        self.began = began
    }

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        let isAll = try coder.flag("all", value?.coins.isAll)
        began = try coder.optional("began", value?.began)
        let named = try coder.list("coins", value?.coins.named)
        amount = try coder.optional("amount", value?.amount)
        prompt = try coder.optional("prompt", value?.prompt)
        wallet = try coder.optional("wallet", value?.wallet)
        decision = try coder.field("decision", value?.decision)
        unlocked = try coder.flag("unlocked", value?.unlocked)
        coins = CoinChoice(named: named, isAll: isAll)
    }
}

/// The decision was refused: too late, about another prompt, or impossible now.
package struct DecisionRefused: EventData {
    package static let type = "decision.refused"
    package let refusal: Refusal

    package init(refusal: Refusal) { self.refusal = refusal }

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        refusal = try Refusal(value?.refusal, by: &coder)
    }
}

/// The user rejected the request.
package struct RequestRejected: EventData {
    package static let type = "request.rejected"
    package init() {}
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {

    }
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
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        by = try coder.field("by", value?.by)
        wasAnswered = try coder.flag("wasAnswered", value?.wasAnswered)
    }
}

/// The request expired before the user decided.
package struct RequestExpired: EventData {
    package static let type = "request.expired"
    package init() {}
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {

    }
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

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        remedy = try coder.field("remedy", value?.remedy)
        payment = try coder.field("payment", value?.payment)
        frontEnd = try coder.field("frontEnd", value?.frontEnd)
    }
}

/// A callback was emitted: the exact URL that the front end opens to answer the caller.
package struct CallbackEmitted: EventData {
    package static let type = "callback.emitted"
    package let url: String

    package init(url: String) { self.url = url }

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        url = try coder.field("url", value?.url)
    }
}

/// The front end opened the callback URL.
package struct CallbackDelivered: EventData {
    package static let type = "callback.delivered"
    package init() {}
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {

    }
}

/// Something was disclosed to a caller: what, and from which wallet.
package struct BindingGranted: EventData {
    package static let type = "binding.granted"

    package let caller: String
    package let wallet: WalletID
    package let kind: Kind
    /// The address, or the extended public keys in the order of their derivation paths.
    package let values: [String]

    /// The disclosed values.
    package enum Kind: String, Sendable { case address, masterPublicKey, bind }

    package init(caller: String, wallet: WalletID, kind: Kind, values: [String]) {
        self.caller = caller
        self.wallet = wallet
        self.kind = kind
        self.values = values
    }

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        kind = try coder.field("kind", value?.kind)
        caller = try coder.field("caller", value?.caller)
        values = try coder.values("values", value?.values)
        wallet = try coder.field("wallet", value?.wallet)
    }
}
