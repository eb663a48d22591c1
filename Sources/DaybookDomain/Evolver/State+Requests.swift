import DaybookChains
import DaybookCrypto
import DaybookEncoding

extension State {
    /// Applies an event of a request to its row, and updates the indexes over requests.
    mutating func evolveRequest(_ event: Event) {
        guard let id = event.request else { return }
        switch event.payload {
        case .requestReceived(let data): return receive(data, event)
        case .remedyRequested(let data): return receive(data, event)
        default: break
        }
        // No event changes or reads its own request's row but through `row`.
        var row = requests.take(id)
        row?.changeInPlace { change(&$0, andIndexesOf: id, by: event) }
        requests.put(&row, at: id)
    }

    private mutating func change(
        _ row: inout RequestRow, andIndexesOf id: RequestID, by event: Event
    ) {
        let before = Indexed(row)
        change(&row, of: id, by: event)
        if row.status != before.status { row.note(event.time, after: before.status) }
        // The unsigned transaction is needed only until it is signed; afterwards the events have
        // it.
        if row.status != .approved { row.prepared = nil }
        // The callback that carries the proof is made when the transaction is sent, or never.
        if row.proof != nil, row.status != .signed, row.status != .sent { row.proof = nil }
        let now = Indexed(row)
        index(id, row, from: before, to: now)
        if keepsSearchIndex { noteContent(of: row, id, from: before, to: now) }
        notePaying(row, id, after: event.payload)
    }

    /// Updates the index of paid invoices after an event that can begin or end a payment.
    private mutating func notePaying(
        _ row: RequestRow, _ id: RequestID, after payload: Payload
    ) {
        switch payload {
        case .transactionPrepared, .transactionConfirmed, .transactionReorganised,
            .transactionDropped, .transactionFailed, .requestRejected, .requestCancelled:
            notePaying(row, id)
        default: break
        }
    }

    private mutating func receive(_ data: RequestReceived, _ event: Event) {
        let digest = SHA256.hash(data.text)
        let row = RequestRow(received: event.time, session: event.session, textDigest: digest)
        let id = RequestID(event.position)
        requests[id] = row
        mark(id, link: data.text, at: event.time)
        if let key = data.key {
            requestKeys[Pair(data.frontEnd, key)] = PointerRow(id, digest: digest)
        }
    }

    private mutating func receive(_ data: RemedyRequested, _ event: Event) {
        // No link has a zero byte, so a link's text can't equal this text.
        let text = [0] + Bytes("\(data.remedy.rawValue) \(data.payment)".utf8)
        let id = RequestID(event.position)
        requests[id] = RequestRow(
            received: event.time, session: event.session, textDigest: SHA256.hash(text))
        mark(id, SearchMarks(), at: event.time)
    }

    /// Records this request as the latest one that bumps or cancels a payment.
    private mutating func noteRemedy(_ request: Request, _ id: RequestID) {
        guard case .remedy(let remedy, let payment) = request.action else { return }
        switch remedy {
        case .bump: requests.update(bumped(by: payment)) { $0.bump = id }
        case .cancel: requests.update(payment) { $0.cancel = id }
        }
    }

    private mutating func change(_ row: inout RequestRow, of id: RequestID, by event: Event) {
        switch event.payload {
        case .requestDeferred(let data):
            row.request = data.request
            row.status = .deferred
            noteText(&row, id)
            noteRemedy(data.request, id)
        case .requestAccepted(let data):
            row.request = data.request
            row.expires = data.expires
            row.status = .pending
            noteText(&row, id)
            noteCaller(data.request, id)
            noteRemedy(data.request, id)
        case .requestRefused(let data):
            row.status = .refused
            row.refusal = data.refusal
            row.link = data.link
            row.protocolCode = data.protocolCode
        case .requestCoalesced(let data):
            row.status = .coalesced
            row.into = data.into
        case .requestExpired: row.status = .expired
        case .decisionMade(let data): decide(&row, data)
        case .bindingGranted(let data):
            row.status = .completed
            grant(data, for: id, at: event.time)
        case .callbackEmitted(let data): row.callback = data.url
        case .callbackDelivered: row.delivered = true
        default: changeTransaction(&row, of: id, by: event)
        }
    }

    private mutating func decide(_ row: inout RequestRow, _ data: DecisionMade) {
        guard row.status == .pending, data.decision == .approve else { return }
        row.wallet = data.wallet
        row.amount = data.amount
        if data.unlocked, let wallet = data.wallet { unlocks[wallet] = nil }
    }

    /// The parts of a request's row that the indexes depend on.
    private struct Indexed {
        let status: RequestRow.Status
        let expires: UInt64?
        let hasWork: Bool
        let hasCallback: Bool
        let amount: UInt64?
        let hasTransaction: Bool
        /// Whether it is known what it asks for.
        let isKnown: Bool

        init(_ row: borrowing RequestRow) {
            status = row.status
            expires = row.expires
            hasWork = row.status.needsWork
            hasCallback = row.callback != nil && !row.delivered
            amount = row.amount
            hasTransaction = row.txid != nil
            isKnown = row.callerScheme != nil || row.into != nil
        }
    }

    /// Updates the indexes after a change of a request's row.
    private mutating func index(
        _ id: RequestID, _ row: RequestRow, from before: Indexed, to now: Indexed
    ) {
        let pointer = PointerRow(id)
        if before.status != now.status {
            if before.status == .pending, [.approved, .completed].contains(now.status),
                let caller = row.request?.caller
            {
                approved[Pair(caller.skeleton, caller.scheme)] = pointer
            }
            if before.status == .pending, let expires = before.expires {
                pending[Pair(expires, id)] = nil
                noteWaiting(row, id, isWaiting: false)
            }
            if now.status == .pending, let expires = now.expires {
                pending[Pair(expires, id)] = pointer
                noteWaiting(row, id, isWaiting: true)
            }
        }
        if before.hasWork != now.hasWork {
            if now.hasWork { work[id] = pointer } else { work[id] = nil }
        }
        if before.hasCallback != now.hasCallback, let url = row.callback {
            if !now.hasCallback {
                if callbacks.contains(id) { callbacks[id] = nil }
            } else if isDue(url, row.status) {
                callbacks[id] = pointer
            }
        }
    }

    /// Marks for searches what an event has added to a request.
    private mutating func noteContent(
        of row: RequestRow, _ id: RequestID, from before: Indexed, to now: Indexed
    ) {
        var marks = SearchMarks()
        if !before.isKnown || before.amount != now.amount,
            let request = row.request ?? row.into.flatMap({ self.request($0)?.request })
        {
            marks.add(request, entered: row.amount)
        }
        if before.status != now.status, let refusal = row.refusal {
            let reason = refusal.reason(inLink: row.link)
            marks.add(text: reason.utf8.span)
        }
        if !before.hasTransaction, let txid = row.txid { marks.add(transaction: txid) }
        mark(id, marks)
    }

    /// Whether a front end should open a callback that was emitted outside a call of its own.
    ///
    /// The callback of a user's decision is always due. Refusals without a decision are due only
    /// for senders whom the user approved before: anyone can send bad links, or links that expire,
    /// under any number of names, and each would make the front end open a URL of the sender's
    /// choice.
    private func isDue(_ url: String, _ status: RequestRow.Status) -> Bool {
        switch status {
        case .completed, .rejected, .failed, .coalesced, .cancelled: true
        case .received, .deferred, .pending, .approved, .signed, .sent, .refused, .expired:
            hasApproved(Caller(ofCallback: url))
        }
    }

    /// Records this request as the latest one with its text, which a later copy is compared with.
    private mutating func noteText(_ row: inout RequestRow, _ id: RequestID) {
        let key = KeyDigest(row.textDigest)
        if let latest = identical[key], latest.target != id { row.repeats = latest.target }
        identical[key] = PointerRow(id)
    }

    private mutating func noteCaller(_ request: Request, _ id: RequestID) {
        if let caller = request.caller {
            let key = KeyText(caller.scheme)
            if !callers.contains(key) { callers[key] = PointerRow(id) }
        }
    }

    private mutating func grant(_ data: BindingGranted, for id: RequestID, at time: UInt64) {
        bindings[id] = BindingRow(binding: data, time: time)
        guard data.kind == .address, let wallet = wallets[data.wallet],
            let text = data.values.first,
            let script = UTXOAddress(text, chain: wallet.wallet.chain)?.scriptPubKey,
            let owner = scripts[ScriptKey(wallet.wallet.chain, wallet.wallet.network, script)]
        else { return }
        addresses.update(owner.address) { row in row.givenTo = data.caller }
    }
}

extension RequestRow {
    /// Changes the row where it is: a copy would count the references of all its fields.
    fileprivate mutating func changeInPlace(_ change: (inout RequestRow) -> Void) { change(&self) }

    /// Notes the time of a change of its status.
    fileprivate mutating func note(_ time: UInt64, after before: Status) {
        ended = status.isTerminal ? time : nil
        guard before == .pending else { return }
        switch status {
        case .approved, .completed, .rejected, .failed: decided = time
        case .received, .deferred, .pending, .signed, .sent, .refused, .coalesced, .expired,
            .cancelled:
            break
        }
    }
}
