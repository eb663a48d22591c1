import DaybookChains
import DaybookCrypto
import DaybookEncoding

extension State {
    /// Takes in the events of a request's life.
    mutating func evolveRequest(_ event: Event) {
        guard let id = event.request else { return }
        if case .requestReceived(let data) = event.payload { return receive(data, event) }
        guard var row: RequestRow = get(Key.request(id)) else { return }
        let before = row
        change(&row, id, event)
        put(Key.request(id), row)
        index(id, before, row)
    }

    private mutating func receive(_ data: RequestReceived, _ event: Event) {
        let digest = SHA256.hash(data.text)
        let row = RequestRow(received: event.time, session: event.session, textDigest: digest)
        put(Key.request(event.position), row)
        if let key = data.key {
            put(
                Key.frontEndKey(data.frontEnd, key),
                PointerRow(position: event.position, digest: digest))
        }
    }

    private mutating func change(_ row: inout RequestRow, _ id: UInt64, _ event: Event) {
        switch event.payload {
        case .requestDeferred(let data):
            row.request = data.request
            row.status = .deferred
            noteText(&row, id)
        case .requestAccepted(let data):
            row.request = data.request
            row.expires = data.expires
            row.status = .pending
            noteText(&row, id)
            noteCaller(data.request, id)
        case .requestRefused(let data):
            row.status = .refused
            row.refusal = data.refusal
            row.link = data.link
            row.protocolCode = data.protocolCode
        case .requestCoalesced(let data):
            row.status = .coalesced
            row.into = data.into
        case .requestRejected: row.status = .rejected
        case .requestExpired: row.status = .expired
        case .decisionMade(let data): decide(&row, data)
        case .bindingGranted(let data):
            row.status = .completed
            grant(data, id, event.time)
        case .callbackEmitted(let data): row.callback = data.url
        case .callbackDelivered: row.delivered = true
        default: changeTransaction(&row, id, event)
        }
    }

    private mutating func decide(_ row: inout RequestRow, _ data: DecisionMade) {
        guard row.status == .pending, data.decision == .approve else { return }
        row.wallet = data.wallet
        row.amount = data.amount
        if data.unlocked, let wallet = data.wallet { remove(Key.unlock(wallet)) }
    }

    /// Keeps the indexes in step with a request's status.
    private mutating func index(_ id: UInt64, _ before: RequestRow, _ row: RequestRow) {
        if before.status != row.status {
            if before.status == .pending, [.approved, .completed].contains(row.status),
                let caller = row.request?.caller, engine >= 2
            {
                put(Key.approvedSender(caller), PointerRow(position: id))
            }
            if before.status == .pending, let expires = before.expires {
                remove(Key.pending(expires, id))
            }
            if row.status == .pending, let expires = row.expires {
                put(Key.pending(expires, id), PointerRow(position: id))
            }
            switch row.status {
            case .deferred, .approved, .signed, .sent:
                put(Key.work(id), PointerRow(position: id))
            default: remove(Key.work(id))
            }
        }
        if row.callback != nil, !row.delivered {
            put(Key.callback(id), PointerRow(position: id))
        } else if before.callback != nil {
            remove(Key.callback(id))
        }
    }

    /// Makes this request the one that a copy of its text is found to be a copy of.
    private mutating func noteText(_ row: inout RequestRow, _ id: UInt64) {
        let key = Key.identical(row.textDigest)
        let latest: PointerRow? = get(key)
        if let latest, latest.position != id { row.repeats = latest.position }
        put(key, PointerRow(position: id))
    }

    private mutating func noteCaller(_ request: Request, _ id: UInt64) {
        if let caller = request.caller {
            let key = Key.caller(caller.scheme)
            if !contains(key) { put(key, PointerRow(position: id)) }
        }
    }

    private mutating func grant(_ data: BindingGranted, _ id: UInt64, _ time: UInt64) {
        put(Key.binding(id), BindingRow(binding: data, time: time))
        guard data.kind == .address, let wallet: WalletRow = get(Key.wallet(data.wallet)),
            let text = data.values.first,
            let script = UTXOAddress(text, chain: wallet.wallet.chain)?.scriptPubKey,
            let owner: ScriptRow = get(
                Key.script(wallet.wallet.chain, wallet.wallet.network, script))
        else { return }
        update(owner.address) { (row: inout AddressRow) in row.givenTo = data.caller }
    }
}
