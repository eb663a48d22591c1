import DaybookChains
import DaybookEncoding

extension Decider {
    /// The user asks to have a payment bumped or cancelled.
    ///
    /// Whether a node has the payment decides upon it, so that the chain is asked first.
    func receive(_ data: RemedyRequested, _ input: Event, _ state: State) -> [Outcome] {
        let id = RequestID(input.position)
        if let refusal = state.objection(to: data.remedy, of: data.payment) {
            return refuse(refusal, id)
        }
        guard let chain = state.request(data.payment)?.request?.chain else {
            return refuse(Refusal(.noPayment), id)
        }
        if let open = state.openRemedy(data.remedy, of: data.payment) {
            return [Outcome(.requestCoalesced(RequestCoalesced(into: open)), request: id)]
        }
        let request = Request(data.remedy, of: data.payment, on: chain)
        return [Outcome(.requestDeferred(RequestDeferred(request: request)), request: id)]
    }

    private func refuse(_ refusal: Refusal, _ id: RequestID) -> [Outcome] {
        let refused = RequestRefused(
            refusal: refusal, protocolCode: nil, link: Request.ownLink)
        return [Outcome(.requestRefused(refused), request: id)]
    }

    /// A node has said whether it has the payment that a deferred request is about.
    func judge(
        _ remedy: Remedy, of payment: RequestID, _ id: RequestID, _ request: Request,
        _ data: ChainObserved, _ input: Event, _ state: State
    ) -> [Outcome] {
        let subject = state.request(state.subject(of: remedy, payment))
        let seen = data.transactions.first { $0.txid == subject?.txid }
        if seen?.height != nil { return refuse(Refusal(.alreadyConfirmed), id) }
        switch remedy {
        case .bump where seen == nil: return refuse(Refusal(.notSent), id)
        case .cancel where seen != nil: return refuse(Refusal(.alreadySent), id)
        default: break
        }
        if case .failure(let refusal) = state.spending(for: remedy, of: payment) {
            return refuse(refusal, id)
        }
        return accept(request, id, input, state)
    }

    /// The transaction of a bump or cancellation that its user approved.
    func prepare(_ spending: RemedySpending, _ wallet: WalletID, _ id: RequestID) -> [Outcome] {
        let unsigned = UnsignedTransaction(spending.selection)
        let inputs = zip(spending.selection.inputs, unsigned.digests).map { coin, digest in
            TransactionPrepared.Input(
                outpoint: coin.outpoint, amount: coin.amount, digest: digest,
                path: spending.address.path, publicKey: spending.address.publicKey)
        }
        let prepared = TransactionPrepared(
            wallet: wallet, bytes: unsigned.transaction.serialized(), inputs: inputs,
            changePath: spending.own.path, fee: UInt256(spending.selection.fee), reserves: [])
        return [Outcome(.transactionPrepared(prepared), request: id)]
    }

    // MARK: - Only one of both

    /// What an answer decides between payments and their cancellations.
    struct Decisions {
        private var outcomes: [(txid: Bytes, outcomes: [Outcome])] = []

        mutating func add(_ outcomes: [Outcome], of txid: Bytes) {
            // Ended by one transaction, a request is not ended by another.
            let new = outcomes.filter { !ends($0.request) }
            if !new.isEmpty { self.outcomes.append((txid, new)) }
        }

        func of(_ txid: Bytes) -> [Outcome] {
            outcomes.first { $0.txid == txid }?.outcomes ?? []
        }

        func ends(_ request: RequestID?) -> Bool {
            outcomes.contains { $0.outcomes.contains { $0.request == request } }
        }
    }

    func decisions(
        _ statuses: [ChainObserved.TransactionStatus], _ data: ChainObserved, _ state: State
    ) -> Decisions {
        var decisions = Decisions()
        if data.chain == .icon { return decisions }
        for status in statuses where status.locked || status.height != nil {
            let row = state.transactions[TransactionKey(data.chain, data.network, status.txid)]
            decisions.add(decided(status, row?.request, state), of: status.txid)
        }
        return decisions
    }

    /// What a block, or a lock, that has a transaction of ours decides between a payment and its
    /// cancellation.
    private func decided(
        _ status: ChainObserved.TransactionStatus, _ id: RequestID?, _ state: State
    ) -> [Outcome] {
        guard let id, status.locked || status.height != nil, status.failure == nil,
            let row = state.request(id)
        else { return [] }
        if case .remedy(.cancel, let payment) = row.request?.action {
            return cancelled(payment, by: id, state)
        }
        guard let cancel = row.cancel, let other = state.request(cancel), state.isInFlight(other)
        else { return [] }
        return endCancellation(other, cancel)
            + (other.txid.map { descendants(of: $0, state) } ?? [])
    }

    /// The end of a payment that its cancellation excludes; who waits for it is told.
    private func cancelled(
        _ id: RequestID, by cancellation: RequestID, _ state: State
    ) -> [Outcome] {
        guard let row = state.request(id), let request = row.request, let txid = row.txid,
            !row.status.isGivenUp, row.status.isTerminal || state.isInFlight(row)
        else { return [] }
        let wasAnswered = row.status == .completed && row.callback != nil
        let data = RequestCancelled(by: cancellation, wasAnswered: wasAnswered)
        let ended = [Outcome(.requestCancelled(data), request: id)]
        let told =
            row.status == .completed ? [] : callback(.refused(data.refusal), to: request, id: id)
        return ended + told + descendants(of: txid, state)
    }

    private func endCancellation(_ row: RequestRow, _ id: RequestID) -> [Outcome] {
        if row.status == .completed { return end(row, id) }
        return row.request.map { fail(Refusal(.alreadyConfirmed), id, $0) } ?? []
    }
}

/// The transaction that bumps or cancels a payment: one coin, which comes back to its wallet.
struct RemedySpending {
    let selection: CoinSelection
    /// The address that the coin paid, whose key signs.
    let address: AddressRow
    /// The wallet's own address that is paid.
    let own: AddressRow
    /// The payment that is bumped or cancelled.
    let payment: State.UnconfirmedPayment
    /// Of a bump, what is in no block of ours and has to be paid for.
    let ancestors: Package

    /// Transactions that a block takes together.
    struct Package: Equatable {
        var fee: UInt64 = 0
        var size: UInt64 = 0
        var count = 0
        /// Whether it needs transactions of others that no block has, whose fees nobody here knows.
        var needsOthers = false

        /// Duffs for 1000 bytes.
        var rate: UInt64 { size == 0 ? 0 : fee * 1000 / size }

        mutating func add(fee: UInt64, size: UInt64) {
            self.fee += fee
            self.size += size
            count += 1
        }

        /// The fee that brings all of it, and so many bytes more, to a rate.
        func missing(to rate: UInt64, with bytes: UInt64) -> UInt64 {
            let whole = RelayPolicy.fee(ofBytes: size + bytes, ratePerKilobyte: rate)
            return whole - min(fee, whole)
        }
    }

    /// The bytes of a transaction with one input and one output, at most.
    static let size = RelayPolicy.maximumBytes(inputs: 1, outputs: [RelayPolicy.p2pkhOutput])
}

extension State {
    /// The transaction that a remedy of a payment comes to now, or why there is none.
    func spending(for remedy: Remedy, of id: RequestID) -> Result<RemedySpending, Refusal> {
        if let objection = objection(to: remedy, of: id) { return .failure(objection) }
        switch unconfirmedPayment(subject(of: remedy, id)) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let payment):
            switch remedy {
            case .bump: return bump(payment)
            case .cancel: return cancellation(payment)
            }
        }
    }

    private func feeRate(of wallet: WalletAdded) -> UInt64 {
        let known = chain(wallet.chain, wallet.network).feeRate ?? 0
        return max(known, RelayPolicy.minimumFeePerKilobyte)
    }

    // MARK: - Bumping

    /// A child of the payment's own output.
    ///
    /// The first one at least doubles the rate of the payment; another is only made once the node
    /// asks for more than the payment and its bumps pay together.
    private func bump(_ payment: UnconfirmedPayment) -> Result<RemedySpending, Refusal> {
        // A bump that no node has taken yet can't be helped by another one.
        if payment.row.status == .signed { return .failure(Refusal(.alreadyBumped)) }
        guard let ancestors = package(of: payment) else {
            return .failure(Refusal(.tooManyAncestors))
        }
        let asked = feeRate(of: payment.wallet)
        if payment.row.isBump, ancestors.rate >= asked {
            return .failure(Refusal(.alreadyBumped))
        }
        let coin: OutputRow
        switch largestOutput(of: payment) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let found): coin = found
        }
        let rate = payment.row.isBump ? asked : max(asked, ancestors.rate * 2)
        guard rate <= CoinSelection.maximumFeeRatePerKilobyte else {
            return .failure(Refusal(.feeTooHigh))
        }
        let size = RemedySpending.size
        let least = RelayPolicy.fee(ofBytes: size, ratePerKilobyte: asked)
        let fee = max(ancestors.missing(to: rate, with: size), least)
        return spending(coin, at: fee, payment, ancestors)
    }

    /// The payment and those of ours that it depends on, as far as no block has them.
    private func package(of payment: UnconfirmedPayment) -> RemedySpending.Package? {
        var package = RemedySpending.Package()
        var seen: Set<RequestID> = []
        var waiting = [payment.id]
        while let id = waiting.popLast() {
            guard seen.insert(id).inserted,
                case .success(let next) = unconfirmedPayment(id)
            else { continue }
            // Whatever a log says: we sign no transaction with a higher fee.
            let fee = UInt64(exactly: next.payment.fee) ?? .max
            package.add(fee: min(fee, RelayPolicy.suspiciousFee), size: size(of: next))
            guard package.count < RelayPolicy.ancestorLimit else { return nil }
            for outpoint in next.payment.inputs {
                let key = OutputKey(next.payment.wallet, outpoint)
                if let ours = request(
                    signing: outpoint.displayed, next.wallet.chain, next.wallet.network)
                {
                    waiting.append(ours)
                } else if let coin = spentOutputs[key] ?? outputs[key], coin.output.height == nil {
                    package.needsOthers = true
                }
            }
        }
        return package
    }

    /// The most bytes that a transaction of ours can have, which has an output of ours.
    private func size(of payment: UnconfirmedPayment) -> UInt64 {
        var outputs = [RelayPolicy.p2pkhOutput]
        if case .pay(let address, _, _) = payment.row.request?.action,
            let script = UTXOAddress(address, chain: payment.wallet.chain)?.scriptPubKey
        {
            outputs.append(UTXOTransaction.Output(amount: 0, script: script))
        }
        return RelayPolicy.maximumBytes(inputs: payment.payment.inputs.count, outputs: outputs)
    }

    private func largestOutput(of payment: UnconfirmedPayment) -> Result<OutputRow, Refusal> {
        let made = outputs(of: payment.payment.wallet, madeBy: payment.txid)
        let free = made.filter { $0.output.spentBy == nil && $0.reservedBy == nil }
        if let largest = Self.largest(free) { return .success(largest) }
        guard let later = made.lazy.compactMap(\.reservedBy).first else {
            return .failure(Refusal(.noOwnOutput))
        }
        return .failure(Refusal(.outputSpent, parameter: later.description))
    }

    private static func largest(_ rows: [OutputRow]) -> OutputRow? {
        rows.max { left, right in
            left.output.amount == right.output.amount
                ? right.output.outpoint < left.output.outpoint
                : left.output.amount < right.output.amount
        }
    }

    // MARK: - Cancelling

    /// A transaction that spends the payment's largest coin: the network can't take both.
    private func cancellation(_ payment: UnconfirmedPayment) -> Result<RemedySpending, Refusal> {
        let coins = payment.payment.inputs.compactMap { coin($0, of: payment) }
        guard let coin = Self.largest(coins) else { return .failure(Refusal(.coinsGone)) }
        let fee = RelayPolicy.fee(
            ofBytes: RemedySpending.size, ratePerKilobyte: feeRate(of: payment.wallet))
        return spending(coin, at: fee, payment, RemedySpending.Package())
    }

    /// A coin of a payment that nobody else spends or holds back.
    private func coin(_ outpoint: Outpoint, of payment: UnconfirmedPayment) -> OutputRow? {
        let key = OutputKey(payment.payment.wallet, outpoint)
        guard let row = outputs[key] ?? spentOutputs[key],
            row.reservedBy == nil || row.reservedBy == payment.id,
            row.output.spentBy == nil
                || (row.output.spentBy == payment.txid && row.output.spentHeight == nil),
            row.output.height != nil || row.isOurs
        else { return nil }
        return row
    }

    private func spending(
        _ coin: OutputRow, at fee: UInt64, _ payment: UnconfirmedPayment,
        _ ancestors: RemedySpending.Package
    ) -> Result<RemedySpending, Refusal> {
        guard let address = addresses[coin.address],
            let own = changeAddress(payment.payment.wallet)
        else { return .failure(Refusal(.wrongWallet)) }
        let output = coin.output
        let spent = Coin(
            outpoint: output.outpoint, amount: output.amount, script: output.script,
            confirmations: output.height == nil ? 0 : 1)
        do throws(CoinSelectionError) {
            let selection = try CoinSelection.returning(spent, to: own.script, fee: fee)
            return .success(
                RemedySpending(
                    selection: selection, address: address, own: own, payment: payment,
                    ancestors: ancestors))
        } catch {
            if case .insufficient = error { return .failure(Refusal(.outputTooSmall)) }
            return .failure(Refusal(.feeTooHigh))
        }
    }
}
