import DaybookChains
package import DaybookDomain
package import DaybookEncoding

/// The answers of a client.
extension ICONSandbox {
    /// The answer to a query.
    package func answer(to question: ChainQuery) -> ChainSnapshot {
        var answer = ChainSnapshot(chain: .icon, network: .sandbox)
        let tip = self.tip
        answer.height = tip.height
        answer.tip = tip.hash
        answer.iconFees = Self.fees
        let holders = question.addresses.compactMap { ICONAddress($0) }
        for holder in holders {
            answer.balances.append(
                .init(address: holder.text, asset: "ICX", amount: balance(of: holder)))
        }
        for contract in question.tokens {
            guard let address = ICONAddress(contract), let token = token(address) else {
                continue
            }
            answer.tokens.append(token)
            for holder in holders {
                let held = try? ask(address, .balance(of: holder))
                let amount = held?.stringValue.flatMap(ICONInteger.parse) ?? .zero
                answer.balances.append(
                    .init(address: holder.text, asset: contract, amount: amount))
            }
        }
        answer.transactions = question.transactions.compactMap { status(of: $0) }
        answer.estimate = question.estimate.flatMap { try? estimateSteps($0) }
        return answer
    }

    private func token(_ contract: ICONAddress) -> ChainObserved.Token? {
        guard let symbol = (try? ask(contract, .symbol))?.stringValue,
            let decimals = (try? ask(contract, .decimals))?.stringValue
                .flatMap(ICONInteger.parseSmall)
        else { return nil }
        return ChainObserved.Token(contract: contract.text, symbol: symbol, decimals: decimals)
    }

    private func status(of hash: Bytes) -> ChainObserved.TransactionStatus? {
        switch result(of: hash) {
        case .pending: .init(txid: hash, height: nil, locked: false)
        case .unknown: .init(txid: hash, height: nil, locked: false, isGone: true)
        case .executed(let receipt):
            .init(
                txid: hash, height: receipt.height, locked: false,
                failure: receipt.failure.map { "\($0.code): \($0.message)" }, fee: receipt.fee)
        }
    }

    /// Sends a transaction to the network, and answers as the client of a node would.
    package mutating func send(
        _ bytes: Bytes, hash: Bytes, at now: UInt64
    ) -> BroadcastAnswered {
        guard let params = try? JSON.parse(bytes) else {
            return BroadcastAnswered(answer: .refused, code: -32700, message: "ParseError")
        }
        switch submit(params, at: now) {
        case .accepted: return BroadcastAnswered(answer: .accepted)
        case .nothing: return BroadcastAnswered(answer: .unknown, message: "no answer")
        case .refused(let refusal):
            return result(of: hash) != .unknown
                ? BroadcastAnswered(answer: .accepted)
                : BroadcastAnswered(
                    answer: .refused, code: Int64(refusal.code), message: refusal.message)
        }
    }
}
