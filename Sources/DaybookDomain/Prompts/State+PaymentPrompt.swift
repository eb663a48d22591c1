import DaybookChains
import DaybookEncoding

/// The prompt of a Dash or Axe payment.
extension State {
    /// Describes a payment; `all` is that of all coins, if the user chose them.
    func describePayment(
        _ request: Request, of amount: UInt64?, spending coins: CoinChoice,
        paying all: Result<SelectedPayment, Refusal>?, to address: String,
        from wallet: WalletID, _ row: WalletAdded, into prompt: inout PromptBuilder
    ) {
        let coin = row.chain.rules.coin.asset
        guard amount != nil || coins.isAll else {
            prompt.headline(PromptContent.payment(of: nil, coin, to: address))
            prompt.add("to", address)
            prompt.add(Terms.chainLines(row.chain, row.network))
            describeProof(request, spending: nil, into: &prompt)
            return
        }
        let payment = all
            ?? Spending.payment(for: request, of: amount, spending: coins, from: wallet, self)
        switch payment {
        case .success(let payment):
            let (inputs, fee) = (payment.selection.inputs, payment.selection.fee)
            let paid = payment.selection.payment.amount
            let terms = PaymentTerms(
                chain: row.chain, network: row.network, recipient: address, amount: paid,
                highestFee: fee, farChange: payment.farChange(row.material),
                collaterals: inputs.map(\.amount).filter(row.chain.rules.collaterals.contains),
                coins: coins.named.isEmpty ? [] : inputs.map(PaymentTerms.SpentCoin.init))
            prompt.add(terms.content)
            prompt.terms = .payment(terms)
            prompt.add(amount: ShownLine("total", Duffs.text(paid + fee), unit: coin))
            if coins.isAll, coins.named.isEmpty {
                prompt.add("coins", "all \(inputs.count) that can be spent now")
            }
            describeProof(request, spending: inputs.count, into: &prompt)
            warn(of: terms, in: row, into: &prompt)
        case .failure(let refusal):
            if let amount {
                prompt.headline(
                    PromptContent.payment(of: Duffs.text(amount), coin, to: address))
                prompt.add(amount: ShownLine("amount", Duffs.text(amount), unit: coin))
                prompt.add("minor", String(amount))
            } else {
                prompt.headline("Pay everything to \(PromptContent.short(address))")
                prompt.add("coins", "all that can be spent now")
            }
            prompt.add("to", address)
            prompt.add(Terms.chainLines(row.chain, row.network))
            prompt.problem(refusal)
        }
        if ownsAddress(address, row) {
            prompt.warn("ownAddress", rules.sentences.ownAddress)
        }
    }

    /// Says whether the sender gets the transaction as proof of payment.
    private func describeProof(
        _ request: Request, spending coins: Int?, into prompt: inout PromptBuilder
    ) {
        switch request.proof {
        case nil: return
        case .declined: prompt.add("proof", rules.sentences.proofDeclined)
        case .wanted, .required:
            let isSent = request.sendsProof(spending: coins ?? 0)
            prompt.add("proof", isSent ? rules.sentences.proofSent : rules.sentences.proofTooLong)
        }
    }

    private func ownsAddress(_ address: String, _ row: WalletAdded) -> Bool {
        guard let script = UTXOAddress(parsedBefore: address, chain: row.chain)?.scriptPubKey else {
            return false
        }
        return scripts.contains(ScriptKey(row.chain, row.network, script))
    }

    /// Adds the source of the fee rate, and the warnings about a payment.
    ///
    /// Change goes to addresses that the wallet has derived.
    private func warn(
        of terms: PaymentTerms, in row: WalletAdded, into prompt: inout PromptBuilder
    ) {
        let known = chain(row.chain, row.network)
        if known.lacksFeeEstimate, let rate = known.feeRate {
            prompt.add("feeRate", rules.sentences.lowestRate(rate))
        }
        var context = TermsContext()
        context.feeRate = known.feeRate
        context.knowsChange = true
        prompt.warn(of: .payment(terms), context)
    }
}

/// The prompt of an ICON transaction: every parameter that will be signed.
extension State {
    func describeTransaction(
        _ request: Request, _ id: RequestID, in row: WalletAdded, into prompt: inout PromptBuilder
    ) {
        let steps = steps(of: request, row, estimate: self.request(id)?.estimate)
        switch Spending.parameters(request.action, in: row, steps: steps) {
        case .failure(let refusal):
            prompt.headline("Send a transaction on ICON")
            prompt.add(Terms.chainLines(.icon, row.network))
            prompt.problem(refusal)
        case .success(let parameters):
            let fees = chain(.icon, row.network).iconFees
            let terms = ICONTerms(
                network: row.network, params: parameters,
                highestFee: steps.flatMap { fees?.fee(ofSteps: $0) })
            let contract = terms.token
            let token = contract.flatMap { tokens[TokenKey(row.network, $0)] }
            prompt.add(terms.content(token: token?.unit(of: contract ?? "")))
            if let problem = problem(terms, request, in: row) {
                prompt.problem(problem)
            } else {
                prompt.terms = .icon(terms)
            }
            var context = TermsContext()
            if steps != nil, lacksEstimate(request, row, id: id) {
                prompt.warn("noEstimate", rules.sentences.noEstimate)
            } else {
                context.estimatedSteps = self.request(id)?.estimate
            }
            (context.stepPrice, context.time) = (fees?.price, self.request(id)?.received)
            prompt.warn(of: .icon(terms), context)
            if let token { warn(of: token, &prompt) }
        }
    }

    /// Why these terms can't be signed or sent; nil if they can.
    private func problem(
        _ terms: ICONTerms, _ request: Request, in row: WalletAdded
    ) -> Refusal? {
        if request.sendsTransaction, terms.highestFee == nil { return Refusal(.chainUnavailable) }
        if let refusal = lowStepLimit(of: request, row) { return refusal }
        do {
            _ = try ICONTransaction(params: terms.params(at: 0))
            return nil
        } catch {
            return Refusal(.invalidParameter, parameter: error.key)
        }
    }

    /// Warns of a token that has changed its decimals or symbol, or that has the symbol of a coin.
    private func warn(of token: TokenRow, _ prompt: inout PromptBuilder) {
        if let changed = token.changed {
            let symbol = TokenUnit.canBeShown(changed.symbol)
                ? "the symbol \(changed.symbol)" : "a symbol that can't be shown"
            prompt.warn(
                "tokenChanged",
                "The node now gives this token \(changed.decimals) decimals and \(symbol). The"
                    + " amount is shown with the \(token.decimals) decimals that were seen first.")
        }
        if TokenUnit.isReserved(token.symbol) {
            prompt.warn("tokenImitatesCoin", rules.sentences.tokenImitatesCoin)
        } else if !TokenUnit.canBeShown(token.symbol) {
            prompt.warn("tokenWithoutSymbol", rules.sentences.tokenWithoutSymbol)
        }
    }
}

/// The prompt of a bump or cancellation: the payment, its coin, and the destination.
extension State {
    func describeRemedy(
        _ remedy: Remedy, of id: RequestID, in row: WalletAdded, into prompt: inout PromptBuilder
    ) {
        let verb = remedy == .bump ? "Speed up" : "Cancel"
        prompt.headline("\(verb) the payment of request \(id)")
        prompt.add("request", id.description)
        let subject = subject(of: remedy, id)
        if let payment = request(subject), let txid = payment.txid {
            prompt.add("payment", Hex.encode(txid))
            if let fee = payment.payment.flatMap({ UInt64(exactly: $0.fee) }) {
                prompt.add("paymentFee", "\(Duffs.text(fee)) \(row.chain.rules.coin.asset)")
            }
        }
        switch spending(for: remedy, of: id) {
        case .failure(let refusal):
            prompt.add(Terms.chainLines(row.chain, row.network))
            prompt.problem(refusal)
        case .success(let spending): describe(spending, for: remedy, in: row, into: &prompt)
        }
    }

    private func describe(
        _ spending: RemedySpending, for remedy: Remedy, in row: WalletAdded,
        into prompt: inout PromptBuilder
    ) {
        let selection = spending.selection
        let headline = prompt.content.headline
        if remedy == .bump { describeRates(spending, &prompt) }
        for coin in selection.inputs {
            prompt.add("spends", "\(coin.outpoint.text), \(Duffs.text(coin.amount))")
        }
        let terms = PaymentTerms(
            chain: row.chain, network: row.network, recipient: spending.own.text,
            amount: selection.payment.amount, highestFee: selection.fee, returns: true,
            farChange: row.material.farChange(
                to: DerivationPath(spending.own.path), of: selection.payment.amount,
                spending: [spending.address.path].compactMap { DerivationPath($0) }),
            collaterals: selection.inputs.map(\.amount)
                .filter(row.chain.rules.collaterals.contains))
        prompt.add(terms.content)
        prompt.headline(headline)
        prompt.terms = .payment(terms)
        warn(of: terms, in: row, into: &prompt)
        let sentences = rules.sentences
        prompt.add("consequence", remedy == .bump ? sentences.bumps : sentences.cancels)
    }

    /// Shows the fee rate of the payment, and the rate of the payment and its child together.
    private func describeRates(_ spending: RemedySpending, _ prompt: inout PromptBuilder) {
        var both = spending.ancestors
        prompt.add("paymentRate", Self.rate(both))
        both.add(fee: spending.selection.fee, size: RemedySpending.size)
        prompt.add("rateOfBoth", Self.rate(both))
        if both.needsOthers {
            prompt.warn("unknownAncestors", rules.sentences.unknownAncestors)
        }
    }

    private static func rate(_ package: RemedySpending.Package) -> String {
        "\(package.rate) duffs per 1000 bytes"
    }
}
