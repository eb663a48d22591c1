import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookLinks

/// What the log has said of one request so far, as far as the rules need it beside the state.
struct RequestAudit {
    /// The link as it came, until it is understood.
    var text: Bytes = []
    private var approval: Approval?
    private var signature: SignatureMade?
    /// What the request has signed, where its caller gets it as proof of the payment.
    private var signed: TransactionSigned?
    private var signatures = 0

    /// The user's yes, and what speaks against its being one.
    private struct Approval {
        let decision: DecisionMade
        let prompt: Prompt
        let objection: Finding?
    }

    /// How many signatures were verified since the last call.
    mutating func takeSignatures() -> Int {
        defer { signatures = 0 }
        return signatures
    }

    /// Takes in an event that was checked before, given what the request has become since.
    mutating func recall(_ event: Event, _ id: RequestID, _ row: RequestRow, _ state: State) {
        switch event.payload {
        case .requestReceived(let data): text = row.request == nil ? data.text : []
        case .signatureMade(let data): signature = data
        case .transactionSigned(let data): keep(data, row)
        case .decisionMade(let data) where row.status == .approved && data.decision == .approve:
            guard let request = row.request else { return }
            let prompt = state.prompt(
                for: request, id: id, wallet: data.wallet, amount: data.amount,
                repeats: row.repeats)
            approval = Approval(decision: data, prompt: prompt, objection: nil)
        default: break
        }
    }

    /// What is wrong with an event that must belong to a request, and belongs to none.
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

    /// Takes in the request's next event and says what is wrong with it.
    ///
    /// The row and the state are as they were before the event.
    mutating func take(_ event: Event, _ id: RequestID, _ row: RequestRow, _ state: State)
        -> [Finding]
    {
        switch event.payload {
        case .requestReceived, .remedyRequested:
            return [Finding(.unknownRequest, "another request's first event")]
        case .decisionMade(let data):
            decide(data, event, id, row, state)
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
            return sign(data, row)
        case .transactionSent(let data): return send(data, row)
        case .bindingGranted(let data): return grant(data, row, state)
        case .callbackEmitted(let data): return answer(data, row, id, state)
        case .requestAccepted, .requestDeferred:
            // From here on the row says whom to answer, and memory holds no links that wait.
            text = []
            return Self.end(row)
        // A payment that waits for InstantSend was sent, and fails when the network drops it.
        case .transactionFailed where row.status == .sent: return []
        case .requestCancelled(let data): return cancel(data, id, row, state)
        case .requestRefused, .requestCoalesced, .requestRejected, .requestExpired,
            .transactionFailed:
            return Self.end(row)
        default: return []
        }
    }

    /// What has ended does not end again, nor go on.
    private static func end(_ row: RequestRow) -> [Finding] {
        guard row.status.isTerminal || row.status == .sent else { return [] }
        return [Finding(.secondOutcome, "the request was \(row.status.rawValue) already")]
    }

    // MARK: - The user's word

    private mutating func decide(
        _ data: DecisionMade, _ event: Event, _ id: RequestID, _ row: RequestRow, _ state: State
    ) {
        // A decision about a request that does not wait for one has no effect.
        guard row.status == .pending, let request = row.request else { return }
        guard data.decision == .approve else { return approval = nil }
        let prompt = state.prompt(
            for: request, id: id, wallet: data.wallet, amount: data.amount, repeats: row.repeats)
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

    /// The approval of a wallet's use, or what is to be said where there is none.
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
                prepared: data, request: request, amount: approval.decision.amount,
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
        // What was signed is signed again alike where a first signature was lost.
        if row.status != .approved { return [] }
        switch approved(payment.wallet, row) {
        case .failure(let objection): return [objection.finding]
        case .success: return []
        }
    }

    private mutating func sign(_ data: TransactionSigned, _ row: RequestRow) -> [Finding] {
        guard row.status == .approved, let prepared = row.prepared,
            let chain = row.request?.chain
        else {
            return Self.end(row).isEmpty
                ? [Finding(.notApproved, "nothing was prepared to be signed")] : Self.end(row)
        }
        let check = SignedCheck(signed: data, prepared: prepared)
        signatures += prepared.inputs.count
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

    /// A payment ends as cancelled only where the chain has what its user approved instead.
    private func cancel(
        _ data: RequestCancelled, _ id: RequestID, _ row: RequestRow, _ state: State
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

    // MARK: - What a caller learns

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
        _ data: CallbackEmitted, _ row: RequestRow, _ id: RequestID, _ state: State
    ) -> [Finding] {
        if row.callback != nil {
            return [Finding(.secondCallback, "the request had its callback already")]
        }
        // The row's caller came with the log: that it words the same URL proves nothing.
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
