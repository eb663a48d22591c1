import DaybookChains
import DaybookDomain
public import DaybookEncoding
import DaybookLinks
import DaybookLog
import DaybookReplay
import DaybookSigner

/// Callbacks, and why one that stands in the log is not opened for that alone: whoever can write
/// the log may have recorded any URL, with any address in it.
extension Store {
    /// The callbacks that are due: not delivered yet, and to be opened without being asked for.
    ///
    /// What a person decided is due, and what came of it. A request that was refused before anybody
    /// saw it, or that expired, has its callback in `WalletRequest.callback`; it is due only if the
    /// user approved a request of the same sender before.
    public func callbacks() throws -> [Callback] {
        try facing {
            try journal.read { $0.dueCallbacks() }.compactMap { id in
                try callback(of: id).map { Callback(request: id, url: $0, isDelivered: false) }
            }
        }
    }

    /// Says that the front end has opened a request's callback URL; saying it again is harmless.
    ///
    /// - Throws: `unknownCallback`.
    @discardableResult
    public func delivered(_ id: RequestID) async throws -> Callback {
        try await facing {
            try await journal.record { state, _ in
                guard let row = state.request(id), row.callback != nil else {
                    throw DaybookError(
                        "unknownCallback", .refused, "request \(id) has no callback")
                }
                if row.delivered { return [] }
                return [.init(.callbackDelivered(CallbackDelivered()), request: .at(id))]
            }
            probe?("delivery recorded")
            // Who opened it has it from here: it need not be checked a second time.
            let url = try handedOut.removeValue(forKey: id) ?? callback(of: id)
            return Callback(request: id, url: url ?? "", isDelivered: true)
        }
    }

    /// The callback of a request, to be handed out with it.
    func handOutCallback(of id: RequestID) throws -> String? {
        let url = try callback(of: id)
        // Those that nobody opens are forgotten some time, and checked again.
        if handedOut.count >= Self.mostHandedOut { handedOut = [:] }
        handedOut[id] = url
        return url
    }

    private static var mostHandedOut: Int { 100 }

    /// The callback of a request; nil where it has none that may be opened.
    ///
    /// It has to word what became of the request, it gives away nothing but addresses and keys that
    /// follow from the sealed ones, and by the rules of today it opens nothing but another app.
    func callback(of id: RequestID) throws -> String? {
        let recorded = try journal.log.read { try RecordedAnswer(of: id, in: $0) }
        guard let url = recorded.url, Caller(callback: url) != nil else { return nil }
        let copied: RequestID? = try journal.read { state in
            guard let row = state.request(id) else { return nil }
            guard row.status != .coalesced else { return row.into }
            return recorded.words(row, id, state) && isOwn(id, state) ? id : nil
        }
        guard let copied else { return nil }
        // A copy of a request gets that one's answer.
        if copied != id, try callback(of: copied) != url { return nil }
        return url
    }

    /// Whether what a caller was given is the wallet's by its sealed keys.
    private nonisolated func isOwn(_ id: RequestID, _ state: State) -> Bool {
        guard let row = state.bindings[id] else { return true }
        let given = row.binding
        guard let wallet = state.wallets[given.wallet]?.wallet,
            case .agrees = KeyStanding(of: wallet, in: keystore)
        else { return false }
        switch given.kind {
        case .bind: return given.values == [wallet.firstAddress]
        case .address: return given.values.allSatisfy { state.isAddress($0, of: wallet) }
        case .masterPublicKey:
            guard case .accounts(let accounts) = wallet.keys else { return false }
            return accounts.contains { given.values == [$0.bip32, $0.bip44] }
        }
    }
}

extension State {
    /// Whether an address follows from a wallet's keys; rows only say where to look.
    fileprivate func isAddress(_ text: String, of wallet: WalletAdded) -> Bool {
        guard let address = UTXOAddress(text, chain: wallet.chain) else { return false }
        let script = scripts[ScriptKey(wallet.chain, wallet.network, address.scriptPubKey)]
        let row = script.flatMap { addresses[$0.address] }
        guard let path = row.flatMap({ DerivationPath($0.path) }),
            let key = wallet.material.publicKey(at: path),
            let parameters = UTXOParameters.of(wallet.chain, wallet.network)
        else { return false }
        return Text.equal(UTXOAddress(key, parameters).text, text)
    }
}

/// What the events of a request say of its answer.
private struct RecordedAnswer {
    var url: String?
    private var text: Bytes = []
    private var signature: SignatureMade?
    private var signed: TransactionSigned?

    init(of request: RequestID, in log: LogSnapshot) throws {
        var signing: EventRecord?
        for position in try log.positions(ofRequest: request.number) {
            guard let record = try log.record(at: position), record.requestID == request,
                Self.types.contains(record.type)
            else { continue }
            if record.type == TransactionSigned.type {
                signing = record
                continue
            }
            switch try record.event()?.payload {
            case .requestReceived(let data): text = data.text
            case .signatureMade(let data): signature = data
            case .callbackEmitted(let data): url = url ?? data.url
            default: break
            }
        }
        // Few callbacks hold the transaction, and only theirs is decoded.
        if let signing, url?.contains(PaymentURI.proofKey) == true,
            case .transactionSigned(let data) = try signing.event()?.payload
        {
            signed = data
        }
    }

    /// Only these are read.
    private static let types = [
        RequestReceived.type, SignatureMade.type, TransactionSigned.type, CallbackEmitted.type,
    ]

    /// Whether the URL words what became of the request.
    ///
    /// A payment that its caller was told had failed may be executed after all.
    func words(_ row: RequestRow, _ id: RequestID, _ state: State) -> Bool {
        var failed = row
        failed.status = .failed
        return [row, failed].contains { row in
            CallbackCheck(row: row, text: text, signature: signature, signed: signed)
                .url(id, state) == url
        }
    }
}
