import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookProjections

/// The state as it would be after another decision, as far as recorded inputs say.
struct OtherWorld {
    private var state: State
    private let id: UInt64
    private let decide: (State, Event) -> [Outcome]
    private var unknown: [WhatIf.Unknown] = []
    /// Other requests of which nobody knows what would have become.
    private var unknownRequests: Set<UInt64> = []
    /// Transactions that were signed, and here were not.
    private var missing: Set<Bytes> = []
    /// ICON wallets whose observed balances those transactions are part of.
    private var clouded: Set<UInt64> = []

    init(_ state: State, _ id: UInt64, _ decide: @escaping (State, Event) -> [Outcome]) {
        self.state = state
        self.id = id
        self.decide = decide
    }

    /// Takes in the other decision.
    mutating func decide(_ event: Event) {
        apply(event)
        guard state.request(id)?.status == .approved else { return }
        unknown.append(
            WhatIf.Unknown(
                position: nil, request: id, type: SignatureMade.type,
                why: "the keystore was never asked, nor the network"))
    }

    /// Takes in a recorded input, if it would have come like this; `recorded` is the state that
    /// it came to. Outcomes are decided here.
    mutating func take(_ event: Event, _ recorded: State) {
        guard event.payload.isInput else { return }
        if let about = event.request, let why = objection(to: event, about, recorded) {
            if about != id { unknownRequests.insert(about) }
            unknown.append(
                WhatIf.Unknown(
                    position: event.position, request: about,
                    type: Swift.type(of: event.payload.data).type, why: why))
            return
        }
        if case .chainObserved(let data) = event.payload {
            observe(data, event)
        } else {
            apply(event)
        }
    }

    /// Notes a recorded event: a transaction that was signed there and not here.
    mutating func note(_ event: Event) {
        guard case .transactionSigned(let data) = event.payload, let about = event.request,
            state.request(about)?.txid != data.txid
        else { return }
        missing.insert(data.txid)
        cloud(about)
    }

    private mutating func apply(_ event: Event) {
        state.evolve(event)
        for (index, outcome) in decide(state, event).enumerated() {
            state.evolve(
                Event(
                    position: event.position + 1 + UInt64(index), time: event.time,
                    session: event.session, request: outcome.request, payload: outcome.payload))
        }
    }

    // MARK: - What would not have come

    /// Why an input about a request would not have come like this; nil if it would have.
    private func objection(to event: Event, _ about: UInt64, _ recorded: State) -> String? {
        if unknownRequests.contains(about) { return "what the request had come to is unknown" }
        let (was, here) = (recorded.request(about), state.request(about))
        switch event.payload {
        case .decisionMade(let data):
            if was?.status != here?.status {
                return "the request would not have waited for its user"
            }
            if was?.status == .pending, data.decision == .approve,
                prompt(about, data, recorded) != prompt(about, data, state)
            {
                return "the user would have been shown something else"
            }
            if let wallet = data.wallet, clouded.contains(wallet), data.decision == .approve {
                return "whether the balance would have sufficed is unknown"
            }
            return nil
        case .signatureMade, .signatureFailed:
            return was?.status == here?.status && was?.prepared == here?.prepared
                && was?.payment == here?.payment
                ? nil : "there would not have been this transaction to sign"
        case .broadcastAnswered:
            return was?.status == here?.status && was?.txid == here?.txid
                ? nil : "there would not have been this transaction to send"
        case .callbackDelivered:
            return was?.callback == here?.callback
                ? nil : "there would not have been this callback"
        case .chainObserved, .chainUnavailable:
            guard here?.status == .deferred, let request = here?.request,
                state.candidates(for: request).contains(where: { clouded.contains($0.id) })
            else { return nil }
            return "whether the balance would have sufficed is unknown"
        default: return nil
        }
    }

    private func prompt(_ about: UInt64, _ data: DecisionMade, _ state: State) -> Prompt? {
        guard let row = state.request(about), let request = row.request else { return nil }
        return state.prompt(
            for: request, id: about, wallet: data.wallet, amount: data.amount,
            repeats: row.repeats)
    }

    /// On ICON only balances are seen, and a missing transaction is in those that follow it.
    private mutating func cloud(_ about: UInt64) {
        guard let request = state.request(about)?.request, request.chain == .icon else { return }
        for (wallet, row) in state.wallets(of: .icon) {
            let sends = request.action.sender.map { Text.equal($0, row.address) } ?? false
            if sends || pays(request, row.address) { clouded.insert(wallet) }
        }
    }

    /// Whether the receiver is an address; a contract that is called may pay any.
    private func pays(_ request: Request, _ address: String) -> Bool {
        switch request.action {
        case .sendICX(_, let to, _, let data):
            Text.equal(to, address) || data.map { Text.equal($0.type, "call") } ?? false
        case .sendToken(_, let to, _, _): Text.equal(to, address)
        case .sign(let params), .sendTransaction(let params):
            params["to"]?.stringValue.map { Text.equal($0, address) } ?? true
                || params["dataType"]?.stringValue.map { Text.equal($0, "call") } ?? false
        default: false
        }
    }

    // MARK: - Observations

    /// Takes in what a node would have said all the same.
    private mutating func observe(_ data: ChainObserved, _ event: Event) {
        var seen = data
        seen.outputs = data.outputs.filter { !missing.contains($0.outpoint.displayed) }
        for index in seen.outputs.indices {
            guard let spender = seen.outputs[index].spentBy, missing.contains(spender) else {
                continue
            }
            seen.outputs[index].spentBy = nil
            seen.outputs[index].spentHeight = nil
        }
        seen.vanished = data.vanished.filter { !missing.contains($0.displayed) }
        seen.transactions = data.transactions.filter { !missing.contains($0.txid) }
        let addresses = clouded.sorted().compactMap { state.wallet($0)?.address }
        seen.balances = data.balances.filter { balance in
            !addresses.contains { Text.equal($0, balance.address) }
        }
        if seen != data {
            unknown.append(
                WhatIf.Unknown(
                    position: event.position, request: event.request, type: ChainObserved.type,
                    why: "a part of it follows from a transaction that there would not be"))
        }
        apply(
            Event(
                position: event.position, time: event.time, session: event.session,
                request: event.request, payload: .chainObserved(seen)))
    }

    // MARK: - What differs

    func result(_ recorded: State) -> WhatIf.Result {
        let figures = StateDifference.balances(recorded, state)
        let more = state.wallets().filter { clouded.contains($0.id) }.map { wallet in
            WhatIf.Unknown(
                position: nil, request: nil, type: "balance",
                why: "what wallet \(wallet.id) would hold: its observed balances have in them "
                    + "what there would not be")
        }
        return WhatIf.Result(
            requests: requests(recorded),
            balances: figures.filter { !clouded.contains($0.wallet) },
            unknown: unknown + more)
    }

    private func requests(_ recorded: State) -> [WhatIf.Change] {
        let here = state.requests.rows()
        let bindings = (recorded.bindingLines(), state.bindingLines())
        return here.flatMap { key, row -> [WhatIf.Change] in
            let about = key
            guard !unknownRequests.contains(about), let was = recorded.request(about) else {
                return []
            }
            let fields: [(String, String, String)] = [
                ("status", was.status.rawValue, row.status.rawValue),
                ("code", text(was.refusal?.code.rawValue), text(row.refusal?.code.rawValue)),
                ("txid", text(was.txid.map { Hex.encode($0) }), text(row.txid.map(Hex.encode))),
                ("callback", text(was.callback), text(row.callback)),
                ("binding", binding(about, bindings.0), binding(about, bindings.1)),
            ]
            return fields.filter { !Text.equal($0.1, $0.2) }.map { field, recorded, then in
                WhatIf.Change(request: about, field: field, recorded: recorded, then: then)
            }
        }
    }

    private func text(_ value: String?) -> String { value ?? "none" }

    private func binding(_ about: UInt64, _ lines: [BindingLine]) -> String {
        guard let line = lines.first(where: { $0.request == about }) else { return "none" }
        let binding = line.row.binding
        return "\(binding.kind.rawValue) of wallet \(binding.wallet)"
    }
}
