import DaybookChains
import DaybookEncoding

extension State {
    /// Applies an event about a transaction's state on its chain, whether the transaction is ours
    /// or not.
    mutating func evolveTransaction(_ event: Event) {
        switch event.payload {
        case .transactionLocked(let data):
            change(transaction: data.txid, of: data.wallet) { $0.locked = true }
        case .transactionConfirmed(let data):
            change(transaction: data.txid, of: data.wallet) {
                $0.height = data.height
                $0.blockTime = data.blockTime
                $0.spent = data.spent
                $0.isFailed = data.failure != nil
            }
            follow(data.txid, of: data.wallet, nil)
        case .transactionReorganised(let data):
            unconfirm(data, event.request)
            change(transaction: data.txid, of: data.wallet) {
                $0.height = nil
                $0.blockTime = nil
                $0.spent = []
                $0.isFailed = false
            }
            follow(data.txid, of: data.wallet, event.position)
        case .transactionDropped(let data):
            follow(data.txid, of: data.wallet, nil)
        default: break
        }
        evolveRequest(event)
    }

    /// Undoes the confirmation of an ICON transaction: its block is no longer part of the chain.
    ///
    /// The amounts that it moved are credited again, and reserved until another block has the
    /// transaction.
    private mutating func unconfirm(_ data: TransactionReorganised, _ request: RequestID?) {
        guard let wallet = wallet(data.wallet)?.wallet,
            let row = transactions[TransactionKey(wallet.chain, wallet.network, data.txid)],
            !row.spent.isEmpty
        else { return }
        for item in row.spent {
            move(
                item.amount, of: item.asset, from: .external(wallet.chain, wallet.network),
                to: .wallet(data.wallet, .confirmedFree))
            note(SignedAmount(item.amount), of: item.asset, in: data.wallet, by: data.txid)
        }
        if let id = request, let row = self.request(id), !row.status.isGivenUp,
            let payment = row.payment
        {
            reserve(payment, id)
        }
    }

    private mutating func change(
        transaction txid: Bytes, of wallet: WalletID, _ change: (inout TransactionRow) -> Void
    ) {
        guard let owner = chainID(of: wallet) else { return }
        transactions.update(TransactionKey(owner, KeyBytes(txid)), change)
    }

    /// Adds a transaction to those that scans ask about, or removes it where `since` is nil.
    private mutating func follow(_ txid: Bytes, of wallet: WalletID, _ since: Position?) {
        guard let owner = chainID(of: wallet) else { return }
        followed[TransactionKey(owner, KeyBytes(txid))] = since.map { PointerRow($0) }
    }

    /// Applies an event about a request's transaction to the request's row.
    mutating func changeTransaction(_ row: inout RequestRow, of id: RequestID, by event: Event) {
        switch event.payload {
        case .transactionPrepared(let data):
            row.status = .approved
            row.prepared = data
            let payment = PaymentSummary(
                of: data, for: row.request, in: row.wallet.flatMap { wallets[$0] }?.wallet)
            row.payment = payment
            if row.amount == nil { row.amount = row.amount(ofAllIn: data) }
            reserve(payment, id)
            if row.isCancellation { reserveSpent(payment, id) }
        case .transactionSigned(let data): sign(&row, id, by: data)
        case .transactionSent:
            row.status = awaitsLock(row) ? .sent : .completed
            if row.status == .completed { settleAttempt(row) }
        case .requestCancelled(let data):
            noteAttempt(row, id)
            giveUp(row, id, by: event)
            row.status = .cancelled
            row.refusal = data.refusal
        case .transactionDropped:
            noteAttempt(row, id)
            giveUp(row, id, by: event)
            // A cancellation whose block was reorganized away, and that is dropped, has failed.
            if case .remedy(.cancel, let payment) = row.request?.action {
                row.status = .failed
                row.refusal = Refusal(isConfirmed(payment) ? .alreadyConfirmed : .refusedByNode)
            }
            // On ICON a dropped transaction is in no block: its attempt ends once no node accepts
            // it.
            if isAttemptOver(row, at: event.time) { forgetAttempt(row) }
        case .transactionLocked:
            if row.status == .sent { complete(&row) }
        case .requestRejected:
            giveUp(row, id, by: event)
            // The caller was told that it was rejected, even if a block executes it later.
            if row.payment != nil { row.refusal = Refusal(.rejectedByUser) }
            row.status = .rejected
        case .transactionFailed(let data):
            giveUp(row, id, by: event)
            row.status = .failed
            row.refusal = data.refusal
            row.protocolCode = data.protocolCode
        case .transactionConfirmed(let data): confirm(&row, id, by: data)
        case .transactionReorganised:
            if row.status.isGivenUp {
                noteAttempt(row, id)
                giveUpAttempt(row)
            } else {
                resumeAttempt(row)
            }
        default: break
        }
    }

    /// Ends a request as paid, and removes its transaction from the attempts on record.
    private mutating func complete(_ row: inout RequestRow) {
        row.status = .completed
        settleAttempt(row)
    }

    /// Ends a payment without success: its coins are released, but it may still be executed.
    private mutating func giveUp(_ row: RequestRow, _ id: RequestID, by event: Event) {
        release(row, id)
        revertSpend(row)
        giveUpAttempt(row)
        guard let txid = row.txid, let wallet = row.wallet else { return }
        // On ICON a scan reports only the transactions that it asks about.
        let isAccount = row.request?.chain.rules.ledger == .accounts
        follow(txid, of: wallet, isAccount ? event.position : nil)
    }

    /// Records that a block has a request's transaction, even if the request was rejected or
    /// failed.
    private mutating func confirm(
        _ row: inout RequestRow, _ id: RequestID, by data: TransactionConfirmed
    ) {
        let isGivenUp = isGivenUp(row)
        if row.status == .sent {
            complete(&row)
        } else if isGivenUp, data.failure == nil {
            row.status = .completed
        }
        if data.failure != nil { forgetAttempt(row) }
        guard let wallet = self.wallet(data.wallet)?.wallet,
            wallet.chain.rules.ledger == .accounts
        else { return }
        // A payment that was given up reserves nothing; another request may hold the same coins by
        // now.
        if !isGivenUp { release(row, id) }
        for item in data.spent {
            spend(
                item.amount, of: item.asset, by: data.wallet, wallet, in: data.txid,
                at: data.height)
        }
    }

    /// Whether a request's transaction must be locked or mined before its caller is told.
    ///
    /// This holds for payments that require InstantSend, and for cancellations: until then the
    /// network may still take the payment itself. After a lost answer the lock may be recorded
    /// before we know that the transaction was sent.
    func awaitsLock(_ row: RequestRow) -> Bool {
        switch row.request?.action {
        case .pay(_, _, .required), .remedy(.cancel, _): break
        case .pay, .remedy(.bump, _), .address, .masterPublicKey, .bind, .sign, .sendICX,
            .sendToken, .sendTransaction, nil:
            return false
        }
        guard let known = transaction(of: row) else { return true }
        return !known.locked && known.height == nil
    }

    private mutating func sign(
        _ row: inout RequestRow, _ id: RequestID, by data: TransactionSigned
    ) {
        row.txid = data.txid
        if case .sign = row.request?.action {
            row.status = .completed
            return
        }
        row.status = .signed
        let coins = row.payment?.inputs.count ?? 0
        if row.request?.sendsProof(spending: coins) == true { row.proof = data.bytes }
        guard let number = row.wallet, let owner = chainID(of: number) else { return }
        transactions[TransactionKey(owner, KeyBytes(data.txid))] = TransactionRow(
            wallet: number, request: id)
        follow(data.txid, of: number, id.position)
        noteAttempt(row, id)
    }

    // MARK: - Holding coins back

    private mutating func reserve(_ data: PaymentSummary, _ id: RequestID) {
        for outpoint in data.inputs {
            change(outpoint, of: data.wallet, in: \.outputs) { $0.reservedBy = id }
        }
        for item in data.reserves {
            let free = balance(data.wallet, item.asset)[.confirmedFree]
            move(
                min(item.amount, free), of: item.asset,
                from: .wallet(data.wallet, .confirmedFree),
                to: .wallet(data.wallet, .confirmedReserved))
        }
    }

    /// Reserves coins that are recorded as spent by the payment that is to be cancelled.
    private mutating func reserveSpent(_ data: PaymentSummary, _ id: RequestID) {
        for outpoint in data.inputs {
            change(outpoint, of: data.wallet, in: \.spentOutputs) { $0.reservedBy = id }
        }
    }

    private mutating func release(_ row: RequestRow, _ id: RequestID) {
        guard let data = row.payment else { return }
        for outpoint in data.inputs {
            release(outpoint, of: data.wallet, id, to: previousHolder(of: outpoint, after: row))
        }
        for item in data.reserves {
            let held = balance(data.wallet, item.asset)[.confirmedReserved]
            move(
                min(item.amount, held), of: item.asset,
                from: .wallet(data.wallet, .confirmedReserved),
                to: .wallet(data.wallet, .confirmedFree))
        }
    }

    /// Releases a request's reservation of a coin, whether the coin is unspent, spent or removed.
    ///
    /// A coin of a failed cancellation is reserved for the payment again.
    private mutating func release(
        _ outpoint: Outpoint, of wallet: WalletID, _ id: RequestID, to previousHolder: RequestID?
    ) {
        func free(_ row: inout OutputRow) {
            if row.reservedBy == id { row.reservedBy = previousHolder }
        }
        change(outpoint, of: wallet, in: \.outputs, free)
        change(outpoint, of: wallet, in: \.spentOutputs, free)
        let key = OutputKey(wallet, outpoint)
        if reserved[key]?.target == id { reserved[key] = previousHolder.map { PointerRow($0) } }
    }

    /// The payment that had reserved a coin before a cancellation took it over.
    private func previousHolder(of outpoint: Outpoint, after row: RequestRow) -> RequestID? {
        guard case .remedy(.cancel, let id) = row.request?.action, let payment = request(id),
            isInFlight(payment), payment.payment?.inputs.contains(outpoint) == true
        else { return nil }
        return id
    }

    /// Debits an amount from the free part of a balance, then from the reserved part.
    ///
    /// The total follows the node's answer, even where it leaves less than we have reserved.
    mutating func spend(
        _ amount: UInt256, of asset: String, by number: WalletID, _ wallet: WalletAdded,
        in txid: Bytes?, at height: UInt64?
    ) {
        let row = balance(number, asset)
        let free = min(amount, row[.confirmedFree])
        let rest = min(amount.subtracting(free) ?? .zero, row[.confirmedReserved])
        let external = LedgerAccount.external(wallet.chain, wallet.network)
        move(free, of: asset, from: .wallet(number, .confirmedFree), to: external)
        move(rest, of: asset, from: .wallet(number, .confirmedReserved), to: external)
        let spent = SignedAmount(free).adding(SignedAmount(rest))
        note(spent.negated, of: asset, in: number, by: txid, at: height)
    }
}

/// The index of outputs that can change without a new block that names them.
///
/// A scan that continues from the last tip is compared with these outputs only, and not with all
/// outputs that a wallet ever had.
extension State {
    /// Adds an output to the index of unconfirmed outputs, or removes it, with the tip at a height.
    mutating func noteUnconfirmed(
        _ output: ChainObserved.Output, of wallet: WalletID, at height: UInt64
    ) {
        let key = OutputKey(wallet, output.outpoint)
        if !output.isConfirmed(at: height) {
            unconfirmed[key] = PointerRow(wallet)
        } else if unconfirmed.contains(key) {
            unconfirmed[key] = nil
        }
    }

    /// Updates the index for every output of a chain whose tip is lower now.
    mutating func noteUnconfirmed(on chain: Chain) {
        for (id, row) in wallets(of: chain) {
            let height = self.chain(row.wallet.chain, row.wallet.network).height
            for row in outputs(of: id) { noteUnconfirmed(row.output, of: id, at: height) }
        }
    }
}

extension ChainObserved.Output {
    /// Whether a block up to a height has the output, and its spending transaction if there is one.
    fileprivate func isConfirmed(at tip: UInt64) -> Bool {
        guard let height, height <= tip else { return false }
        return spentBy == nil || spentHeight.map { $0 <= tip } ?? false
    }
}

extension RequestRow {
    /// The amount of a payment of all its coins; nil of any other, whose amount is known.
    fileprivate func amount(ofAllIn prepared: TransactionPrepared) -> UInt64? {
        guard case .pay(_, nil, _) = request?.action, let fee = UInt64(exactly: prepared.fee) else {
            return nil
        }
        let (total, isTooMuch) = prepared.inputs.reduce((UInt64(0), false)) { sum, input in
            let (next, overflow) = sum.0.addingReportingOverflow(input.amount ?? 0)
            return (next, sum.1 || overflow)
        }
        return isTooMuch || total < fee ? nil : total - fee
    }
}
