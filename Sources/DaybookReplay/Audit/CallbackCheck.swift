import DaybookChains
package import DaybookDomain
package import DaybookEncoding
import DaybookLinks

/// Computes the callback that a request's caller must get, from the outcome of the request.
package struct CallbackCheck {
    let row: RequestRow
    /// The link as it came.
    let text: Bytes
    let signature: SignatureMade?
    /// The signed transaction, where the caller gets it as proof of payment.
    let signed: TransactionSigned?

    package init(
        row: RequestRow, text: Bytes, signature: SignatureMade?, signed: TransactionSigned?
    ) {
        self.row = row
        self.text = text
        self.signature = signature
        self.signed = signed
    }

    /// The callback's URL; nil while the request is open.
    package func url(_ id: RequestID, _ state: State) -> String? {
        if row.status == .coalesced {
            return row.into.flatMap { state.request($0) }?.callback
        }
        guard let reply = reply(id, state), let asked = asked(state.rules),
            let caller = asked.caller,
            let link = (row.request?.link ?? row.link).flatMap({ Links.linkProtocol($0) })
        else { return nil }
        return link.callback(reply, to: caller, reference: asked.reference, by: state.rules)
    }

    /// The caller and reference of the link, which may be one that was refused.
    private func asked(_ rules: Rules) -> (caller: Caller?, reference: Int64?)? {
        if let request = row.request { return (request.caller, request.reference) }
        switch Links.parse(text, by: rules) {
        case .request(let request): return (request.caller, request.reference)
        case .refused(_, let caller, let reference): return (caller, reference)
        }
    }

    private func reply(_ id: RequestID, _ state: State) -> Reply? {
        switch row.status {
        case .refused, .failed: row.refusal.map { .refused($0) }
        case .rejected: .refused(Refusal(.rejectedByUser))
        // A caller that was told of the payment is told nothing more.
        case .cancelled:
            row.refusal?.code == .cancelledAfterAnswer
                ? row.request.flatMap { success($0, id, state) } : row.refusal.map { .refused($0) }
        case .expired: .refused(Refusal(.expired))
        case .completed: row.request.flatMap { success($0, id, state) }
        case .received, .deferred, .pending, .approved, .signed, .sent, .coalesced: nil
        }
    }

    private func success(_ request: Request, _ id: RequestID, _ state: State) -> Reply? {
        let binding = state.bindings[id]?.binding
        switch request.action {
        case .address: return binding?.values.first.map { .address($0) }
        case .masterPublicKey(let account):
            guard let values = binding?.values, values.count == 2 else { return nil }
            return .masterPublicKey(bip32: values[0], bip44: values[1], account: account)
        case .bind: return binding?.values.first.map { .bound(address: $0) }
        case .sign: return signature?.signatures.first.map { .signature(Base64.encode($0)) }
        case .pay, .sendICX, .sendToken, .sendTransaction:
            let coins = row.payment?.inputs.count ?? 0
            let proof = request.sendsProof(spending: coins) ? signed?.bytes : nil
            return row.txid.flatMap { request.reply(sending: $0, signed: proof) }
        case .remedy: return nil
        }
    }
}

/// An address or key that a caller was given, and the request for it.
struct Grant {
    private let data: BindingGranted
    private let request: Request

    init(_ data: BindingGranted, _ request: Request) {
        self.data = data
        self.request = request
    }

    /// Whether it is the wallet's own, of the kind asked for, and given to the caller that asked.
    func isAsAsked(_ state: State) -> Bool {
        guard let wallet = state.wallet(data.wallet),
            Text.equal(data.caller, request.caller?.scheme ?? "")
        else { return false }
        switch (request.action, data.kind) {
        case (.address, .address):
            return data.values.count == 1
                && state.addresses.rows(.wallet(data.wallet)).contains {
                    Text.equal($0.row.text, data.values[0])
                }
        case (.masterPublicKey(let number), .masterPublicKey):
            guard let account = wallet.wallet.account(number) else { return false }
            return data.values == [account.bip32, account.bip44]
        case (.bind, .bind): return data.values == [wallet.address]
        case (.address, _), (.masterPublicKey, _), (.bind, _), (.pay, _), (.sign, _),
            (.sendICX, _), (.sendToken, _), (.sendTransaction, _), (.remedy, _):
            return false
        }
    }
}
