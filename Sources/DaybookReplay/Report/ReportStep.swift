import DaybookChains
import DaybookCrypto
import DaybookDomain
import DaybookEncoding

/// A step of a request's story: what happened, in words, and the values that belong to it.
struct ReportStep {
    /// The event, such as `Approved`.
    let what: String
    /// The rest of the sentence.
    var text = ""
    /// Another request that the sentence ends with.
    var request: RequestID?
    /// Names and values, such as the lines of a prompt.
    var values: [(name: String, text: String)] = []

    init(_ what: String, _ text: String = "", of request: RequestID? = nil) {
        self.what = what
        self.text = ReportText.excerpt(text)
        self.request = request
    }

    /// The same step with a value, which may be untrusted.
    fileprivate func with(_ name: String, _ value: String) -> ReportStep {
        var step = self
        step.values.append((name, ReportText.excerpt(value)))
        return step
    }

    /// The same step with all that a prompt shows but its headline.
    fileprivate func with(_ prompt: Prompt) -> ReportStep {
        var step = self
        let content = prompt.content
        let problem = content.problem.map { [("⚠ problem", $0)] } ?? []
        let warnings = content.warnings.map { ("⚠ \($0.name)", $0.text) }
        let others = (content.amounts + content.details).map { ($0.name, $0.text) }
        // A prompt's texts are escaped already.
        step.values += (problem + warnings + others).map {
            (Text.onOneLine($0.0), Text.onOneLine($0.1))
        }
        return step
    }

    /// The same step with a refusal as its reason.
    fileprivate static func end(_ what: String, _ refusal: Refusal, code: Int64? = nil)
        -> ReportStep
    {
        let code = code.map { ", the protocol's code \($0)" } ?? ""
        return ReportStep(what, "\(refusal.reason) (\(refusal.code.rawValue)\(code))")
    }
}

/// Texts of a log as a page shows them.
enum ReportText {
    /// A longer text is shown by its beginning.
    private static let longest = 2048

    /// The text with what is invisible in it spelled out; of a long one the beginning.
    static func excerpt(_ text: String) -> String {
        guard text.utf8.count > longest else { return Text.escaped(text) }
        let digest = Hex.encode(SHA256.hash(Bytes(text.utf8)))
        return Text.escaped(String(text.unicodeScalars.prefix(longest / 2)))
            + "… (\(text.utf8.count) bytes, SHA-256 \(digest))"
    }

    /// A link's bytes as text; bytes above 0x7f are percent-encoded unless the whole is UTF-8.
    static func link(_ bytes: Bytes) -> String {
        if let text = Text.utf8String(bytes) { return text }
        return bytes.map { byte in
            byte < 0x80 ? String(UnicodeScalar(byte)) : "%" + Hex.encode([byte]).uppercased()
        }.joined()
    }

    /// The user's name for a wallet, and its number.
    static func name(of wallet: WalletID, in state: State) -> String {
        let label = state.wallets[wallet]?.wallet.label
        return label.map { "\($0) (wallet \(wallet))" } ?? "wallet \(wallet)"
    }
}

extension ReportStep {
    /// The step that an event of a request is; nil for an event that is not told.
    ///
    /// `prompt` is what was shown before a decision, if it is not what was shown first.
    init?(_ event: Event, _ state: State, prompt: Prompt?) {
        let step: ReportStep?
        switch event.payload {
        case .requestReceived(let data):
            step = ReportStep("Received", "from the front end \(data.frontEnd)")
                .with("link", ReportText.link(data.text))
        case .remedyRequested(let data):
            let what = data.remedy == .bump ? "Bump" : "Cancellation"
            step = ReportStep(
                what, "asked for by the user of \(data.frontEnd), of", of: data.payment)
        case .requestDeferred:
            step = ReportStep("Understood", "; only the chain can say if it can be met")
        case .requestAccepted(let data):
            let minutes = (max(data.expires, event.time) - event.time) / 60_000_000
            step = ReportStep("Shown to the user", ", to be decided within \(minutes) minutes:")
                .with(data.prompt)
        case .requestRefused(let data):
            step = .end("Refused", data.refusal, code: data.protocolCode)
        case .requestCoalesced(let data):
            step = ReportStep("The same", "and no other request than", of: data.into)
        case .requestRejected: step = ReportStep("Rejected", ": the request ends")
        case .requestExpired: step = ReportStep("Expired", ": nobody decided in time")
        case .requestCancelled(let data):
            let told = data.wasAnswered ? "; its caller had been told of the payment" : ""
            step = ReportStep("Cancelled", "\(told), because of", of: data.by)
        case .decisionMade(let data): step = Self.decision(data, state, prompt)
        case .decisionRefused(let data): step = .end("The decision can't stand", data.refusal)
        case .bindingGranted(let data): step = Self.binding(data, state)
        case .callbackEmitted(let data):
            step = ReportStep("Answered", "with this callback").with("callback", data.url)
        case .callbackDelivered:
            step = ReportStep("Delivered", ": the front end opened the callback")
        case .chainObserved(let data):
            let height = data.height.map { "at height \($0)" } ?? ""
            step = event.request.map { _ in ReportStep("The chain answered", height) }
        case .chainUnavailable(let data):
            step = ReportStep("The chain gave no usable answer", data.reason)
        case .sessionStarted(let data): step = Self.session(data)
        case .walletAdded(let data):
            step = ReportStep(
                "Wallet added", "on \(data.chain.rawValue) \(data.network.rawValue)")
        case .unlockFailed(let data):
            let wallet = ReportText.name(of: data.wallet, in: state)
            step = ReportStep("Not unlocked", ": a wrong passphrase of \(wallet)")
        case .unlockLocked(let data):
            let wallet = ReportText.name(of: data.wallet, in: state)
            step = ReportStep("Locked", ": \(wallet), until \(Timestamp.readable(data.until))")
        case .checkpointCosigned(let data): step = ReportStep("Cosigned", "by \(data.name)")
        case .checkpointStamped(let data): step = ReportStep("Stamped", "\(data.checkpoint) events")
        case .timePassed, .clockSet, .walletRenamed, .walletRemoved, .coinFrozen, .coinUnfrozen,
            .paymentReceived, .paymentMade, .checkpointMade, .labelSet, .priceSet, .priceWithdrawn:
            step = nil
        case .signatureMade, .signatureFailed, .broadcastAnswered, .transactionPrepared,
            .transactionSigned, .transactionSent, .transactionLocked, .transactionFailed,
            .transactionConfirmed, .transactionReorganised, .transactionDropped:
            step = Self.transaction(event.payload, state)
        }
        guard let step else { return nil }
        self = step
    }

    private static func decision(
        _ data: DecisionMade, _ state: State, _ prompt: Prompt?
    ) -> ReportStep {
        var text = "by the user"
        if let wallet = data.wallet { text += ", with \(ReportText.name(of: wallet, in: state))" }
        if let duffs = data.amount {
            let amount = DecimalAmount.format(UInt256(duffs), decimals: Duffs.decimals)
            text += ", entering \(amount)"
        }
        if data.coins.isAll { text += ", paying all" }
        if !data.coins.named.isEmpty {
            text += ", from \(data.coins.named.map(\.text).joined(separator: " and "))"
        }
        let what = data.decision == .approve ? "Approved" : "Rejected"
        guard let prompt else { return ReportStep(what, text) }
        guard prompt.digest == data.prompt else {
            let step = ReportStep(what, "\(text). What was shown is not what would have been done")
            return step.with("shown", data.prompt.map(Hex.encode) ?? "")
        }
        return ReportStep(what, "\(text). This was shown:").with(prompt)
    }

    private static func binding(_ data: BindingGranted, _ state: State) -> ReportStep {
        let wallet = ReportText.name(of: data.wallet, in: state)
        let step = ReportStep(
            "The caller now knows", "\(data.kind.sentence), of \(wallet)")
        return data.values.reduce(step) { $0.with("", $1) }
    }

    private static func session(_ data: SessionStarted) -> ReportStep {
        let step = ReportStep("Session", data.frontEnd)
            .with("rules", String(data.engine))
        let libraries = data.libraries.map { "\($0.name) \($0.version)" }
        return step.with("libraries", libraries.joined(separator: ", "))
    }

    private static func transaction(_ payload: Payload, _ state: State) -> ReportStep? {
        switch payload {
        case .transactionPrepared(let data):
            let rules = (state.wallets[data.wallet]?.wallet.chain ?? .dash).rules
            let fee = DecimalAmount.format(data.fee, decimals: rules.coin.decimals)
            let most = rules.ledger == .accounts ? "at most " : ""
            return ReportStep(
                "Prepared",
                ": \(data.bytes.count) bytes to be signed, paid by "
                    + "\(ReportText.name(of: data.wallet, in: state)), for a fee of \(most)\(fee)")
        case .signatureMade(let data):
            let count = data.signatures.count
            return ReportStep(
                "Signed", "by the keystore: \(count == 1 ? "1 key" : "\(count) inputs")")
        case .signatureFailed(let data): return ReportStep("Not signed", data.reason)
        case .transactionSigned(let data):
            return ReportStep("The signatures hold", ": the transaction is ready")
                .with("txid", Hex.encode(data.txid))
        case .broadcastAnswered(let data): return broadcast(data)
        case .transactionSent: return ReportStep("Sent", ": the network has it")
        case .transactionFailed(let data):
            return .end("Failed", data.refusal, code: data.protocolCode)
        case .transactionLocked:
            return ReportStep("Final", ": InstantSend or a ChainLock holds it")
        case .transactionConfirmed(let data):
            let block = "at height \(data.height)"
            return ReportStep(
                "In a block",
                data.failure.map { "\(block), but it was run without success: \($0)" } ?? block)
        case .transactionReorganised:
            return ReportStep("Out of its block again", ": the chain was reorganised")
        case .transactionDropped:
            return ReportStep("Dropped", ": the network will never have it")
        default: return nil
        }
    }

    private static func broadcast(_ data: BroadcastAnswered) -> ReportStep {
        let what =
            switch data.answer {
            case .accepted: "The node took it"
            case .refused: "The node refused it"
            case .unknown: "No node took it yet"
            }
        let reason = NodeReason(data).map { ": \($0.sentence)" } ?? ""
        let step = ReportStep(what, reason + (data.code.map { "; code \($0)" } ?? ""))
        return data.message.map { step.with("in the log as", $0) } ?? step
    }
}

extension BindingGranted.Kind {
    /// A caller's knowledge, in words.
    fileprivate var sentence: String {
        switch self {
        case .address: "an address to pay to"
        case .masterPublicKey: "the account's public keys, with which all of its payments show"
        case .bind: "the wallet's address"
        }
    }
}
