import DaybookChains
import DaybookEncoding

/// The transaction that bumps or cancels a payment: it returns one coin to its own wallet.
struct RemedySpending {
    let selection: CoinSelection
    /// The address of the coin, whose key signs.
    let address: AddressRow
    /// The wallet's address that the transaction pays.
    let own: AddressRow
    /// The payment that is bumped or cancelled.
    let payment: State.UnconfirmedPayment
    /// The unconfirmed transactions that a bump pays for; empty for a cancellation.
    let ancestors: Package

    /// Unconfirmed transactions that depend on each other, with their fees and sizes.
    struct Package: Equatable {
        var fee: UInt64 = 0
        var size: UInt64 = 0
        var count = 0
        /// Whether it depends on unconfirmed transactions of others, whose fees are not known.
        var needsOthers = false

        /// Duffs for 1000 bytes.
        var rate: UInt64 { size == 0 ? 0 : fee * 1000 / size }

        mutating func add(fee: UInt64, size: UInt64) {
            self.fee += fee
            self.size += size
            count += 1
        }

        /// The additional fee that brings the package, with some bytes more, to a fee rate.
        func missing(to rate: UInt64, with bytes: UInt64) -> UInt64 {
            let whole = UTXOFees.fee(ofBytes: size + bytes, at: rate)
            return whole - min(fee, whole)
        }
    }

    /// The bytes of a transaction with one input and one output, at most.
    static let size = RelayPolicy.maximumBytes(inputs: 1, outputs: [RelayPolicy.p2pkhOutput])
}

extension State {
    /// The transaction that bumps or cancels a payment now, or the reason why there is none.
    func spending(for remedy: Remedy, of id: RequestID) -> Result<RemedySpending, Refusal> {
        if let refusal = validate(remedy, of: id) { return .failure(refusal) }
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
        UTXOFees.rate(told: chain(wallet.chain, wallet.network).feeRate)
    }

    // MARK: - Bumping

    /// Bumps a payment by a child that spends the payment's own output (child pays for parent).
    ///
    /// The first child at least multiplies the payment's fee rate by `RuleLimits.bumpFactor`.
    /// Another one is made only when the node asks for a higher rate than the payment and its bumps
    /// have together.
    private func bump(_ payment: UnconfirmedPayment) -> Result<RemedySpending, Refusal> {
        // A second bump can't help a first one that no node has accepted.
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
        let rate = payment.row.isBump ? asked : max(asked, ancestors.rate * rules.limits.bumpFactor)
        do throws(CoinSelectionError) {
            _ = try UTXOFees.rate(paying: rate, below: maxFeeRate)
        } catch {
            return .failure(Refusal(.feeTooHigh, parameter: error.description))
        }
        let size = RemedySpending.size
        let least = UTXOFees.fee(ofBytes: size, at: asked)
        let fee = max(ancestors.missing(to: rate, with: size), least)
        return spending(coin, at: fee, for: payment, with: ancestors)
    }

    /// The payment with its unconfirmed ancestors of ours; nil if there are too many.
    private func package(of payment: UnconfirmedPayment) -> RemedySpending.Package? {
        var package = RemedySpending.Package()
        var seen: Set<RequestID> = []
        var waiting = [payment.id]
        while let id = waiting.popLast() {
            guard seen.insert(id).inserted,
                case .success(let next) = unconfirmedPayment(id)
            else { continue }
            // The recorded fee is capped, because we never sign a transaction with a higher one.
            let fee = UInt64(exactly: next.payment.fee) ?? .max
            package.add(
                fee: min(fee, UTXOFees.absurd),
                size: next.row.size(of: next.payment, on: next.wallet.chain))
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

    private func largestOutput(of payment: UnconfirmedPayment) -> Result<OutputRow, Refusal> {
        let made = outputs(of: payment.payment.wallet, madeBy: payment.txid)
        let free = made.filter {
            $0.output.spentBy == nil && $0.reservedBy == nil && !$0.isFrozen
        }
        if let largest = Self.largest(free) { return .success(largest) }
        guard let later = made.lazy.compactMap(\.reservedBy).first else {
            return .failure(Refusal(.noOwnOutput))
        }
        return .failure(refusal(toBumpBefore: later))
    }

    /// The refusal of a bump whose output another request spends: it names one that can be bumped.
    ///
    /// That is the last payment of the chain, whose bump pays for all. If it can't be bumped
    /// either, the refusal says why.
    private func refusal(toBumpBefore later: RequestID) -> Refusal {
        switch spending(for: .bump, of: later) {
        case .success: Refusal(.outputSpent, parameter: later.description)
        case .failure(let refusal):
            Refusal(refusal.code, parameter: refusal.parameter ?? later.description)
        }
    }

    private static func largest(_ rows: [OutputRow]) -> OutputRow? {
        rows.max { left, right in
            left.output.amount == right.output.amount
                ? right.output.outpoint < left.output.outpoint
                : left.output.amount < right.output.amount
        }
    }

    // MARK: - Cancelling

    /// Cancels a payment by a transaction that spends its largest coin, so that they conflict.
    private func cancellation(_ payment: UnconfirmedPayment) -> Result<RemedySpending, Refusal> {
        let coins = payment.payment.inputs.compactMap { coin($0, of: payment) }
        guard let coin = Self.largest(coins) else { return .failure(Refusal(.coinsGone)) }
        let fee = UTXOFees.fee(
            ofBytes: RemedySpending.size, at: feeRate(of: payment.wallet))
        return spending(coin, at: fee, for: payment, with: RemedySpending.Package())
    }

    /// A coin of a payment, unless another transaction spends or reserves it.
    private func coin(_ outpoint: Outpoint, of payment: UnconfirmedPayment) -> OutputRow? {
        let key = OutputKey(payment.payment.wallet, outpoint)
        guard let row = outputs[key] ?? spentOutputs[key],
            row.reservedBy == nil || row.reservedBy == payment.id, !row.isFrozen,
            row.output.spentBy == nil
                || (row.output.spentBy == payment.txid && row.output.spentHeight == nil),
            row.output.height != nil || row.isOurs
        else { return nil }
        return row
    }

    private func spending(
        _ coin: OutputRow, at fee: UInt64, for payment: UnconfirmedPayment,
        with ancestors: RemedySpending.Package
    ) -> Result<RemedySpending, Refusal> {
        guard let address = addresses[coin.address],
            let own = changeAddress(payment.payment.wallet)
        else { return .failure(Refusal(.wrongWallet)) }
        let output = coin.output
        let spent = Coin(
            outpoint: output.outpoint, amount: output.amount, script: output.script,
            confirmations: output.height == nil ? 0 : 1)
        // No node has a payment that is cancelled, so that it is no descendant of its coins.
        let isCancellation = ancestors.count == 0
        var chains = UnconfirmedChains(
            payment.wallet.chain, payment.wallet.network,
            leavingOut: isCancellation ? payment.txid : nil)
        if output.height == nil,
            !chains.package(of: output.outpoint.txid, self).takes(childOf: RemedySpending.size)
        {
            return .failure(Refusal(.tooManyAncestors))
        }
        do throws(CoinSelectionError) {
            let selection = try CoinSelection.returning(spent, to: own.script, fee: fee)
            return .success(
                RemedySpending(
                    selection: selection, address: address, own: own, payment: payment,
                    ancestors: ancestors))
        } catch {
            if case .insufficient = error { return .failure(Refusal(.outputTooSmall)) }
            return .failure(Refusal(.feeTooHigh, parameter: error.description))
        }
    }
}
