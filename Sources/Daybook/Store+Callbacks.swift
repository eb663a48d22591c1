import DaybookChains
import DaybookDomain
public import DaybookEncoding
import DaybookLinks
import DaybookLog
import DaybookReplay
import DaybookSigner

/// A part of the list of callbacks, oldest request first.
public struct CallbackPage: Codable, Hashable, Sendable {
    /// The callbacks; there may be fewer than asked for although more follow.
    public let callbacks: [Callback]
    /// The `after` of the next page; nil at the end.
    public let next: RequestID?

    /// A page for previews and tests of a front end.
    public init(callbacks: [Callback], next: RequestID? = nil) {
        self.callbacks = callbacks
        self.next = next
    }
}

/// Callbacks. A recorded callback is checked before it is handed out: someone who can write the log
/// could record any URL, with any address in it.
extension Store {
    /// The callbacks that a front end should open now: due and not yet delivered.
    ///
    /// A callback is due if a person decided the request. If the request was refused unseen or
    /// has expired, its callback is in `WalletRequest.callback`; it is due only if the user has
    /// approved a request of the same sender before.
    public func callbacks() throws(DaybookError) -> [Callback] {
        var page = try callbacks(after: nil, limit: RequestScan.limit)
        var callbacks = page.callbacks
        while let next = page.next {
            page = try self.callbacks(after: next, limit: RequestScan.limit)
            callbacks += page.callbacks
        }
        return callbacks
    }

    /// The callbacks that a front end should open now, of requests after one; oldest first.
    ///
    /// A page of which the front end opens everything needs no `next`: the following call begins
    /// with those that are left. For example:
    ///
    ///     for callback in try await store.callbacks(after: nil, limit: 20).callbacks {
    ///         open(callback.url)
    ///         try await store.delivered(callback.request)
    ///     }
    public func callbacks(
        after: RequestID?, limit: Int = 100
    ) throws(DaybookError) -> CallbackPage {
        try convertingErrors {
            try journal.read(.askedNow) { state, log in
                let size = min(max(limit, 1), RequestScan.limit)
                var (due, next): ([RequestID], RequestID?) = ([], nil)
                state.callbacks.walk(after: after) { id, _ in
                    guard due.count < size else {
                        next = due.last
                        return false
                    }
                    due.append(id)
                    return true
                }
                let callbacks = try due.compactMap { id in
                    try callback(of: id, state, log).map { Callback(request: id, url: $0) }
                }
                return CallbackPage(callbacks: callbacks, next: next)
            }
        }
    }

    /// Records that the front end has opened a request's callback URL; may be called again.
    ///
    /// - Throws: `unknownCallback`.
    @discardableResult
    public func delivered(_ id: RequestID) async throws(DaybookError) -> Callback {
        try await convertingErrors {
            try await journal.record { state, _, _ in
                guard let row = state.request(id), row.callback != nil else {
                    throw DaybookError(
                        "unknownCallback", .refused, "request \(id) has no callback")
                }
                if row.delivered { return [] }
                return [.init(.callbackDelivered(CallbackDelivered()), request: .at(id))]
            }
            probe?("delivery recorded")
            // The URL that was opened is the one handed out: it need not be checked again.
            let url = try handedOut.removeValue(forKey: id)
                ?? journal.read(.askedNow) { state, log in try callback(of: id, state, log) }
            return Callback(request: id, url: url ?? "", isDelivered: true)
        }
    }

    /// Remembers a checked callback that was handed out with its request, until it is delivered.
    func rememberHandedOut(_ callback: String, of id: RequestID) {
        // Callbacks that were forgotten here are checked again.
        if handedOut.count >= Self.handedOutLimit { handedOut = [:] }
        handedOut[id] = callback
    }

    private static var handedOutLimit: Int { 100 }

    /// The callback of a request; nil if it has none that may be opened.
    ///
    /// The URL must say what became of the request, must hold only addresses and keys that follow
    /// from the wallet's sealed keys, and must open another app by today's rules.
    func callback(of id: RequestID, _ state: State, _ log: AskedLog) throws -> String? {
        let recorded = try RecordedAnswer(of: id, in: log.snapshot)
        guard let url = recorded.url, Caller(callback: url) != nil, let row = state.request(id)
        else { return nil }
        if row.status == .coalesced {
            // A copy of a request has the callback of the original.
            guard let original = row.into else { return nil }
            return try callback(of: original, state, log) == url ? url : nil
        }
        return recorded.words(row, id, state) && isOwn(id, state) ? url : nil
    }

    /// Whether the address or keys that a caller was given follow from the wallet's sealed keys.
    private nonisolated func isOwn(_ id: RequestID, _ state: State) -> Bool {
        guard let row = state.bindings[id] else { return true }
        let given = row.binding
        guard let wallet = state.wallets[given.wallet]?.wallet,
            case .agrees = KeyStanding(of: wallet, in: keys)
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
    /// Whether an address follows from a wallet's keys; the rows only name the path.
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

/// A request's callback, and what it is checked against, read from the request's events.
private struct RecordedAnswer {
    var url: String?
    private var text: Bytes = []
    private var signature: SignatureMade?
    private var signed: TransactionSigned?

    init(of request: RequestID, in log: LogSnapshot) throws {
        for record in try log.records(at: log.positions(ofRequest: request.number)) {
            guard record.requestID == request, Self.types.contains(record.type) else { continue }
            switch try record.event()?.payload {
            case .requestReceived(let data): text = data.text
            case .signatureMade(let data): signature = data
            case .transactionSigned(let data): signed = data
            case .callbackEmitted(let data): url = url ?? data.url
            default: break
            }
        }
    }

    /// Only events of these types are decoded.
    private static let types = [
        RequestReceived.type, SignatureMade.type, TransactionSigned.type, CallbackEmitted.type,
    ]

    /// Whether the URL says what became of the request.
    ///
    /// "Failed" is right as well: a payment may be executed after its caller was told so.
    func words(_ row: RequestRow, _ id: RequestID, _ state: State) -> Bool {
        var failed = row
        failed.status = .failed
        return [row, failed].contains { row in
            CallbackCheck(row: row, text: text, signature: signature, signed: signed)
                .url(id, state) == url
        }
    }
}
