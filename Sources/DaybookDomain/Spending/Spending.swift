import DaybookChains
import DaybookCrypto
import DaybookEncoding

/// Computes the transaction that a request leads to: the same for its prompt and for its signing.
enum Spending {
    /// Selects the coins of the payment that a request asks for.
    static func payment(
        for request: Request, of amount: UInt64, from wallet: WalletID, _ state: State
    ) -> Result<SelectedPayment, Refusal> {
        guard case .pay(let address, _, let instantSend) = request.action else {
            return .failure(Refusal(.unknownMethod))
        }
        let payment = payment(
            of: amount, to: address, lockable: instantSend == .required, from: wallet, state)
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
        of amount: UInt64, to address: String, lockable: Bool, from wallet: WalletID, _ state: State
    ) -> Result<SelectedPayment, Refusal> {
        let key = PromptCache.PaymentKey(
            amount: amount, address: address, lockable: lockable, wallet: wallet,
            maxFeeRate: state.maxFeeRate)
        if let known = state.promptCache?.payment(for: key) { return known }
        let payment = select(key, state)
        state.promptCache?.remember(payment, for: key)
        return payment
    }

    /// Selects the coins of a payment, without the cache.
    static func select(
        _ key: PromptCache.PaymentKey, _ state: State
    ) -> Result<SelectedPayment, Refusal> {
        let (amount, wallet, lockable) = (key.amount, key.wallet, key.lockable)
        guard let owner = state.wallet(wallet)?.wallet,
            let parameters = UTXOParameters.of(owner.chain, owner.network),
            let target = UTXOAddress(key.address, chain: owner.chain),
            let change = state.changeAddress(wallet)
        else { return .failure(Refusal(.wrongWallet)) }
        let chain = state.chain(owner.chain, owner.network)
        let coins = WalletCoins(of: wallet, owner, state)
        if lockable, !chain.instantSend { return .failure(Refusal(.instantSendUnavailable)) }
        let depth = parameters.instantSendConfirmations
        func isIncluded(_ coin: Coin) -> Bool {
            !lockable || coin.isLocked || coin.confirmations >= depth
        }
        let earlier = state.attempts(
            of: AttemptTerms.payments(
                owner.chain, owner.network, to: target.scriptPubKey, of: amount),
            owner.chain, owner.network)
        let required = state.coins(excluding: earlier) { outpoint in
            coins[outpoint].flatMap { isIncluded($0) ? $0 : nil }
        }
        guard let required else {
            return .failure(Refusal(.earlierAttemptOpen))
        }
        var chains = UnconfirmedChains(owner.chain, owner.network)
        do throws(CoinSelectionError) {
            let selection = try CoinSelection.select(
                candidates: coins.byAmount.filtered(isIncluded), required: required, target: amount,
                script: target.scriptPubKey,
                feeRatePerKilobyte: chain.feeRate ?? RelayPolicy.minimumFeePerKilobyte,
                highestRate: key.maxFeeRate,
                changeScript: change.script, parameters: parameters,
                package: { chains.package(of: $0.outpoint.txid, state) })
            let addresses = selection.inputs.compactMap { input in
                state.outputs.read(OutputKey(wallet, input.outpoint)) { $0.address }
                    .flatMap { state.addresses[$0] }
            }
            // A transaction that was reported to one caller as its payment can't pay another
            // request.
            if earlier.contains(where: { state.isAnswered($0, by: selection) }) {
                return .failure(Refusal(.earlierAttemptOpen))
            }
            return .success(
                SelectedPayment(
                    selection: selection, addresses: addresses,
                    changePath: selection.change == nil ? nil : change.path))
        } catch {
            if case .insufficient(let available, let needed) = error, !lockable {
                let shortage = Shortage(of: wallet, owner, state, &chains)
                return .failure(
                    Refusal(
                        available < amount ? .insufficientBalance : .insufficientFee,
                        parameter: shortage.reason(lacking: needed - min(available, needed))))
            }
            return .failure(Self.refusal(for: error, lockable: lockable, of: amount))
        }
    }

    private static func refusal(
        for error: CoinSelectionError, lockable: Bool, of amount: UInt64
    ) -> Refusal {
        switch error {
        case .insufficient(let available, _):
            if lockable { return Refusal(.instantSendUnavailable) }
            return Refusal(available < amount ? .insufficientBalance : .insufficientFee)
        case .dust: return Refusal(.dust)
        case .unspendable: return Refusal(.earlierAttemptOpen)
        case .chainTooLong: return Refusal(.tooManyAncestors)
        case .amountOutOfRange: return Refusal(.amountTooLarge)
        case .tooLarge: return Refusal(.transactionTooLarge)
        case .rateTooHigh, .feeTooHigh:
            return Refusal(.feeTooHigh, parameter: error.description)
        }
    }
}

extension Request {
    /// The terms under which earlier attempts of this payment may be recorded.
    func attemptTerms(_ wallet: WalletAdded, amount: UInt64?) -> [Bytes] {
        switch action {
        case .pay(let address, let fixed, _):
            guard let script = UTXOAddress(address, chain: wallet.chain)?.scriptPubKey,
                let amount = fixed ?? amount
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
