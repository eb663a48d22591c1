package import DaybookChains
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
            repeats: repeats, maxFeeRate: maxFeeRate, engine: rules.engine)
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
            ).content.problem == nil
        }
        return (able ?? candidates.first)?.id
    }

    private func makePrompt(_ key: PromptCache.PromptKey) -> Prompt {
        let (request, id, wallet) = (key.request, key.id, key.wallet)
        let all = wallet.flatMap { payment(ofAllBy: request, key, from: $0) }
        let amount = (try? all?.get())?.selection.payment.amount ?? key.amount
        var prompt = PromptBuilder(rules)
        let row = wallet.flatMap { self.wallet($0) }
        var attempts: [(request: RequestID, attempt: Attempt)] = []
        if let wallet, let row {
            describe(request, key, paying: all, from: wallet, in: row.wallet, into: &prompt)
            if request.sendsTransaction, let checks = checks(row.wallet) {
                prompt.add("checked", checks)
            }
            prompt.add("wallet", wallet.description)
            if let label = row.wallet.label { prompt.add("label", label) }
            attempts = earlierAttempts(of: request, in: row.wallet, amount: amount)
                .filter { describe($0.attempt, &prompt) }
        } else {
            prompt.headline("Answer a request on \(request.chain.rawValue)")
            prompt.add("chain", request.chain.rawValue)
        }
        prompt.add("method", request.action.method)
        describeSender(of: request, id, into: &prompt)
        for note in request.notes { prompt.add(note) }
        var named = attempts.map(\.request)
        if let repeats = key.repeats, let earlier = self.request(repeats),
            earlier.status == .completed
        {
            prompt.warn("repeated", rules.sentences.repeated(repeats))
            named.append(repeats)
        }
        if let row {
            warnOfSamePayments(
                as: request, id, in: row.wallet, amount: amount, apartFrom: named, &prompt)
        }
        return prompt.prompt
    }

    /// Adds the sender to the headline and to the details.
    private func describeSender(
        of request: Request, _ id: RequestID, into prompt: inout PromptBuilder
    ) {
        guard let caller = request.caller else { return }
        let name = PromptContent.short(caller.scheme, longest: 32)
        let sentences = rules.sentences
        prompt.headline(sentences.unverified(prompt.content.headline, name))
        prompt.add("sender", caller.scheme)
        let first = callers[KeyText(caller.scheme)]
        let isFirst = first == nil || first?.target == id
        prompt.add("senderStatus", isFirst ? sentences.neverSeen : sentences.seenBefore)
        if let other = confusable(with: caller) {
            prompt.warn("similarSender", sentences.similarSender(other))
        }
    }

    /// Describes which answers of a real node were checked; the user trusts the rest.
    private func checks(_ wallet: WalletAdded) -> String? {
        guard let identity = chain(wallet.chain, wallet.network).identity else { return nil }
        let network = "the node's network by \(identity)"
        return wallet.chain.rules.ledger == .accounts
            ? network : "\(network), each coin by the transaction that paid it"
    }

    /// The payment of all coins, if the user chose that.
    private func payment(
        ofAllBy request: Request, _ key: PromptCache.PromptKey, from wallet: WalletID
    ) -> Result<SelectedPayment, Refusal>? {
        guard key.coins.isAll, case .pay(_, let fixed, _) = request.action else { return nil }
        return Spending.payment(
            for: request, of: fixed ?? key.amount, spending: key.coins, from: wallet, self)
    }

    private func describe(
        _ request: Request, _ key: PromptCache.PromptKey,
        paying all: Result<SelectedPayment, Refusal>?, from wallet: WalletID,
        in row: WalletAdded, into prompt: inout PromptBuilder
    ) {
        let id = key.id
        switch request.action {
        case .pay(let address, let fixed, let instantSend):
            describePayment(
                request, of: fixed ?? key.amount, spending: key.coins, paying: all, to: address,
                from: wallet, row, into: &prompt)
            if instantSend != .unspecified { prompt.add("instantSend", instantSend.rawValue) }
        case .address(let account):
            prompt.headline("Give an unused address of wallet \(wallet)")
            prompt.add("account", String(account))
            prompt.add(Terms.chainLines(row.chain, row.network))
            prompt.add("consequence", rules.sentences.givesAddress)
        case .masterPublicKey(let account):
            prompt.headline("Give the public keys of account \(account) of wallet \(wallet)")
            prompt.add("paths", paths(row, account))
            prompt.add(Terms.chainLines(row.chain, row.network))
            prompt.add("consequence", rules.sentences.givesKeys)
        case .bind:
            prompt.headline("Give the address of wallet \(wallet)")
            prompt.add("address", self.wallet(wallet)?.address ?? "")
            prompt.add(Terms.chainLines(row.chain, row.network))
            if let nid = row.networkID { prompt.add("nid", ICONInteger.text(nid)) }
            prompt.add("consequence", rules.sentences.binds)
        case .sign:
            describeTransaction(request, id, in: row, into: &prompt)
            prompt.headline("Sign without sending: \(prompt.content.headline)")
            prompt.add("consequence", rules.sentences.signsOnly)
        case .sendTransaction, .sendICX, .sendToken:
            describeTransaction(request, id, in: row, into: &prompt)
        case .remedy(let remedy, let payment):
            describeRemedy(remedy, of: payment, in: row, into: &prompt)
        }
    }

    private func paths(_ row: WalletAdded, _ number: UInt32) -> String {
        guard let account = row.account(number) else { return "" }
        return "m/\(number)' and m/44'/\(account.coinType)'/\(number)'"
    }
}

extension State {
    /// The earlier attempts of the payment that a prompt asks about.
    ///
    /// `amount` is what the user entered.
    func earlierAttempts(
        of request: Request, in wallet: WalletAdded, amount: UInt64?
    ) -> [(request: RequestID, attempt: Attempt)] {
        let terms = request.attemptTerms(wallet, amount: amount)
        return attempts(of: terms, wallet.chain, wallet.network).map { ($0.row.request, $0) }
    }

    /// Says what may become of an earlier attempt; false if nothing can.
    private func describe(_ attempt: Attempt, _ prompt: inout PromptBuilder) -> Bool {
        let (sentences, earlier) = (rules.sentences, attempt.row.request)
        if isExecuted(attempt) {
            prompt.warn("earlierAttempt", sentences.attemptExecuted(earlier))
            return true
        }
        guard isOpen(attempt) else { return false }
        if let until = attempt.row.until {
            prompt.problem(sentences.attemptMustExpire(earlier, Timestamp.seconds(until)))
        } else {
            prompt.warn("earlierAttempt", sentences.attemptOpen(earlier))
        }
        return true
    }

    /// Warnings of other requests with the same invoice: one that waits, and one that pays it.
    ///
    /// Both are in the prompt's digest: whichever of two is approved first, the other's prompt is
    /// not the one that was shown any more.
    private func warnOfSamePayments(
        as request: Request, _ id: RequestID, in wallet: WalletAdded, amount: UInt64?,
        apartFrom named: [RequestID], _ prompt: inout PromptBuilder
    ) {
        if let other = waiting(withInvoiceOf: request, id, amount: amount) {
            prompt.warn("samePayment", rules.sentences.samePaymentWaits(other))
        }
        if let other = paid(invoiceOf: request, id, amount: amount, on: wallet.network),
            !named.contains(other), let row = self.request(other)
        {
            let time = row.decided.map { " It was approved at \(Timestamp.seconds($0))." } ?? ""
            prompt.warn("samePayment", "Request \(other) \(standing(of: row)).\(time)")
        }
    }

    /// The outcome of a request that pays the same, as the end of a sentence.
    private func standing(of row: RequestRow) -> String {
        let isSigned = row.request?.sendsTransaction == false
        if isSigned { return "signed the same payment, for the sender to send" }
        return isSettled(row) ? "made the same payment" : "is making the same payment"
    }
}

extension State {
    /// The amounts that can still be spent after a transaction at its highest fee, with units.
    ///
    /// It is as of now and changes with every other payment, so that it is in no prompt's digest.
    /// Nil if it is not known, or if the balance does not cover the transaction.
    package func left(after terms: Terms, in wallet: WalletID) -> String? {
        let coin = terms.chain.rules.coin
        guard let coins = left(
            after: terms.highestCost, of: coin.asset, coin.decimals, coin.asset, in: wallet)
        else { return nil }
        switch terms {
        case .payment: return coins
        case .icon(let terms):
            guard let contract = terms.token,
                let unit = tokens[TokenKey(terms.network, contract)]?.unit(of: contract),
                let amount = terms.params["data"]?["params"]?["_value"]?.stringValue,
                let tokens = left(
                    after: ICONInteger.parse(amount), of: contract, unit.decimals, unit.asset,
                    in: wallet)
            else { return coins }
            return "\(tokens), \(coins)"
        }
    }

    private func left(
        after cost: UInt256?, of asset: String, _ decimals: Int, _ unit: String,
        in wallet: WalletID
    ) -> String? {
        guard let cost, let rest = balance(wallet, asset).available.subtracting(cost) else {
            return nil
        }
        return "\(DecimalAmount.format(rest, decimals: decimals)) \(Text.escaped(unit))"
    }
}
