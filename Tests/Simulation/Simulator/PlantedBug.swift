import Daybook
import DaybookChains
import DaybookCrypto
import DaybookDomain
import DaybookEncoding

/// A bug that is put in on purpose: a simulation that does not find it tests nothing.
package enum PlantedBug: String, CaseIterable, Sendable {
    /// A decision ends a request that had ended.
    case secondEnd
    /// The disk says that a commit is durable before it is, so that effects come first.
    case early
    /// The change is a thousand duffs short.
    case change
    /// A callback that was delivered is handed out again.
    case twice
    /// Coins of a prepared transaction are not held back.
    case hold
    /// Coins that the user keeps back are spent.
    case thaw
    /// An answer that was lost counts as a refusal.
    case trusting
    /// The payment may differ from the prompt.
    case unseen
    /// Expired requests can be approved.
    case late
    /// Wrong passphrases lock nothing.
    case guesses
    /// A transaction that a node refused is sent all the same.
    case stubborn
    /// A payment that may have been made already is forgotten when it is paid again.
    case forgetful
    /// A history lacks what another wallet of the store has paid.
    case unbooked

    /// The rules with the bug in them.
    var decide: @Sendable (State, Event) -> [Outcome]? {
        { state, input in outcomes(state, input) { StoreParts.decide($0, $1) ?? [] } }
    }

    private func outcomes(
        _ state: State, _ input: Event, _ honest: (State, Event) -> [Outcome]
    ) -> [Outcome] {
        switch (self, input.payload) {
        case (.secondEnd, .decisionMade(let data)) where data.decision == .reject:
            return [Outcome(.requestRejected(RequestRejected()), request: input.request)]
        case (.change, .decisionMade):
            return honest(state, input).map(Self.shorten)
        case (.twice, .callbackDelivered):
            let url = input.request.flatMap { state.request($0)?.callback } ?? ""
            return [Outcome(.callbackEmitted(CallbackEmitted(url: url)), request: input.request)]
        case (.hold, .decisionMade):
            return honest(state.holdingNothing, input)
        case (.thaw, .decisionMade):
            return honest(state.thawed(by: input), input)
        case (.trusting, .broadcastAnswered(let data)) where data.answer == .unknown:
            return honest(state, input.saying(.broadcastAnswered(.init(answer: .refused))))
        case (.forgetful, .decisionMade(let data)):
            let forgetful = state.forgettingAttempts
            let isSeen = data.seeing(state, input) == data
            let same = isSeen ? data.seeing(forgetful, input) : data
            return honest(forgetful, input.saying(.decisionMade(same)))
        case (.unseen, .decisionMade(let data)):
            return honest(state, input.saying(.decisionMade(data.seeing(state, input))))
        case (.late, .timePassed):
            return []
        case (.late, .decisionMade):
            return honest(state, input.saying(input.payload, at: 0))
        case (.guesses, .unlockFailed):
            return []
        case (.stubborn, .broadcastAnswered(let data)) where data.answer == .refused:
            return honest(state, input) + honest(
                state, input.saying(.broadcastAnswered(.init(answer: .accepted))))
        default:
            return honest(state, input)
        }
    }

    /// The state whose histories are judged, with the bug in them.
    func booked(_ state: State) -> State {
        guard self == .unbooked else { return state }
        var state = state
        for (key, entry) in state.history.rows() {
            let meaning = state.meaning(of: entry, in: key.first)
            if meaning.request != nil, !meaning.isPayer { state.history[key] = nil }
        }
        return state
    }

    private static func shorten(_ outcome: Outcome) -> Outcome {
        guard case .transactionPrepared(let data) = outcome.payload,
            var transaction = try? UTXOTransaction.parse(data.bytes),
            transaction.outputs.count == 2
        else { return outcome }
        // In the order of BIP 69 the change may be either.
        guard let index = transaction.outputs.indices.last,
            transaction.outputs[index].amount > 100_000
        else { return outcome }
        transaction.outputs[index].amount -= 1000
        let spent = data.inputs.compactMap { input in
            PublicKey(input.publicKey).map { key in
                UTXOTransaction.Output(
                    amount: input.amount ?? 0,
                    script: Script.p2pkh(Hash160.hash(key.compressed)).bytes)
            }
        }
        guard let unsigned = UnsignedTransaction(transaction, spending: spent) else {
            return outcome
        }
        let inputs = zip(data.inputs, unsigned.digests).map { input, digest in
            TransactionPrepared.Input(
                outpoint: input.outpoint, amount: input.amount, digest: digest,
                path: input.path, publicKey: input.publicKey)
        }
        return Outcome(
            .transactionPrepared(
                TransactionPrepared(
                    wallet: data.wallet, bytes: transaction.serialized(), inputs: inputs,
                    fee: data.fee, reserves: data.reserves)), request: outcome.request)
    }
}

extension Event {
    fileprivate func saying(_ payload: Payload, at time: UInt64? = nil) -> Event {
        Event(
            position: position, time: time ?? self.time, session: session, request: request,
            payload: payload)
    }
}

extension DecisionMade {
    /// As if the user had been shown what would be done now.
    fileprivate func seeing(_ state: State, _ input: Event) -> DecisionMade {
        guard let id = input.request, let row = state.request(id), let request = row.request,
            decision == .approve
        else { return self }
        let prompt = state.prompt(
            for: request, id: id, wallet: wallet, amount: amount, repeats: row.repeats)
        return DecisionMade(
            decision: decision, prompt: prompt.digest, wallet: wallet, amount: amount,
            unlocked: unlocked)
    }
}

extension State {
    /// The state without any attempt of a payment on record.
    fileprivate var forgettingAttempts: State {
        var state = self
        for key in attempts.keys() { state.attempts[key] = nil }
        for key in attemptsByTerms.keys() { state.attemptsByTerms[key] = nil }
        return state
    }

    /// The state without any frozen coin.
    fileprivate func thawed(by event: Event) -> State {
        var state = self
        for key in frozen.keys() {
            let coin = CoinUnfrozen(wallet: key.first, coins: [key.second])
            state.evolve(event.saying(.coinUnfrozen(coin)))
        }
        return state
    }

    /// The state without any reserved coin.
    fileprivate var holdingNothing: State {
        var state = self
        for key in outputs.keys() { state.outputs.update(key) { $0.reservedBy = nil } }
        return state
    }
}
