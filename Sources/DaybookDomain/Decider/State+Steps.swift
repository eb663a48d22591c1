import DaybookChains
package import DaybookEncoding

extension State {
    /// The step limit that a request's ICON transaction gets; nil while nothing is known.
    ///
    /// It is what the node estimated, else what a transaction without a contract costs exactly. A
    /// contract that no node has estimated gets a limit that is generous: what is not used is not
    /// charged.
    package func steps(of request: Request, _ wallet: WalletAdded, estimate: UInt64? = nil)
        -> UInt256?
    {
        switch request.action {
        case .sign(let parameters), .sendTransaction(let parameters):
            return parameters["stepLimit"]?.stringValue.flatMap(ICONInteger.parse)
        default: break
        }
        if let estimate { return UInt256(estimate) }
        guard let known = chain(.icon, wallet.network).steps,
            case .success(let draft) = Spending.draft(request.action, in: wallet, at: 0)
        else { return nil }
        let costs = ICONSteps(
            default: known.transfer, input: known.inputByte, contractCall: known.contractCall)
        if let exact = costs.exact(for: draft) { return UInt256(exact) }
        let least = costs.minimum(dataSize: ICONSteps.dataSize(of: draft.params)) ?? .max
        return UInt256(max(least, Self.unestimatedSteps))
    }

    /// The limit that ICONex itself gave to transactions with data.
    private static let unestimatedSteps: UInt64 = 1_000_000

    /// Whether a contract is called whose steps no node has estimated.
    package func lacksEstimate(_ request: Request, _ wallet: WalletAdded, id: UInt64) -> Bool {
        guard self.request(id)?.estimate == nil,
            case .success(let draft) = Spending.draft(request.action, in: wallet, at: 0)
        else { return false }
        return draft.to.kind == .contract
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
