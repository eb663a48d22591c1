import DaybookChains
import DaybookEncoding

/// What a prompt shows of a transaction on ICON: every parameter that will be signed.
extension State {
    func describeTransaction(
        _ request: Request, _ id: RequestID, _ row: WalletAdded, _ lines: inout PromptLines
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
            if let problem = problem(terms, request) {
                lines.add("problem", problem.reason)
            } else {
                lines.terms = .icon(terms)
            }
            warn(ofSteps: steps, price, request, id, row, &lines)
            if let token { warn(of: token, &lines) }
            warn(ofTimeIn: parameters, id, &lines)
        }
    }

    /// Why these terms can't be signed, or not sent.
    private func problem(_ terms: ICONTerms, _ request: Request) -> Refusal? {
        if request.sendsTransaction, terms.highestFee == nil { return Refusal(.chainUnavailable) }
        do {
            _ = try ICONTransaction(params: terms.params(at: 0))
            return nil
        } catch {
            return Refusal(.invalidParameter, parameter: error.key)
        }
    }

    /// An ICON transaction costs at most its step limit at the price of the day.
    private func warn(
        ofSteps steps: UInt256?, _ price: UInt256?, _ request: Request, _ id: RequestID,
        _ row: WalletAdded, _ lines: inout PromptLines
    ) {
        guard let steps else { return }
        if lacksEstimate(request, row, id: id) {
            lines.add("warning", "the node could not estimate this call: it may fail at a cost")
        }
        let usual = UsualFee.of(.icon, row.network)
        let fee = usual.fee(ofSteps: steps).map { DecimalAmount.format($0, decimals: 18) }
        let usually = "at the usual price of \(usual.price.decimal) loop the fee is at most"
            + " \(fee ?? "more than there is of") ICX"
        if let price, !usual.isUsual(price) {
            lines.add("warning", "a step costs \(price.decimal) loop, says the node; \(usually)")
        } else if price == nil {
            lines.add("warning", "no node has told the price of a step; \(usually)")
        }
        let highest = [price, usual.price].compactMap(\.self).max()?.multiplied(by: steps) ?? .max
        if highest > usual.highestFee {
            let most = DecimalAmount.format(usual.highestFee, decimals: 18)
            lines.add("warning", "the fee can be high: usual is less than \(most) ICX")
        }
    }

    /// A time that the caller chose decides when nodes take the transaction.
    ///
    /// It is held against the time when the request came, so that the same is shown at any time.
    private func warn(ofTimeIn parameters: JSON, _ id: RequestID, _ lines: inout PromptLines) {
        guard let time = parameters["timestamp"]?.stringValue.flatMap(ICONInteger.parseSmall),
            let received = self.request(id)?.received
        else { return }
        let window = ICONTerms.timeWindow
        if time < received, received - time > window {
            lines.add(
                "warning",
                "no node takes this transaction: its time was over when the request came, at "
                    + Timestamp.seconds(received))
        } else if time > received, time - received > window {
            lines.add(
                "warning",
                "nodes take this transaction only later: from "
                    + "\(Timestamp.seconds(time - window)) on; the request came at "
                    + Timestamp.seconds(received))
        }
    }

    /// What a contract says of its token can be a coin's own name, and something else tomorrow.
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
