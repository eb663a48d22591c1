import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookLinks

/// Checks the events of one request, and remembers what the rules need beside the state.
struct RequestAudit {
    /// The link's text, until it is parsed.
    var text: Bytes = []
    fileprivate var approval: Approval?
    private var signature: SignatureMade?
    /// The signed transaction, where the caller gets it as proof of payment.
    private var signed: TransactionSigned?
    private var signatures = 0

    init() {}

    /// The user's approval, and the reason why it does not count, if there is one.
    fileprivate struct Approval {
        let decision: DecisionMade
        let prompt: Prompt
        let objection: Finding?
    }

    /// How many signatures were verified since the last call.
    mutating func takeSignatures() -> Int {
        defer { signatures = 0 }
        return signatures
    }

    /// Remembers an event that was checked before; the row is the request's present one.
    mutating func recall(_ event: Event, of id: RequestID, _ row: RequestRow, in state: State) {
        switch event.payload {
        case .requestReceived(let data): text = row.request == nil ? data.text : []
        case .signatureMade(let data): signature = data
        case .transactionSigned(let data): keep(data, row)
        case .decisionMade(let data) where row.status == .approved && data.decision == .approve:
            guard let request = row.request else { return }
            let prompt = state.prompt(
                for: request, id: id, wallet: data.wallet, amount: data.amount,
                coins: data.coins, repeats: row.repeats)
            approval = Approval(decision: data, prompt: prompt, objection: nil)
        default: break
        }
    }

    /// The fault of an event that must belong to a request, and belongs to none.
    static func needsRequest(_ payload: Payload) -> Finding? {
        switch payload {
        case .transactionPrepared, .signatureMade, .transactionSigned:
            Finding(.notApproved, "it belongs to no request")
        case .transactionSent: Finding(.sentUnsigned, "it belongs to no request")
        case .bindingGranted, .callbackEmitted:
            Finding(.givenWithoutDecision, "it belongs to no request")
        default: nil
        }
    }

    /// Takes the request's next event, with the row and state before it; returns its faults.
    mutating func take(
        _ event: Event, of id: RequestID, _ row: RequestRow, in state: State,
        _ verified: VerifiedSignatures?
    ) -> [Finding] {
        switch event.payload {
        case .requestReceived, .remedyRequested:
            return [Finding(.unknownRequest, "another request's first event")]
        case .decisionMade(let data):
            decide(data, event, of: id, row, in: state)
            return []
        case .decisionRefused:
            if row.status == .pending { approval = nil }
            return []
        case .transactionPrepared(let data): return prepare(data, row, state)
        case .signatureMade(let data):
            signature = data
            return checkSigning(row)
        case .transactionSigned(let data):
            keep(data, row)
            return sign(data, row, verified)
        case .transactionSent(let data): return send(data, row)
        case .bindingGranted(let data): return grant(data, row, state)
        case .callbackEmitted(let data): return answer(data, row, of: id, in: state)
        case .requestAccepted, .requestDeferred:
            // From here on the row has the caller; memory need not hold the text of open links.
            text = []
            return Self.end(row)
        // A sent payment that awaits InstantSend fails when the network drops it.
        case .transactionFailed where row.status == .sent: return []
        case .requestCancelled(let data): return cancel(data, of: id, row, in: state)
        case .requestRefused, .requestCoalesced, .requestRejected, .requestExpired,
            .transactionFailed:
            return Self.end(row)
        default: return []
        }
    }

    /// Checks that the request has not ended.
    private static func end(_ row: RequestRow) -> [Finding] {
        guard row.status.isTerminal || row.status == .sent else { return [] }
        return [Finding(.secondOutcome, "the request was \(row.status.rawValue) already")]
    }

    // MARK: - Approval

    private mutating func decide(
        _ data: DecisionMade, _ event: Event, of id: RequestID, _ row: RequestRow,
        in state: State
    ) {
        // A decision about a request that is not pending has no effect.
        guard row.status == .pending, let request = row.request else { return }
        guard data.decision == .approve else { return approval = nil }
        let prompt = state.prompt(
            for: request, id: id, wallet: data.wallet, amount: data.amount, coins: data.coins,
            repeats: row.repeats)
        var objection: Finding?
        if let expires = row.expires, event.time >= expires {
            objection = Finding(.afterExpiry, "the user approved after the request had expired")
        } else if data.prompt != prompt.digest {
            objection = Finding(.notApproved, "the user was shown something else")
        } else if !state.candidates(for: request).contains(where: { $0.id == data.wallet }) {
            objection = Finding(.notApproved, "the approved wallet can't answer the request")
        } else if !data.unlocked,
            request.needsKey(of: data.wallet.flatMap { state.wallet($0)?.wallet })
        {
            objection = Finding(.notApproved, "the wallet was not unlocked")
        }
        approval = Approval(decision: data, prompt: prompt, objection: objection)
    }

    /// The approval of a wallet's use, or the reason why there is none.
    private func approved(_ wallet: WalletID, _ row: RequestRow) -> Result<Approval, Objection> {
        if row.status == .expired {
            return .failure(Objection(.afterExpiry, "the request had expired"))
        }
        guard let approval else {
            return .failure(Objection(.notApproved, "nobody approved"))
        }
        if let objection = approval.objection {
            return .failure(Objection(objection.rule, objection.message))
        }
        guard approval.decision.wallet == wallet else {
            return .failure(Objection(.notApproved, "another wallet was approved"))
        }
        return .success(approval)
    }

    private struct Objection: Error {
        let finding: Finding

        init(_ rule: Violation.Rule, _ message: String) { finding = Finding(rule, message) }
    }

    // MARK: - Transactions

    private func prepare(
        _ data: TransactionPrepared, _ row: RequestRow, _ state: State
    ) -> [Finding] {
        if row.status != .pending, row.status != .expired, !Self.end(row).isEmpty {
            return Self.end(row)
        }
        switch approved(data.wallet, row) {
        case .failure(let objection): return [objection.finding]
        case .success(let approval):
            guard let request = row.request, let wallet = state.wallet(data.wallet) else {
                return [Finding(.notApproved, "there is no such wallet")]
            }
            let check = PreparedCheck(
                prepared: data, request: request, decision: approval.decision,
                prompt: approval.prompt, wallet: wallet)
            return check.fault(state).map { [Finding(.paysSomethingElse, $0)] } ?? []
        }
    }

    private func checkSigning(_ row: RequestRow) -> [Finding] {
        if row.status == .expired {
            return [Finding(.afterExpiry, "the request had expired")]
        }
        guard let payment = row.payment else {
            return [Finding(.notApproved, "nothing was prepared to be signed")]
        }
        // A signature that was lost is made again, with the same bytes.
        if row.status != .approved { return [] }
        switch approved(payment.wallet, row) {
        case .failure(let objection): return [objection.finding]
        case .success: return []
        }
    }

    private mutating func sign(
        _ data: TransactionSigned, _ row: RequestRow, _ verified: VerifiedSignatures?
    ) -> [Finding] {
        guard row.status == .approved, let prepared = row.prepared,
            let chain = row.request?.chain
        else {
            return Self.end(row).isEmpty
                ? [Finding(.notApproved, "nothing was prepared to be signed")] : Self.end(row)
        }
        signatures += prepared.inputs.count
        let known = verified?.signed(prepared, on: chain, with: signature?.signatures ?? [])
        if known == data { return [] }
        let check = SignedCheck(signed: data, prepared: prepared)
        return chain.rules.ledger == .accounts ? check.checkICON() : check.checkUTXO()
    }

    private mutating func keep(_ data: TransactionSigned, _ row: RequestRow) {
        signed = row.request?.proof == nil ? nil : data
    }

    private func send(_ data: TransactionSent, _ row: RequestRow) -> [Finding] {
        if !Self.end(row).isEmpty { return Self.end(row) }
        guard row.status == .signed, row.txid == data.txid else {
            return [Finding(.sentUnsigned, "the request has signed no such transaction")]
        }
        return []
    }

    /// Checks that the chain has the cancellation of a payment that ends as cancelled.
    private func cancel(
        _ data: RequestCancelled, of id: RequestID, _ row: RequestRow, in state: State
    ) -> [Finding] {
        if row.status != .completed, row.status != .sent, !Self.end(row).isEmpty {
            return Self.end(row)
        }
        guard let other = state.request(data.by),
            case .remedy(.cancel, id) = other.request?.action, state.isSettled(other)
        else {
            return [Finding(.notApproved, "no transaction of ours that cancels it is in a block")]
        }
        return []
    }

    // MARK: - Answers

    private func grant(
        _ data: BindingGranted, _ row: RequestRow, _ state: State
    ) -> [Finding] {
        if !Self.end(row).isEmpty, row.status != .expired { return Self.end(row) }
        switch approved(data.wallet, row) {
        case .failure(let objection):
            let rule = objection.finding.rule
            return [
                Finding(
                    rule == .afterExpiry ? rule : .givenWithoutDecision,
                    objection.finding.message)
            ]
        case .success:
            guard let request = row.request, Grant(data, request).isAsAsked(state) else {
                return [Finding(.givenWithoutDecision, "something else was asked for")]
            }
            return []
        }
    }

    private func answer(
        _ data: CallbackEmitted, _ row: RequestRow, of id: RequestID, in state: State
    ) -> [Finding] {
        if row.callback != nil {
            return [Finding(.secondCallback, "the request had its callback already")]
        }
        // The caller in the row comes from the log, too: comparing with it is not enough.
        guard Caller(callback: data.url) != nil else {
            return [Finding(.forbiddenCallback, "no front end may open the callback's URL")]
        }
        let callback = CallbackCheck(
            row: row, text: text, signature: signature, signed: signed)
        guard let expected = callback.url(id, state), Text.equal(expected, data.url) else {
            return [
                Finding(
                    .givenWithoutDecision,
                    "the callback says something else than what became of the request")
            ]
        }
        return []
    }
}

// MARK: - In an audit's cache

extension RequestAudit: Recorded {
    init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        text = try coder.optional("text", value.flatMap { $0.text.isEmpty ? nil : $0.text }) ?? []
        signed = try coder.optionalMap("signed", value?.signed)
        approval = try coder.optionalMap("approval", value?.approval)
        signature = try coder.optionalMap("signature", value?.signature)
    }
}

extension RequestAudit.Approval: Recorded {
    init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        prompt = try coder.map("prompt", value?.prompt)
        decision = try coder.map("decision", value?.decision)
        objection = try coder.optionalMap("objection", value?.objection)
    }
}
