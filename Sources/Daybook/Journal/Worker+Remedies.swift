import DaybookDomain
import DaybookEncoding
import DaybookNodes

extension Worker {
    /// Makes sure that a payment still stands so that a request can bump or cancel it.
    ///
    /// What the chain knows of it is recorded. Whether a node has it changes from one moment to the
    /// next: where the answer is now another than when the user was asked, nothing is signed.
    func checkRemedy(_ id: RequestID, _ wallet: WalletAdded) async throws {
        try await look(wallet.chain, wallet.network)
        let asked = try journal.read { state -> (Remedy, ChainQuery)? in
            guard let request = state.request(id)?.request,
                case .remedy(let remedy, _) = request.action,
                let question = ChainQuery(for: request, wallet, at: clock(), in: state)
            else { return nil }
            return (remedy, question)
        }
        guard let (remedy, question) = asked else { return }
        let answer = try await client(wallet.chain, wallet.network)
            .observe(question, progress: nil)
        // What a block has is refused by the decision, which is on record.
        if answer.transactions.contains(where: { $0.height != nil }) { return }
        switch remedy {
        case .bump where answer.transactions.isEmpty: throw DaybookError(Refusal(.notSent))
        case .cancel where !answer.transactions.isEmpty:
            throw DaybookError(Refusal(.alreadySent))
        default: return
        }
    }
}
