import DaybookChains
package import DaybookEncoding

extension State {
    /// The step limit that a request's ICON transaction gets; nil while nothing is known.
    ///
    /// It is what the node estimated, else what a transaction without a contract costs exactly.
    package func steps(of request: Request, _ wallet: WalletAdded, estimate: UInt64? = nil)
        -> UInt256?
    {
        if case .sendTransaction(let parameters) = request.action {
            return parameters["stepLimit"]?.stringValue.flatMap(ICONInteger.parse)
        }
        if let estimate { return UInt256(estimate) }
        guard let known = chain(.icon, wallet.network).steps,
            case .success(let draft) = Spending.draft(request.action, in: wallet, at: 0)
        else { return nil }
        let costs = ICONSteps(
            default: known.transfer, input: known.inputByte, contractCall: known.contractCall)
        return costs.exact(for: draft).map { UInt256($0) }
    }
}

extension Request {
    /// The ICON transaction as a node estimates it: with everything but its step limit.
    package func estimateParameters(_ wallet: WalletAdded, at time: UInt64) -> JSON? {
        guard case .success(let draft) = Spending.draft(action, in: wallet, at: time) else {
            return nil
        }
        return draft.params
    }
}
