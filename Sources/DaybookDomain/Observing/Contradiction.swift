import DaybookChains
package import DaybookEncoding

/// A recorded fact that a node's answer contradicts.
package struct Contradiction: Equatable, Sendable {
    /// The subject, such as `the coin 4f…:0`.
    package let subject: String
    /// The recorded fact.
    package let recorded: String
    /// The node's answer.
    package let said: String

    package init(about subject: String, recorded: String, said: String) {
        self.subject = subject
        self.recorded = recorded
        self.said = said
    }
}

extension ChainQuery {
    /// Creates the question about what a transaction relies on: its coins, or its account's
    /// balances.
    package init(reliedOnBy prepared: TransactionPrepared, for id: RequestID, in state: State) {
        guard let wallet = state.wallet(prepared.wallet) else { return }
        let (chain, network) = (wallet.wallet.chain, wallet.wallet.network)
        let known = state.chain(chain, network)
        identity = known.identity
        if !known.tip.isEmpty { tip = Tip(height: known.height, hash: known.tip) }
        networkIDs = [wallet.wallet.networkID].compactMap(\.self)
        if chain.rules.ledger == .accounts {
            addresses = [wallet.address]
            if let token = state.token(paidBy: id) { tokens = [token] }
        }
        for coin in state.coins(of: prepared) {
            guard let owner = state.owner(of: coin.script, chain, network),
                let row = state.addresses[owner.address]
            else { continue }
            // Declared unused, because for a used address a node reports only what is new.
            let address = Watched(address: row.text, script: row.script, isUsed: false)
            if !watched.contains(address) { watched.append(address) }
        }
    }
}

extension ChainSnapshot {
    /// Returns a recorded fact that a transaction relies on and the answer contradicts; nil if
    /// none.
    ///
    /// The answer must be to `ChainQuery(reliedOnBy:for:in:)`. An unconfirmed coin that the node
    /// does not know is no contradiction: it may not have reached that node yet.
    package func contradiction(
        to prepared: TransactionPrepared, for id: RequestID, in state: State
    ) -> Contradiction? {
        chain.rules.ledger == .accounts
            ? contradictionOnICON(to: prepared, for: id, in: state)
            : state.coins(of: prepared).lazy.compactMap(contradiction(about:)).first
                ?? contradictionAboutFees(in: state)
    }

    // MARK: - Dash and Axe

    private func contradiction(about coin: ChainObserved.Output) -> Contradiction? {
        let subject = "the coin \(coin.outpoint.text)"
        if let spend = spends.first(where: { $0.outpoint == coin.outpoint }) {
            return Contradiction(
                about: subject, recorded: "that it is unspent",
                said: "that \(Hex.encode(spend.spender)) spends it")
        }
        guard let block = coin.height, block <= height,
            !outputs.contains(where: { $0.outpoint == coin.outpoint })
        else { return nil }
        return Contradiction(
            about: subject, recorded: "that it is in block \(block)",
            said: "that there is no such coin")
    }

    private func contradictionAboutFees(in state: State) -> Contradiction? {
        guard let known = state.chain(chain, network).feeRate, let feeRate,
            UTXOFees.contradict(known, feeRate)
        else { return nil }
        return Contradiction(
            about: "the fee for 1000 bytes", recorded: "\(known) duffs", said: "\(feeRate) duffs")
    }

    // MARK: - ICON

    private func contradictionOnICON(
        to prepared: TransactionPrepared, for id: RequestID, in state: State
    ) -> Contradiction? {
        if let known = state.chain(chain, network).iconFees, let iconFees,
            known.price != iconFees.price
        {
            return Contradiction(
                about: "the price of a step", recorded: "\(known.price.decimal) loop",
                said: "\(iconFees.price.decimal) loop")
        }
        if let contract = state.token(paidBy: id),
            let known = state.tokens[TokenKey(network, contract)]
        {
            let token = tokens.first { $0.contract == contract }
            if token?.decimals != known.decimals {
                return Contradiction(
                    about: "the token \(contract)", recorded: "\(known.decimals) decimals",
                    said: token.map { "\($0.decimals) decimals" } ?? "that it is no token")
            }
        }
        let other = balances.first {
            state.balance(prepared.wallet, $0.asset).confirmed != $0.amount
        }
        return other.map { balance in
            let known = state.balance(prepared.wallet, balance.asset).confirmed
            return Contradiction(
                about: "what \(balance.address) holds of \(balance.asset)",
                recorded: known.decimal, said: balance.amount.decimal)
        }
    }
}

extension State {
    /// The coins that a transaction spends.
    fileprivate func coins(of prepared: TransactionPrepared) -> [ChainObserved.Output] {
        prepared.inputs.compactMap { input in
            input.outpoint.flatMap { output($0, of: prepared.wallet) }
        }
    }

    /// The contract of the token that a request sends.
    fileprivate func token(paidBy id: RequestID) -> String? {
        guard case .sendToken(_, _, _, let contract)? = request(id)?.request?.action else {
            return nil
        }
        return contract
    }
}
