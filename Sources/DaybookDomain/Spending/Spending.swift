import DaybookChains
import DaybookCrypto
import DaybookEncoding

/// Computes the transaction that a request leads to: the same for its prompt and for its signing.
enum Spending {
    /// Selects the coins of the payment that a request asks for.
    ///
    /// `amount` is what the user entered or the request fixes; nil if the coins pay all that they
    /// hold.
    static func payment(
        for request: Request, of amount: UInt64?, spending coins: CoinChoice,
        from wallet: WalletID, _ state: State
    ) -> Result<SelectedPayment, Refusal> {
        guard case .pay(let address, let fixed, let instantSend) = request.action else {
            return .failure(Refusal(.unknownMethod))
        }
        if coins.isAll, fixed != nil || amount != nil { return .failure(Refusal(.amountFixed)) }
        guard coins.isAll || amount != nil else { return .failure(Refusal(.amountMissing)) }
        let payment = payment(
            PromptCache.PaymentKey(
                amount: amount, coins: coins, address: address,
                lockable: instantSend == .required, wallet: wallet, maxFeeRate: state.maxFeeRate),
            state)
        if request.proof == .required, case .success(let found) = payment,
            !request.sendsProof(spending: found.selection.inputs.count)
        {
            return .failure(Refusal(.proofUnavailable, parameter: "pop"))
        }
        return payment
    }

    /// Selects the coins of a payment, or returns the selection that was made for this state
    /// before.
    private static func payment(
        _ key: PromptCache.PaymentKey, _ state: State
    ) -> Result<SelectedPayment, Refusal> {
        if let known = state.promptCache?.payment(for: key) { return known }
        let payment = select(key, state)
        state.promptCache?.remember(payment, for: key)
        return payment
    }

    /// Selects the coins of a payment, without the cache.
    static func select(
        _ key: PromptCache.PaymentKey, _ state: State
    ) -> Result<SelectedPayment, Refusal> {
        guard let source = PaymentSource(key, state) else {
            return .failure(Refusal(.wrongWallet))
        }
        if key.lockable, !state.chain(source.owner.chain, source.owner.network).instantSend {
            return .failure(Refusal(.instantSendUnavailable))
        }
        var chains = UnconfirmedChains(source.owner.chain, source.owner.network)
        let selected: CoinSelection
        switch source.select(state, &chains) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let found): selected = found
        }
        let addresses = selected.inputs.compactMap { input in
            state.outputs.read(OutputKey(key.wallet, input.outpoint)) { $0.address }
                .flatMap { state.addresses[$0] }
        }
        return .success(
            SelectedPayment(
                selection: selected, addresses: addresses,
                changePath: selected.change == nil ? nil : source.change.path))
    }
}

/// The wallet that pays, with all that a selection of its coins needs.
private struct PaymentSource {
    let key: PromptCache.PaymentKey
    let owner: WalletAdded
    let parameters: UTXOParameters
    let script: Bytes
    let change: AddressRow
    let coins: WalletCoins
    let feeRate: UInt64

    /// Nil if the wallet can't pay this address.
    init?(_ key: PromptCache.PaymentKey, _ state: borrowing State) {
        guard let owner = state.wallet(key.wallet)?.wallet,
            let parameters = UTXOParameters.of(owner.chain, owner.network),
            let target = UTXOAddress(parsedBefore: key.address, chain: owner.chain),
            let change = state.changeAddress(key.wallet)
        else { return nil }
        (self.key, self.owner, self.parameters, self.change) = (key, owner, parameters, change)
        script = target.scriptPubKey
        coins = WalletCoins(of: key.wallet, owner, state)
        feeRate = UTXOFees.rate(told: state.chain(owner.chain, owner.network).feeRate)
    }

    /// Whether the payment may spend a coin: one that needs InstantSend spends what can be locked.
    private func isIncluded(_ coin: Coin) -> Bool {
        !key.lockable || coin.isLocked
            || coin.confirmations >= parameters.instantSendConfirmations
    }

    /// Selects the coins, unless they would let an earlier attempt be executed as well.
    func select(
        _ state: State, _ chains: inout UnconfirmedChains
    ) -> Result<CoinSelection, Refusal> {
        let named: [Coin]
        switch state.named(key.coins, of: key.wallet, coins) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let found): named = found
        }
        guard named.allSatisfy(isIncluded) else {
            return .failure(Refusal(.instantSendUnavailable))
        }
        do throws(CoinSelectionError) {
            guard let amount = key.amount else {
                return try all(of: named, state, &chains)
            }
            let earlier = attempts(paying: amount, state)
            guard let required = required(by: earlier, among: named, state) else {
                return .failure(Refusal(.earlierAttemptOpen))
            }
            let others = named.isEmpty ? coins.byAmount.filtered(isIncluded) : CoinsByAmount([])
            let selection = try CoinSelection.select(
                candidates: others, required: named.isEmpty ? required : named, target: amount,
                script: script, feeRatePerKilobyte: feeRate, highestRate: key.maxFeeRate,
                changeScript: change.script, parameters: parameters,
                package: { chains.package(of: $0.outpoint.txid, state) })
            return checked(selection, earlier, state)
        } catch {
            return .failure(refusal(for: error, named, state, &chains))
        }
    }

    /// Selects all coins that were named, or else all that can be spent.
    private func all(
        of named: [Coin], _ state: State, _ chains: inout UnconfirmedChains
    ) throws(CoinSelectionError) -> Result<CoinSelection, Refusal> {
        let candidates = named.isEmpty
            ? coins.byAmount.filtered(isIncluded) : CoinsByAmount(named)
        let selection = try CoinSelection.all(
            of: candidates, areNamed: !named.isEmpty, script: script,
            feeRatePerKilobyte: feeRate, highestRate: key.maxFeeRate,
            changeScript: change.script,
            package: { chains.package(of: $0.outpoint.txid, state) })
        let earlier = attempts(paying: selection.payment.amount, state)
        guard required(by: earlier, among: selection.inputs, state) != nil else {
            return .failure(Refusal(.earlierAttemptOpen))
        }
        return checked(selection, earlier, state)
    }

    private func attempts(paying amount: UInt64, _ state: State) -> [Attempt] {
        state.attempts(
            of: AttemptTerms.payments(owner.chain, owner.network, to: script, of: amount),
            owner.chain, owner.network)
    }

    /// Coins whose spending excludes earlier attempts, of some if there are any; nil if none do.
    private func required(
        by earlier: [Attempt], among named: [Coin], _ state: State
    ) -> [Coin]? {
        state.coins(excluding: earlier) { outpoint in
            guard named.isEmpty else { return named.first { $0.outpoint == outpoint } }
            return coins[outpoint].flatMap { isIncluded($0) ? $0 : nil }
        }
    }

    /// The selection, unless it makes a transaction that was reported to one caller as its payment:
    /// that can't pay another request.
    private func checked(
        _ selection: CoinSelection, _ earlier: [Attempt], _ state: State
    ) -> Result<CoinSelection, Refusal> {
        earlier.contains { state.isAnswered($0, by: selection) }
            ? .failure(Refusal(.earlierAttemptOpen)) : .success(selection)
    }

    private func refusal(
        for error: CoinSelectionError, _ named: [Coin], _ state: State,
        _ chains: inout UnconfirmedChains
    ) -> Refusal {
        switch error {
        case .insufficient(let available, let needed):
            if key.lockable { return Refusal(.instantSendUnavailable) }
            // Without an amount, the coins do not even cover the fee and the least amount.
            let isBalance = key.amount.map { available < $0 } ?? (available == 0)
            let code = isBalance ? Refusal.Code.insufficientBalance : .insufficientFee
            if !named.isEmpty {
                return Refusal(code, parameter: "the named coins hold \(coin(available))")
            }
            var shortage = Shortage(of: key.wallet, owner, state, &chains)
                .reason(lacking: needed - min(available, needed))
            if key.amount == nil, isBalance { shortage = shortage ?? "the wallet is empty" }
            let reasons = [code == .insufficientFee ? most(available, needed) : nil, shortage]
                .compactMap(\.self)
            return Refusal(
                code, parameter: reasons.isEmpty ? nil : reasons.joined(separator: "; "))
        case .dust: return Refusal(.dust)
        case .unspendable: return Refusal(.earlierAttemptOpen)
        case .chainTooLong: return Refusal(.tooManyAncestors)
        case .amountOutOfRange: return Refusal(.amountTooLarge)
        case .tooLarge(let payable):
            let most = payable > 0 ? "at most \(coin(payable)) in one payment" : nil
            return Refusal(.transactionTooLarge, parameter: most)
        case .rateTooHigh, .feeTooHigh:
            return Refusal(.feeTooHigh, parameter: error.description)
        }
    }

    /// The largest amount that coins pay which cover the asked one, but not its fee.
    private func most(_ available: UInt64, _ needed: UInt64) -> String? {
        guard let amount = key.amount, needed >= amount else { return nil }
        let fee = needed - amount
        guard available >= fee + RelayPolicy.dust(of: Script(script)) else { return nil }
        return "at most \(coin(available - fee)) can be paid now"
    }

    private func coin(_ duffs: UInt64) -> String {
        "\(Duffs.text(duffs)) \(owner.chain.rules.coin.asset)"
    }
}

extension Request {
    /// The terms under which earlier attempts of this payment may be recorded.
    func attemptTerms(_ wallet: WalletAdded, amount: UInt64?) -> [Bytes] {
        switch action {
        case .pay(let address, let fixed, _):
            let address = UTXOAddress(parsedBefore: address, chain: wallet.chain)
            guard let script = address?.scriptPubKey, let amount = fixed ?? amount
            else { return [] }
            return AttemptTerms.payments(wallet.chain, wallet.network, to: script, of: amount)
        case .sendTransaction(let params):
            return [AttemptTerms.transaction(wallet.network, params)].compactMap(\.self)
        case .sendICX, .sendToken:
            guard case .success(let draft) = Spending.draft(action, in: wallet, at: 0) else {
                return []
            }
            return [AttemptTerms.transaction(wallet.network, draft.params)].compactMap(\.self)
        case .address, .masterPublicKey, .bind, .sign, .remedy: return []
        }
    }
}

extension State {
    /// Whether a selection makes the transaction of an attempt that was already reported as paid.
    func isAnswered(_ attempt: Attempt, by selection: CoinSelection) -> Bool {
        guard let row = request(attempt.row.request), row.status == .completed,
            let unsigned = row.payment?.unsigned
        else { return false }
        let bytes = UnsignedTransaction(selection).transaction.serialized()
        return unsigned == PaymentSummary.digest(ofUnsigned: bytes)
    }
}
