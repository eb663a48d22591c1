import DaybookChains
import DaybookEncoding

/// The lines of a prompt about a Dash or Axe payment.
extension State {
    func describePayment(
        _ request: Request, of amount: UInt64?, spending coins: CoinChoice, to address: String,
        from wallet: WalletID, _ row: WalletAdded, into lines: inout PromptLines
    ) {
        guard let parameters = UTXOParameters.of(row.chain, row.network) else { return }
        let coin = parameters.coinName
        guard amount != nil || coins.isAll else {
            lines.add("to", address)
            lines.add("asset", coin)
            lines.add("amount", "to be entered")
            describeProof(request, spending: nil, into: &lines)
            return
        }
        switch Spending.payment(for: request, of: amount, spending: coins, from: wallet, self) {
        case .success(let payment):
            let (inputs, fee) = (payment.selection.inputs, payment.selection.fee)
            let paid = payment.selection.payment.amount
            let terms = PaymentTerms(
                chain: row.chain, network: row.network, recipient: address, amount: paid,
                highestFee: fee, farChange: payment.farChange(row.material),
                collaterals: parameters.collaterals(among: inputs.map(\.amount)),
                coins: coins.named.isEmpty ? [] : inputs.map(PaymentTerms.SpentCoin.init))
            lines.add(terms.parts)
            lines.terms = .payment(terms)
            lines.add("total", Duffs.text(paid + fee))
            if coins.isAll, coins.named.isEmpty {
                lines.add("coins", "all \(inputs.count) that can be spent now")
            }
            describeProof(request, spending: inputs.count, into: &lines)
            warn(of: terms, in: row, into: &lines)
        case .failure(let refusal):
            lines.add("to", address)
            if let amount {
                lines.add(amount: UInt256(amount), decimals: Duffs.decimals, asset: coin)
            } else {
                lines.add("asset", coin)
                lines.add("amount", "all that can be spent")
            }
            lines.add("problem", refusal.reason)
        }
        if ownsAddress(address, row) { lines.add("warning", "this address is in your wallet") }
    }

    /// Says whether the sender gets the transaction as proof of payment.
    private func describeProof(
        _ request: Request, spending coins: Int?, into lines: inout PromptLines
    ) {
        switch request.proof {
        case nil: return
        case .declined:
            lines.add("proof", "none is sent: the URL that the link asks for may not be opened")
        case .wanted, .required:
            guard request.sendsProof(spending: coins ?? 0) else {
                return lines.add(
                    "proof", "none is sent: the transaction is too long for a callback")
            }
            lines.add("proof", "the sender gets the whole transaction once it is sent")
        }
    }

    private func ownsAddress(_ address: String, _ row: WalletAdded) -> Bool {
        guard let script = UTXOAddress(address, chain: row.chain)?.scriptPubKey else {
            return false
        }
        return scripts.contains(ScriptKey(row.chain, row.network, script))
    }

    /// Adds what is to be said of the fee, and the warnings about a payment.
    ///
    /// Change goes to addresses that the wallet has derived.
    private func warn(of terms: PaymentTerms, in row: WalletAdded, into lines: inout PromptLines) {
        let known = chain(row.chain, row.network)
        if known.lacksFeeEstimate, let rate = known.feeRate {
            lines.add(
                "feeRate",
                "the node gave no estimate: this is the least that it takes, \(rate) duffs for"
                    + " 1000 bytes")
        }
        var context = TermsContext()
        context.feeRate = known.feeRate
        context.knowsChange = true
        lines.add(Terms.payment(terms).warnings(context))
    }
}

/// The lines of a prompt about an ICON transaction: every parameter that will be signed.
extension State {
    func describeTransaction(
        _ request: Request, _ id: RequestID, in row: WalletAdded, into lines: inout PromptLines
    ) {
        let steps = steps(of: request, row, estimate: self.request(id)?.estimate)
        switch Spending.parameters(request.action, in: row, steps: steps) {
        case .failure(let refusal): lines.add("problem", refusal.reason)
        case .success(let parameters):
            let price = chain(.icon, row.network).steps?.price
            let terms = ICONTerms(
                network: row.network, params: parameters,
                highestFee: steps.flatMap { price?.multiplied(by: $0) })
            let contract = terms.token
            let token = contract.flatMap { tokens[TokenKey(row.network, $0)] }
            let shown = terms.lines(token: token?.unit(of: contract ?? ""))
            lines.add(shown?.dropFirst(2))
            if let problem = problem(terms, request, in: row) {
                lines.add("problem", problem.reason)
            } else {
                lines.terms = .icon(terms)
            }
            var context = TermsContext()
            if steps != nil, lacksEstimate(request, row, id: id) {
                lines.add("warning", "the node could not estimate this call: it may fail at a cost")
            } else {
                context.estimatedSteps = self.request(id)?.estimate
            }
            (context.stepPrice, context.time) = (price, self.request(id)?.received)
            lines.add(Terms.icon(terms).warnings(context))
            if let token { warn(of: token, &lines) }
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
    private func warn(of token: TokenRow, _ lines: inout PromptLines) {
        if let changed = token.changed {
            let symbol = TokenUnit.canBeShown(changed.symbol) ? changed.symbol : "something else"
            lines.add(
                "warning",
                "THE NODE NOW SAYS THAT THIS TOKEN HAS \(changed.decimals) DECIMALS AND IS CALLED"
                    + " \(symbol): shown are the \(token.decimals) decimals that were seen first")
        }
        if TokenUnit.isReserved(token.symbol) {
            lines.add(
                "warning",
                "THE TOKEN CALLS ITSELF AS A COIN IS CALLED: it is none, and stands under its"
                    + " contract's address")
        } else if !TokenUnit.canBeShown(token.symbol) {
            lines.add(
                "warning", "the token has no symbol that can be shown: see its contract's address")
        }
    }
}

/// The lines of a prompt about a bump or cancellation: the payment, its coin, and the destination.
extension State {
    func describeRemedy(
        _ remedy: Remedy, of id: RequestID, in row: WalletAdded, into lines: inout PromptLines
    ) {
        lines.add("request", id.description)
        let subject = subject(of: remedy, id)
        if let payment = request(subject), let txid = payment.txid {
            lines.add("payment", Hex.encode(txid))
            if let fee = payment.payment.flatMap({ UInt64(exactly: $0.fee) }) {
                lines.add("paymentFee", Duffs.text(fee))
            }
        }
        switch spending(for: remedy, of: id) {
        case .failure(let refusal): lines.add("problem", refusal.reason)
        case .success(let spending): describe(spending, for: remedy, in: row, into: &lines)
        }
    }

    private func describe(
        _ spending: RemedySpending, for remedy: Remedy, in row: WalletAdded,
        into lines: inout PromptLines
    ) {
        let selection = spending.selection
        if remedy == .bump { describeRates(spending, &lines) }
        for coin in selection.inputs {
            lines.add("spends", "\(coin.outpoint.text), \(Duffs.text(coin.amount))")
        }
        let parameters = UTXOParameters.of(row.chain, row.network)
        let terms = PaymentTerms(
            chain: row.chain, network: row.network, recipient: spending.own.text,
            amount: selection.payment.amount, highestFee: selection.fee, returns: true,
            farChange: row.material.farChange(
                to: DerivationPath(spending.own.path), of: selection.payment.amount,
                spending: [spending.address.path].compactMap { DerivationPath($0) }),
            collaterals: parameters?.collaterals(among: selection.inputs.map(\.amount)) ?? [])
        lines.add(terms.parts)
        lines.terms = .payment(terms)
        warn(of: terms, in: row, into: &lines)
        lines.add("consequence", Self.consequence(of: remedy))
    }

    /// Shows the fee rate of the payment, and the rate of the payment and its child together.
    private func describeRates(_ spending: RemedySpending, _ lines: inout PromptLines) {
        var both = spending.ancestors
        lines.add("paymentRate", Self.rate(both))
        both.add(fee: spending.selection.fee, size: RemedySpending.size)
        lines.add("rateOfBoth", Self.rate(both))
        if both.needsOthers {
            lines.add(
                "warning",
                "the payment spends coins of somebody else's transaction that no block has: its fee"
                    + " is not known here, and is not counted in these rates")
        }
    }

    private static func rate(_ package: RemedySpending.Package) -> String {
        "\(package.rate) duffs for 1000 bytes"
    }

    private static func consequence(of remedy: Remedy) -> String {
        switch remedy {
        case .bump:
            "a block that takes this transaction takes the payment too; the rest comes back"
        case .cancel:
            "only one of the payment and this transaction can be executed; until a block has one,"
                + " both may be"
        }
    }
}
