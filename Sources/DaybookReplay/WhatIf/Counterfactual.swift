import DaybookChains
import DaybookDomain
import DaybookEncoding

/// The state after another decision, as far as the recorded inputs determine it.
struct Counterfactual {
    private var state: State
    private let id: RequestID
    private let engines: Engines
    private let decide: (State, Event) -> [Outcome]?
    private var unknown: [WhatIf.Unknown] = []
    /// Other requests whose course is unknown.
    private var unknownRequests: Set<RequestID> = []
    /// Transactions that were signed in the log, but not here.
    private var missing: Set<Bytes> = []
    /// ICON wallets whose observed balances include those transactions, so that they are unknown.
    private var indeterminate: Set<WalletID> = []

    init(
        _ state: State, _ id: RequestID, by engines: Engines,
        _ decide: @escaping (State, Event) -> [Outcome]?
    ) {
        self.state = state
        self.id = id
        self.engines = engines
        self.decide = decide
    }

    /// Applies the other decision.
    mutating func decide(_ event: Event) {
        apply(event)
        guard state.request(id)?.status == .approved else { return }
        unknown.append(
            WhatIf.Unknown(
                position: nil, request: id, type: SignatureMade.type,
                why: "the keystore was never asked, nor the network"))
    }

    /// Applies a recorded input, unless it depends on the other decision.
    ///
    /// `recorded` is the recorded state before it. Its outcomes are decided again.
    mutating func take(_ event: Event, _ recorded: State) {
        guard event.payload.isInput else { return }
        if let engine = state.unknownEngine(of: event, engines) {
            return leaveOut(event, because: "it is decided by \(engines.name(ofUnknown: engine))")
        }
        if let about = event.request, let why = difference(of: event, about, recorded) {
            return leaveOut(event, because: why)
        }
        if case .chainObserved(let data) = event.payload {
            observe(data, event)
        } else {
            apply(event)
        }
    }

    /// Leaves an input out, because what follows from it is unknown.
    private mutating func leaveOut(_ event: Event, because why: String) {
        // Later events of the session are asked about its engine.
        if case .sessionStarted = event.payload { return state.evolve(event) }
        if let about = event.request, about != id { unknownRequests.insert(about) }
        unknown.append(
            WhatIf.Unknown(
                position: event.position, request: event.request,
                type: Swift.type(of: event.payload.data).type, why: why))
    }

    /// Notes the transaction of a recorded event, if it was not signed here.
    mutating func note(_ event: Event) {
        guard case .transactionSigned(let data) = event.payload, let about = event.request,
            state.request(about)?.txid != data.txid
        else { return }
        missing.insert(data.txid)
        markIndeterminate(about)
    }

    private mutating func apply(_ event: Event) {
        state.evolve(event)
        var position = event.position
        for outcome in decide(state, event) ?? [] {
            position = position.next
            state.evolve(
                Event(
                    position: position, time: event.time,
                    session: event.session, request: outcome.request, payload: outcome.payload))
        }
    }

    // MARK: - Inputs that would differ

    /// The reason why an input about a request would differ; nil if it would be the same.
    private func difference(of event: Event, _ about: RequestID, _ recorded: State) -> String? {
        if unknownRequests.contains(about) { return "what the request had come to is unknown" }
        let (was, here) = (recorded.request(about), state.request(about))
        switch event.payload {
        case .decisionMade(let data):
            if was?.status != here?.status {
                return "the request would not have waited for its user"
            }
            if was?.status == .pending, data.decision == .approve,
                prompt(about, data, of: event, in: recorded)
                    != prompt(about, data, of: event, in: state)
            {
                return "the user would have been shown something else"
            }
            if let wallet = data.wallet, indeterminate.contains(wallet), data.decision == .approve {
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
                state.candidates(for: request).contains(where: { indeterminate.contains($0.id) })
            else { return nil }
            return "whether the balance would have sufficed is unknown"
        default: return nil
        }
    }

    private func prompt(
        _ about: RequestID, _ data: DecisionMade, of event: Event, in state: State
    ) -> Prompt? {
        guard let row = state.request(about), let request = row.request else { return nil }
        return state.seen(in: event.session, by: engines) { state in
            state.prompt(
                for: request, id: about, wallet: data.wallet, amount: data.amount,
                coins: data.coins, repeats: row.repeats)
        }
    }

    /// Marks the wallets of a missing ICON transaction, which their observed balances include.
    private mutating func markIndeterminate(_ about: RequestID) {
        guard let request = state.request(about)?.request,
            request.chain.rules.ledger == .accounts
        else { return }
        for (wallet, row) in state.wallets(of: .icon) {
            let sends = request.action.sender.map { Text.equal($0, row.address) } ?? false
            if sends || pays(request, row.address) { indeterminate.insert(wallet) }
        }
    }

    /// Whether a request can pay an address; a contract call can pay any.
    private func pays(_ request: Request, _ address: String) -> Bool {
        switch request.action {
        case .sendICX(_, let to, _, let data):
            Text.equal(to, address) || data.map { Text.equal($0.type, "call") } ?? false
        case .sendToken(_, let to, _, _): Text.equal(to, address)
        case .sign(let params), .sendTransaction(let params):
            params["to"]?.stringValue.map { Text.equal($0, address) } ?? true
                || params["dataType"]?.stringValue.map { Text.equal($0, "call") } ?? false
        case .pay, .address, .masterPublicKey, .bind, .remedy: false
        }
    }

    // MARK: - Observations

    /// Applies the part of a node's answer that does not depend on missing transactions.
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
        seen.removed = data.removed.filter { !missing.contains($0.displayed) }
        seen.transactions = data.transactions.filter { !missing.contains($0.txid) }
        let addresses = indeterminate.sorted().compactMap { state.wallet($0)?.address }
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

    // MARK: - Differences

    func result(_ recorded: State) -> WhatIf.Result {
        let figures = StateDifference.balances(recorded, state)
        let more = state.wallets().filter { indeterminate.contains($0.id) }.map { wallet in
            WhatIf.Unknown(
                position: nil, request: nil, type: "balance",
                why: "what wallet \(wallet.id) would hold: its observed balances have in them "
                    + "what there would not be")
        }
        return WhatIf.Result(
            requests: requests(recorded),
            balances: figures.filter { !indeterminate.contains($0.wallet) },
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

    private func binding(_ about: RequestID, _ lines: [BindingLine]) -> String {
        guard let line = lines.first(where: { $0.request == about }) else { return "none" }
        let binding = line.row.binding
        return "\(binding.kind.rawValue) of wallet \(binding.wallet)"
    }
}
