import DaybookChains
import DaybookCrypto
import DaybookEncoding

extension Decider {
    /// Decides on the user's approval or rejection of a request.
    func decide(_ data: DecisionMade, _ input: Event, in state: State) -> [Outcome] {
        guard let id = input.request, let row = state.request(id) else {
            return refuse(.unknownRequest, input)
        }
        // A request that was refused, or repeats another one, never was open.
        guard let request = row.request else { return refuse(.alreadyDecided, input) }
        let isLate = row.expires.map { $0 <= input.time } ?? false
        if row.status == .expired || (row.status == .pending && isLate) {
            return refuse(.expired, input)
        }
        if data.decision == .reject, row.status == .pending || state.isUnseen(row) {
            return [Outcome(.requestRejected(RequestRejected()), request: id)]
                + callback(.refused(Refusal(.rejectedByUser)), to: request, id: id, in: state)
                + (row.txid.map { descendants(of: $0, in: state) } ?? [])
        }
        guard row.status == .pending else { return refuse(.alreadyDecided, input) }
        // A bump or cancellation that has become impossible ends: no later prompt would offer it.
        if case .remedy(let remedy, let payment) = request.action,
            case .failure(let refusal) = state.spending(for: remedy, of: payment)
        {
            return fail(request, id, because: refusal, in: state)
        }
        guard let wallet = data.wallet, let owner = state.wallet(wallet) else {
            return refuse(.wrongWallet, input)
        }
        let approval = ApprovalContext(
            id: id, request: request, row: row, wallet: wallet, owner: owner, data: data,
            input: input)
        if let refusal = validate(approval, in: state) { return refuse(refusal, input) }
        if let refusal = openAttempt(before: request, in: owner.wallet, state) {
            return refuse(refusal, input)
        }
        return approve(approval, in: state)
    }

    /// An approval that is being decided on: its input, its request and the chosen wallet.
    private struct ApprovalContext {
        let id: RequestID
        let request: Request
        let row: RequestRow
        let wallet: WalletID
        let owner: WalletRow
        let data: DecisionMade
        let input: Event
    }

    private func refuse(_ code: Refusal.Code, _ input: Event) -> [Outcome] {
        refuse(Refusal(code), input)
    }

    private func refuse(_ refusal: Refusal, _ input: Event) -> [Outcome] {
        [
            Outcome(
                .decisionRefused(DecisionRefused(refusal: refusal)), request: input.request)
        ]
    }

    /// Returns why an approval is refused: wrong wallet or amount, no key, or a prompt that has
    /// changed.
    private func validate(_ approval: ApprovalContext, in state: State) -> Refusal.Code? {
        let (request, data) = (approval.request, approval.data)
        guard state.candidates(for: request).contains(where: { $0.id == approval.wallet }) else {
            return .wrongWallet
        }
        guard data.unlocked || !request.needsKey(of: approval.owner.wallet) else {
            return .walletLocked
        }
        let now = approval.input.time
        let longest = state.rules.limits.approvalSeconds * 1_000_000
        if let began = data.began, began > now || now - began > longest {
            return .promptChanged
        }
        if let refusal = Self.refusal(ofAmountIn: data, for: request) { return refusal }
        let prompt = state.prompt(
            for: request, id: approval.id, wallet: approval.wallet, amount: data.amount,
            coins: data.coins, repeats: approval.row.repeats)
        if prompt.isIncomplete { return .cannotBeShown }
        return prompt.digest == data.prompt ? nil : .promptChanged
    }

    /// Why the entered amount or the chosen coins are not for a request.
    private static func refusal(
        ofAmountIn data: DecisionMade, for request: Request
    ) -> Refusal.Code? {
        guard case .pay(_, let fixed, _) = request.action else {
            if data.amount != nil { return .amountFixed }
            return data.coins == .automatic ? nil : .coinsFixed
        }
        if data.coins.isAll { return fixed == nil && data.amount == nil ? nil : .amountFixed }
        guard let fixed else { return data.amount == nil ? .amountMissing : nil }
        return data.amount ?? fixed == fixed ? nil : .amountFixed
    }

    private func approve(_ approval: ApprovalContext, in state: State) -> [Outcome] {
        let (request, owner, input) = (approval.request, approval.owner, approval.input)
        switch request.action {
        case .pay: return pay(approval, in: state)
        case .address(let account):
            guard let address = state.nextAddress(
                approval.wallet, account: account, caller: request.caller?.scheme)
            else { return refuse(.unknownAccount, input) }
            let reply = Reply.address(address.text)
            return grant(.address, [address.text], for: approval, reply: reply, in: state)
        case .masterPublicKey(let number):
            // A watch-only wallet may lack one of the two keys.
            guard let account = owner.wallet.account(number), !account.bip32.isEmpty,
                !account.bip44.isEmpty
            else { return refuse(.unknownAccount, input) }
            let reply = Reply.masterPublicKey(
                bip32: account.bip32, bip44: account.bip44, account: number)
            let keys = [account.bip32, account.bip44]
            return grant(.masterPublicKey, keys, for: approval, reply: reply, in: state)
        case .bind:
            let reply = Reply.bound(address: owner.address)
            return grant(.bind, [owner.address], for: approval, reply: reply, in: state)
        case .remedy(let remedy, let payment):
            switch state.spending(for: remedy, of: payment) {
            case .failure(let refusal):
                return fail(request, approval.id, because: refusal, in: state)
            case .success(let spending):
                return prepare(spending, from: approval.wallet, for: approval.id)
            }
        case .sign, .sendICX, .sendToken, .sendTransaction:
            return prepare(approval, in: state)
        }
    }

    private func grant(
        _ kind: BindingGranted.Kind, _ values: [String], for approval: ApprovalContext,
        reply: Reply, in state: State
    ) -> [Outcome] {
        let (request, id) = (approval.request, approval.id)
        let binding = BindingGranted(
            caller: request.caller?.scheme ?? "", wallet: approval.wallet, kind: kind,
            values: values)
        return [Outcome(.bindingGranted(binding), request: id)]
            + callback(reply, to: request, id: id, in: state)
    }

    // MARK: - Preparing transactions

    /// Prepares the payment that an approval agrees to: exactly the one that the prompt shows.
    private func pay(_ approval: ApprovalContext, in state: State) -> [Outcome] {
        let (request, wallet, input) = (approval.request, approval.wallet, approval.input)
        guard case .pay(_, let fixed, _) = request.action else {
            return refuse(.amountMissing, input)
        }
        let payment = Spending.payment(
            for: request, of: fixed ?? approval.data.amount, spending: approval.data.coins,
            from: wallet, state)
        let selected: SelectedPayment
        switch payment {
        case .failure(let refusal): return refuse(refusal, input)
        case .success(let found): selected = found
        }
        let unsigned = UnsignedTransaction(selected.selection)
        let inputs = zip(zip(selected.selection.inputs, selected.addresses), unsigned.digests).map {
            TransactionPrepared.Input(
                outpoint: $0.0.outpoint, amount: $0.0.amount, digest: $1, path: $0.1.path,
                publicKey: $0.1.publicKey)
        }
        let prepared = TransactionPrepared(
            wallet: wallet, bytes: unsigned.transaction.serialized(), inputs: inputs,
            changePath: selected.changePath, fee: UInt256(selected.selection.fee), reserves: [])
        return [Outcome(.transactionPrepared(prepared), request: input.request)]
    }

    private func prepare(_ approval: ApprovalContext, in state: State) -> [Outcome] {
        let (request, id) = (approval.request, approval.id)
        let (wallet, owner) = (approval.wallet, approval.owner)
        guard case .single(let publicKey) = owner.wallet.keys else {
            return fail(request, id, because: Refusal(.wrongWallet), in: state)
        }
        if let refusal = state.lowStepLimit(of: request, owner.wallet) {
            return fail(request, id, because: refusal, in: state)
        }
        if request.needsChain,
            let refusal = insufficientFunds(
                request, (wallet, owner), estimate: approval.row.estimate, in: state,
                available: { state.balance(wallet, $0).available })
        {
            return fail(request, id, because: refusal, in: state)
        }
        switch transaction(for: approval, in: state) {
        case .failure(let refusal): return fail(request, id, because: refusal, in: state)
        case .success(let transaction):
            let held = reserves(of: transaction, for: request, owner.wallet, in: state)
            let signing = TransactionPrepared.Input(
                outpoint: nil, amount: nil, digest: transaction.hash, path: "m",
                publicKey: publicKey)
            let prepared = TransactionPrepared(
                wallet: wallet, bytes: Bytes(transaction.params.text().utf8), inputs: [signing],
                fee: held.fee, reserves: held.reserves)
            return [Outcome(.transactionPrepared(prepared), request: id)]
        }
    }

    private func transaction(
        for approval: ApprovalContext, in state: State
    ) -> Result<ICONTransaction, Refusal> {
        let (request, wallet) = (approval.request, approval.owner.wallet)
        let estimate = approval.row.estimate
        do {
            switch request.action {
            case .sign(let parameters):
                return .success(try ICONTransaction(params: parameters))
            case .sendTransaction(let parameters):
                let steps = state.steps(of: request, wallet, estimate: estimate)
                let transaction = try ICONTransaction(params: parameters.withStepLimit(steps))
                return isTaken(transaction.hash, wallet, in: state)
                    ? .failure(Refusal(.invalidParameter, parameter: "timestamp"))
                    : .success(transaction)
            case .pay, .address, .masterPublicKey, .bind, .sendICX, .sendToken, .remedy:
                guard let steps = state.steps(of: request, wallet, estimate: estimate) else {
                    return .failure(Refusal(.chainUnavailable))
                }
                // Two equal payments must differ in their timestamps, even where the clock stands
                // still.
                var time = approval.data.began ?? approval.input.time
                while true {
                    switch Spending.draft(request.action, in: wallet, at: time) {
                    case .failure(let refusal): return .failure(refusal)
                    case .success(let draft):
                        let transaction = try draft.transaction(stepLimit: steps)
                        let isLast = time == .max
                        if isLast || !isTaken(transaction.hash, wallet, in: state) {
                            return .success(transaction)
                        }
                        time += 1
                    }
                }
            }
        } catch {
            return .failure(Refusal(.invalidParameter, parameter: error.key))
        }
    }

    /// Whether another request has signed this same transaction: a chain executes it only once.
    ///
    /// A request that failed does not count, because the same coins make the same transaction
    /// again.
    func isTaken(_ txid: Bytes, _ wallet: WalletAdded, in state: State) -> Bool {
        let row = state.transactions[TransactionKey(wallet.chain, wallet.network, txid)]
        guard let other = row?.request.flatMap({ state.request($0) }) else { return false }
        return !other.status.isGivenUp
    }

    /// The fee of an ICON transaction and the amounts to reserve: its value, highest fee and
    /// tokens.
    private func reserves(
        of transaction: ICONTransaction, for request: Request, _ wallet: WalletAdded,
        in state: State
    ) -> (fee: UInt256, reserves: [TransactionPrepared.Reserve]) {
        let fees = state.chain(.icon, wallet.network).iconFees
        let fee = fees.map { $0.fee(ofSteps: transaction.stepLimit) ?? .max } ?? .zero
        if case .sign = request.action { return (fee, []) }
        let coins = fee.adding(transaction.value) ?? .max
        var reserves = [TransactionPrepared.Reserve(asset: "ICX", amount: coins)]
        if case .sendToken(_, _, let value, let contract) = request.action {
            reserves.append(TransactionPrepared.Reserve(asset: contract, amount: value))
        }
        return (fee, reserves)
    }
}

extension Decider {
    /// Returns the refusal for an ICON payment while an earlier attempt of it may still be
    /// executed.
    ///
    /// No transaction that we sign can exclude the earlier one: only its expiry can. Sending the
    /// same transaction again is harmless, because it is executed once.
    func openAttempt(
        before request: Request, in wallet: WalletAdded, _ state: State
    ) -> Refusal? {
        guard request.chain.rules.ledger == .accounts else { return nil }
        var hash: Bytes?
        if case .sendTransaction(let params) = request.action {
            hash = (try? ICONTransaction(params: params))?.hash
        }
        let terms = request.attemptTerms(wallet, amount: nil)
        let open = state.attempts(of: terms, wallet.chain, wallet.network).filter {
            $0.txid != hash && state.isOpen($0)
        }
        guard !open.isEmpty else { return nil }
        let until = open.compactMap(\.row.until).max()
        return Refusal(.earlierAttemptOpen, parameter: until.map(Timestamp.seconds))
    }
}

extension State {
    /// Whether a request was approved, and no node has shown that it has the transaction.
    ///
    /// Such a request can be rejected. Its transaction may still be executed, so its attempt stays
    /// on record.
    func isUnseen(_ row: RequestRow) -> Bool {
        guard row.status == .approved || row.status == .signed else { return false }
        if let known = transaction(of: row), known.height != nil || known.locked { return false }
        guard let payment = row.payment else { return true }
        if row.txid == nil { return true }
        return !payment.inputs.contains { outpoint in
            let spent = spentOutputs[OutputKey(payment.wallet, outpoint)]
            return spent?.output.spentBy == row.txid
        }
    }
}
