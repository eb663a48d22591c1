import DaybookChains
import DaybookEncoding

extension State {
    /// What a prompt says of earlier attempts of the payment that it asks about.
    ///
    /// `amount` is what the user entered.
    func earlierAttempts(
        of request: Request, in wallet: WalletAdded, amount: UInt64?
    ) -> [Prompt.Line] {
        let terms = request.attemptTerms(wallet, amount: amount)
        return attempts(of: terms, wallet.chain, wallet.network).compactMap { attempt in
            let name = "an earlier attempt (request \(attempt.row.request))"
            if isExecuted(attempt) {
                return Prompt.Line(
                    "warning",
                    "\(name) was executed after all: this payment is a second one")
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
    }
}
