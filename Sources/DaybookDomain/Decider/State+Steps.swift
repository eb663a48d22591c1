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
        if let limit = request.action.stepLimit { return limit }
        if let estimate { return UInt256(estimate) }
        guard let known = chain(.icon, wallet.network).steps,
            case .success(let params) = Spending.unlimited(request.action, in: wallet, at: 0)
        else { return nil }
        let costs = ICONSteps(
            default: known.transfer, input: known.inputByte, contractCall: known.contractCall)
        if let exact = costs.exact(for: params) { return UInt256(exact) }
        // Nobody can guess what it takes to set up a contract.
        if params["dataType"]?.stringValue == ICONDataType.deploy.rawValue { return nil }
        let least = costs.minimum(dataSize: ICONSteps.dataSize(of: params)) ?? .max
        return UInt256(max(least, Self.unestimatedSteps))
    }

    /// The limit that ICONex itself gave to transactions with data.
    private static let unestimatedSteps: UInt64 = 1_000_000

    /// Whether a contract is called whose steps no node has estimated.
    package func lacksEstimate(_ request: Request, _ wallet: WalletAdded, id: RequestID) -> Bool {
        guard self.request(id)?.estimate == nil, request.action.stepLimit == nil,
            case .success(let params) = Spending.unlimited(request.action, in: wallet, at: 0)
        else { return false }
        return params["to"]?.stringValue.flatMap { ICONAddress($0) }?.kind == .contract
    }
}

extension Request {
    /// The ICON transaction as a node estimates it: with everything but its step limit.
    package func estimateParameters(_ wallet: WalletAdded, at time: UInt64) -> JSON? {
        guard action.stepLimit == nil else { return nil }
        return try? Spending.unlimited(action, in: wallet, at: time).get()
    }
}

extension Action {
    /// The step limit that the caller chose for an ICON transaction.
    var stepLimit: UInt256? {
        switch self {
        case .sign(let parameters), .sendTransaction(let parameters):
            parameters["stepLimit"]?.stringValue.flatMap(ICONInteger.parse)
        default: nil
        }
    }
}

extension JSON {
    /// The parameters of an ICON transaction, with a step limit where they have none.
    package func withStepLimit(_ steps: UInt256?) -> JSON {
        guard case .object(let members) = self, self["stepLimit"] == nil, let steps else {
            return self
        }
        return .object(
            members + [.init(name: "stepLimit", value: .string(ICONInteger.text(steps)))])
    }
}
