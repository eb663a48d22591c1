import DaybookChains
package import DaybookEncoding

/// ICON: the parameters and the step limit of the transaction that a request leads to.
extension Spending {
    /// An ICON transaction without its step limit; fails with the name of an invalid parameter.
    static func draft(
        _ action: Action, in wallet: WalletAdded, at time: UInt64
    ) -> Result<ICONDraft, Refusal> {
        let nid = wallet.networkID ?? 0
        switch action {
        case .sendICX(let from, let to, let value, let data):
            guard let sender = ICONAddress(from) else { return invalid("from") }
            guard let target = ICONAddress(to) else { return invalid("to") }
            var payload = ICONDraft.Payload.nothing
            if let data {
                guard let read = Self.payload(data) else { return invalid("data") }
                payload = read
            }
            return .success(
                ICONDraft(
                    from: sender, to: target, value: value, payload: payload, timestamp: time,
                    nid: nid, nonce: UInt256(1)))
        case .sendToken(let from, let to, let value, let contract):
            guard let sender = ICONAddress(from) else { return invalid("from") }
            guard let target = ICONAddress(to) else { return invalid("to") }
            guard let token = ICONAddress(contract) else { return invalid("contractAddress") }
            let transfer = IRC2.Transfer(from: sender, to: target, value: value, data: nil)
            return .success(
                ICONDraft.tokenTransfer(
                    transfer, of: token, timestamp: time, nid: nid, nonce: UInt256(1)))
        case .pay, .address, .masterPublicKey, .bind, .sign, .sendTransaction, .remedy:
            return .failure(Refusal(.unknownMethod))
        }
    }

    private static func invalid(_ key: String) -> Result<ICONDraft, Refusal> {
        .failure(Refusal(.invalidParameter, parameter: key))
    }

    private static func payload(_ data: Action.CallData) -> ICONDraft.Payload? {
        if data.type == "message", let text = data.data.stringValue, text.hasPrefix("0x") {
            return Hex.decode(text.dropFirst(2)).map { .message($0) }
        }
        guard data.type == "call", let method = data.data["method"]?.stringValue else {
            return nil
        }
        guard let parameters = data.data["params"] else {
            return .call(method: method, parameters: [])
        }
        guard case .object(let members) = parameters else { return nil }
        return .call(method: method, parameters: members)
    }

    /// The parameters of an ICON transaction as a node estimates it: without step limit and
    /// signature.
    static func unlimited(
        _ action: Action, in wallet: WalletAdded, at time: UInt64
    ) -> Result<JSON, Refusal> {
        if case .sendTransaction(let parameters) = action {
            return .success(parameters.without("signature").without("stepLimit"))
        }
        return draft(action, in: wallet, at: time).map(\.params)
    }

    /// The parameters of a request's ICON transaction as the prompt shows it: without the
    /// signature.
    ///
    /// The timestamp is left out where the approval sets it.
    static func parameters(
        _ action: Action, in wallet: WalletAdded, steps: UInt256?
    ) -> Result<JSON, Refusal> {
        switch action {
        case .sign(let parameters), .sendTransaction(let parameters):
            return .success(parameters.without("signature").withStepLimit(steps))
        case .pay, .address, .masterPublicKey, .bind, .sendICX, .sendToken, .remedy:
            return draft(action, in: wallet, at: 0).map { draft in
                draft.params(stepLimit: steps).without("timestamp")
            }
        }
    }
}

extension JSON {
    fileprivate func without(_ name: String) -> JSON {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { !Text.equal($0.name, name) })
    }
}

extension State {
    /// The step limit of a request's ICON transaction; nil while it is not known.
    ///
    /// It is the caller's, else the node's estimate, else that of the network's fees.
    package func steps(of request: Request, _ wallet: WalletAdded, estimate: UInt64? = nil)
        -> UInt256?
    {
        if let limit = request.action.stepLimit { return limit }
        if let estimate { return UInt256(estimate) }
        guard let fees = chain(.icon, wallet.network).iconFees,
            case .success(let params) = Spending.unlimited(request.action, in: wallet, at: 0)
        else { return nil }
        return fees.limit(of: params).map { UInt256($0) }
    }

    /// Returns why no node takes a transaction with the sender's own step limit; nil if one can.
    package func lowStepLimit(of request: Request, _ wallet: WalletAdded) -> Refusal? {
        guard case .sendTransaction = request.action, let limit = request.action.stepLimit,
            let fees = chain(.icon, wallet.network).iconFees,
            case .success(let params) = Spending.unlimited(request.action, in: wallet, at: 0),
            !fees.accepts(limit, of: params)
        else { return nil }
        return Refusal(.stepLimitTooLow, parameter: "stepLimit")
    }

    /// Whether a request calls a contract and no node has estimated its steps.
    package func lacksEstimate(_ request: Request, _ wallet: WalletAdded, id: RequestID) -> Bool {
        if case .sign = request.action { return false }
        guard self.request(id)?.estimate == nil,
            case .success(let params) = Spending.unlimited(request.action, in: wallet, at: 0)
        else { return false }
        return params["to"]?.stringValue.flatMap { ICONAddress($0) }?.kind == .contract
    }
}

extension Request {
    /// The ICON transaction to estimate, complete except for its step limit.
    ///
    /// A sender's own limit is compared with the estimate.
    package func estimateParameters(_ wallet: WalletAdded, at time: UInt64) -> JSON? {
        try? Spending.unlimited(action, in: wallet, at: time).get()
    }
}

extension Action {
    /// The step limit that the caller chose for an ICON transaction.
    var stepLimit: UInt256? {
        switch self {
        case .sign(let parameters), .sendTransaction(let parameters):
            parameters["stepLimit"]?.stringValue.flatMap(ICONInteger.parse)
        case .pay, .address, .masterPublicKey, .bind, .sendICX, .sendToken, .remedy: nil
        }
    }
}

extension JSON {
    /// The parameters of an ICON transaction, with this step limit if they have none.
    package func withStepLimit(_ steps: UInt256?) -> JSON {
        guard case .object(let members) = self, self["stepLimit"] == nil, let steps else {
            return self
        }
        return .object(
            members + [.init(name: "stepLimit", value: .string(ICONInteger.text(steps)))])
    }
}
