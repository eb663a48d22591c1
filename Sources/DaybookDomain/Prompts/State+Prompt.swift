import DaybookChains
import DaybookCrypto
package import DaybookEncoding

extension State {
    /// The prompt for a request; it depends on the request and the state alone.
    ///
    /// `repeats` is an earlier request with the same text; `amount` is what the user entered, and
    /// `coins` what the user chose.
    package func prompt(
        for request: Request, id: RequestID, wallet: WalletID?, amount: UInt64?,
        coins: CoinChoice = .automatic, repeats: RequestID?
    ) -> Prompt {
        let key = PromptCache.PromptKey(
            id: id, request: request, wallet: wallet, amount: amount, coins: coins,
            repeats: repeats, maxFeeRate: maxFeeRate)
        if let known = promptCache?.prompt(for: key) { return known }
        let prompt = makePrompt(key)
        promptCache?.remember(prompt, for: key)
        return prompt
    }

    /// The wallet that a request is offered with: the first one that can answer it.
    ///
    /// If none can, it is the oldest candidate.
    package func offered(
        for request: Request, _ id: RequestID, repeats: RequestID?
    ) -> WalletID? {
        let candidates = candidates(for: request)
        guard candidates.count > 1 else { return candidates.first?.id }
        let able = candidates.first { candidate in
            if case .pay(_, nil, _) = request.action {
                return !WalletCoins(of: candidate.id, candidate.row.wallet, self).isEmpty
            }
            return prompt(
                for: request, id: id, wallet: candidate.id, amount: nil, repeats: repeats
            )["problem"] == nil
        }
        return (able ?? candidates.first)?.id
    }

    private func makePrompt(_ key: PromptCache.PromptKey) -> Prompt {
        let (request, id, wallet) = (key.request, key.id, key.wallet)
        let amount = wallet.flatMap { paid(by: request, key, from: $0) } ?? key.amount
        var lines = PromptLines()
        lines.add("method", request.action.method)
        let row = wallet.flatMap { self.wallet($0) }
        var attempts: [(request: RequestID, line: Prompt.Line)] = []
        if row == nil { lines.add("chain", request.chain.rawValue) }
        if let wallet, let row {
            lines.add(Terms.chainLines(request.chain, row.wallet.network))
            if case .bind = request.action, let nid = row.wallet.networkID {
                lines.add("nid", ICONInteger.text(nid))
            }
            if request.sendsTransaction, let checks = checks(row.wallet) {
                lines.add("checked", checks)
            }
            lines.add("wallet", wallet.description)
            if let label = row.wallet.label { lines.add("label", label) }
            describe(request, key, from: wallet, in: row.wallet, into: &lines)
            attempts = earlierAttempts(of: request, in: row.wallet, amount: amount)
            for attempt in attempts { lines.add(attempt.line.name, attempt.line.text) }
        }
        if let caller = request.caller {
            lines.add("sender", caller.scheme)
            let first = callers[KeyText(caller.scheme)]
            let isFirst = first == nil || first?.target == id
            lines.add(
                "senderStatus",
                isFirst ? "unverified, never seen before" : "unverified, seen before")
            if let other = confusable(with: caller) {
                lines.add("warning", "you approved a sender with a similar name before: \(other)")
            }
        }
        for note in request.notes { lines.add(note) }
        var named = attempts.map(\.request)
        if let repeats = key.repeats, let earlier = self.request(repeats),
            earlier.status == .completed
        {
            lines.add("warning", "the same request was already answered: \(repeats)")
            named.append(repeats)
        }
        if let row {
            let others = samePayments(
                as: request, id, in: row.wallet, amount: amount, apartFrom: named)
            for text in others { lines.add("warning", text) }
        }
        return lines.prompt
    }

    /// Describes which answers of a real node were checked; the user trusts the rest.
    private func checks(_ wallet: WalletAdded) -> String? {
        guard let identity = chain(wallet.chain, wallet.network).identity else { return nil }
        let network = "the node's network by \(identity)"
        return wallet.chain.rules.ledger == .accounts
            ? network : "\(network), each coin by the transaction that paid it"
    }

    /// The amount that all coins pay, if the user chose that.
    private func paid(
        by request: Request, _ key: PromptCache.PromptKey, from wallet: WalletID
    ) -> UInt64? {
        guard key.coins.isAll,
            case .success(let payment) = Spending.payment(
                for: request, of: key.amount, spending: key.coins, from: wallet, self)
        else { return nil }
        return payment.selection.payment.amount
    }

    private func describe(
        _ request: Request, _ key: PromptCache.PromptKey, from wallet: WalletID,
        in row: WalletAdded, into lines: inout PromptLines
    ) {
        let id = key.id
        switch request.action {
        case .pay(let address, let fixed, let instantSend):
            describePayment(
                request, of: fixed ?? key.amount, spending: key.coins, to: address, from: wallet,
                row, into: &lines)
            if instantSend != .unspecified { lines.add("instantSend", instantSend.rawValue) }
        case .address(let account):
            lines.add("account", String(account))
            lines.add("consequence", "the sender learns an unused address of this wallet")
        case .masterPublicKey(let account):
            lines.add("paths", paths(row, account))
            lines.add(
                "consequence",
                "the sender can see every address and payment of this account, for ever")
        case .bind:
            lines.add("address", self.wallet(wallet)?.address ?? "")
            lines.add("consequence", "the sender learns the address of this wallet")
        case .sign:
            describeTransaction(request, id, in: row, into: &lines)
            lines.add("consequence", "the sender can send this transaction at any time")
        case .sendTransaction, .sendICX, .sendToken:
            describeTransaction(request, id, in: row, into: &lines)
        case .remedy(let remedy, let payment):
            describeRemedy(remedy, of: payment, in: row, into: &lines)
        }
    }

    private func paths(_ row: WalletAdded, _ number: UInt32) -> String {
        guard let account = row.account(number) else { return "" }
        return "m/\(number)' and m/44'/\(account.coinType)'/\(number)'"
    }
}

extension State {
    /// The lines about earlier attempts of the payment that a prompt asks about.
    ///
    /// `amount` is what the user entered.
    func earlierAttempts(
        of request: Request, in wallet: WalletAdded, amount: UInt64?
    ) -> [(request: RequestID, line: Prompt.Line)] {
        let terms = request.attemptTerms(wallet, amount: amount)
        return attempts(of: terms, wallet.chain, wallet.network).compactMap { attempt in
            line(of: attempt).map { (attempt.row.request, $0) }
        }
    }

    private func line(of attempt: Attempt) -> Prompt.Line? {
        let name = "an earlier attempt (request \(attempt.row.request))"
        if isExecuted(attempt) {
            return Prompt.Line(
                "warning", "\(name) was executed after all: this payment is a second one")
        }
        guard isOpen(attempt) else { return nil }
        guard let until = attempt.row.until else {
            return Prompt.Line(
                "warning",
                "\(name) may still be executed; this payment spends the same coin,"
                    + " so that only one of them can be")
        }
        let time = Timestamp.seconds(until)
        return Prompt.Line(
            "problem",
            "\(name) may still be executed: the payment can be repeated after \(time),"
                + " once a node says that no block has the earlier one")
    }

    /// Warnings of other requests with the same invoice: one that waits, and one that pays it.
    ///
    /// Both are in the prompt's digest: whichever of two is approved first, the other's prompt is
    /// not the one that was shown any more.
    private func samePayments(
        as request: Request, _ id: RequestID, in wallet: WalletAdded, amount: UInt64?,
        apartFrom named: [RequestID]
    ) -> [String] {
        var warnings: [String] = []
        if let other = waiting(withInvoiceOf: request, id, amount: amount) {
            warnings.append("the same payment waits as request \(other): approve only one of them")
        }
        if let other = paid(invoiceOf: request, id, amount: amount, on: wallet.network),
            !named.contains(other), let row = self.request(other)
        {
            let time = row.decided.map { ", approved at \(Timestamp.seconds($0))" } ?? ""
            warnings.append("the same payment \(standing(of: row)) request \(other)\(time)")
        }
        return warnings
    }

    /// What became of a request that pays the same, as the middle of a sentence.
    private func standing(of row: RequestRow) -> String {
        let isSigned = row.request?.sendsTransaction == false
        if isSigned { return "was signed, for the sender to send, by" }
        return isSettled(row) ? "was made by" : "is in flight as"
    }
}
