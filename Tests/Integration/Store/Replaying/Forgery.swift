import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookLog
import Testing

@testable import DaybookReplay

/// A recorded session with a lie in it, and the rule that the lie breaks.
struct Forgery: Sendable, CustomTestStringConvertible {
    let name: String
    let rule: Violation.Rule
    private let change: @Sendable (inout Forging) throws -> UInt64

    var testDescription: String { name }

    init(
        _ name: String, _ rule: Violation.Rule,
        _ change: @escaping @Sendable (inout Forging) throws -> UInt64
    ) {
        self.name = name
        self.rule = rule
        self.change = change
    }

    /// The forged log, and where the violation is.
    func make(_ records: [EventRecord]) throws -> ([EventRecord], UInt64) {
        var forging = Forging(records: records)
        let position = try change(&forging)
        return (forging.records, position)
    }

    static let all = envelopes + decisions + transactions + coins + answers

    // MARK: - Envelopes and sessions

    private static let envelopes = [
        Forgery("a decision that can't be read", .malformed) { log in
            try log.change(try log.last("decision.made")) { $0.altered(data: .null) }
        },
        Forgery("an event of another place", .malformed) { log in
            let place = try log.last("callback.delivered")
            _ = try log.change(place) { $0.altered(position: $0.position + 1) }
            return UInt64(place)
        },
        Forgery("a clock that goes back", .timeWentBack) { log in
            try log.change(try log.last("chain.observed")) { $0.altered(time: 5) }
        },
        Forgery("an event of no session", .outsideSession) { log in
            try log.change(try log.last("chain.observed")) { $0.altered(session: 1) }
        },
        Forgery("a session of an older engine", .engineFell) { log in
            try log.rewrite(try log.last("session.started")) { payload in
                guard case .sessionStarted(let data) = payload else { return payload }
                return .sessionStarted(
                    SessionStarted(
                        frontEnd: data.frontEnd, engine: data.engine - 1,
                        libraries: data.libraries, settings: data.settings))
            }
        },
        Forgery("an event of no request", .unknownRequest) { log in
            try log.change(try log.last("decision.made")) { $0.altered(request: 1) }
        },
        Forgery("a request's second beginning", .unknownRequest) { log in
            let first = log.records[try log.first("request.received")].position
            return try log.change(try log.last("request.received")) {
                $0.altered(request: first)
            }
        },
        Forgery("a wallet with other keys under its fingerprint", .keyMismatch) { log in
            try log.rewrite(try log.first("wallet.added")) { payload in
                guard case .walletAdded(let data) = payload else { return payload }
                return .walletAdded(
                    WalletAdded(
                        chain: data.chain, network: data.network, networkID: data.networkID,
                        label: data.label, fingerprint: data.fingerprint,
                        keys: .single(publicKey: Bytes(repeating: 2, count: 33))))
            }
        },
        Forgery("a payment that nobody made", .unbalanced) { log in
            let places = log.records.indices.filter { place in
                if case .paymentReceived(let data)? = log.payload(place) {
                    return data.asset == "ICX"
                }
                return false
            }
            try #require(places.count > 1)
            try log.rewrite(places[0]) { payload in
                guard case .paymentReceived(let data) = payload else { return payload }
                return .paymentReceived(
                    PaymentReceived(
                        wallet: data.wallet, asset: data.asset, amount: .max, txid: nil))
            }
            return UInt64(places[1])
        },
    ]

    // MARK: - The user's word

    private static let decisions = [
        Forgery("a no that counts as a yes", .notApproved) { log in
            let prepared = try log.first("transaction.prepared")
            try log.rewriteDecision(before: prepared) { data in
                DecisionMade(
                    decision: .reject, prompt: nil, wallet: nil, amount: nil, unlocked: false)
            }
            return UInt64(prepared)
        },
        Forgery("a yes to another prompt", .notApproved) { log in
            let prepared = try log.last("transaction.prepared")
            try log.rewriteDecision(before: prepared) { data in
                DecisionMade(
                    decision: .approve, prompt: data.prompt.map { $0.dropLast() + [$0[31] ^ 1] },
                    wallet: data.wallet, amount: data.amount, unlocked: data.unlocked)
            }
            return UInt64(prepared)
        },
        Forgery("a yes without the passphrase", .notApproved) { log in
            let prepared = try log.first("transaction.prepared")
            try log.rewriteDecision(before: prepared) { data in
                DecisionMade(
                    decision: .approve, prompt: data.prompt, wallet: data.wallet,
                    amount: data.amount, unlocked: false)
            }
            return UInt64(prepared)
        },
        Forgery("a signature that nothing was prepared for", .notApproved) { log in
            let place = try log.first("request.rejected")
            let signature = log.records[try log.first("signature.made")]
            return try log.change(place) {
                $0.altered(type: signature.type, cause: .some(nil), data: signature.data)
            }
        },
        Forgery("a signature of no request", .unsignedDecision) { log in
            let place = try log.last("signature.made")
            try #require(log.records[place - 1].type == "transaction.prepared")
            _ = try log.change(place) { $0.altered(request: .some(nil)) }
            return UInt64(place - 1)
        },
        Forgery("an approval after the expiry", .afterExpiry) { log in
            let prepared = try log.first("transaction.prepared")
            let request = try #require(log.records[prepared].request)
            let accepted = try #require(
                log.records.firstIndex {
                    $0.type == "request.accepted" && $0.request == request
                })
            let time = log.records[accepted].time
            try log.rewrite(accepted) { payload in
                guard case .requestAccepted(let data) = payload else { return payload }
                return .requestAccepted(
                    RequestAccepted(
                        request: data.request, prompt: data.prompt, digest: data.digest,
                        expires: time))
            }
            return UInt64(prepared)
        },
        Forgery("a signature after the expiry", .afterExpiry) { log in
            let prepared = try log.first("transaction.prepared")
            _ = try log.change(prepared) {
                $0.altered(type: "request.expired", data: .map([]))
            }
            return UInt64(try log.first("signature.made"))
        },
        Forgery("a key given without a decision", .givenWithoutDecision) { log in
            let place = try log.first("request.rejected")
            let granted = log.records[try log.first("binding.granted")]
            return try log.change(place) {
                $0.altered(type: granted.type, data: granted.data)
            }
        },
        Forgery("a callback that an editor would open", .forbiddenCallback) { log in
            let rejected = try log.first("request.rejected")
            let request = try #require(log.records[rejected].request)
            let accepted = try #require(
                log.records.firstIndex {
                    $0.type == "request.accepted" && $0.request == request
                })
            // All else agrees: it is the caller that the request names.
            try log.rewrite(accepted) { payload in
                guard case .requestAccepted(let data) = payload else { return payload }
                let asked = data.request
                let caller = Caller(scheme: "vscode", prefix: "vscode://file/etc/passwd")
                return .requestAccepted(
                    RequestAccepted(
                        request: Request(
                            link: asked.link, chain: asked.chain, action: asked.action,
                            caller: caller, reference: asked.reference, notes: asked.notes),
                        prompt: data.prompt, digest: data.digest, expires: data.expires))
            }
            return try log.rewrite(rejected + 1) { payload in
                guard case .callbackEmitted(let data) = payload else { return payload }
                let answer = data.url.drop { $0 != "?" }
                return .callbackEmitted(
                    CallbackEmitted(url: "vscode://file/etc/passwd\(answer)"))
            }
        },
        Forgery("another address given than the wallet's", .givenWithoutDecision) { log in
            let place = try log.last("binding.granted")
            return try log.rewrite(place) { payload in
                guard case .bindingGranted(let data) = payload else { return payload }
                return .bindingGranted(
                    BindingGranted(
                        caller: data.caller, wallet: data.wallet, kind: data.kind,
                        values: ["hx" + String(repeating: "0", count: 40)]))
            }
        },
        Forgery("an address given of another chain's wallet", .givenWithoutDecision) { log in
            let granted = try log.givenAddress(.axe)
            let decision = Int(try #require(log.records[granted].cause))
            let state = try log.state(before: decision)
            let id = try #require(log.records[decision].requestID)
            let row = try #require(state.request(id))
            let other = try #require(state.wallets(of: .dash).first)
            // All else is true: it was shown, the address is the wallet's, the caller was told it.
            let prompt = state.prompt(
                for: try #require(row.request), id: id, wallet: other.id, amount: nil,
                repeats: row.repeats)
            try log.rewriteDecision(before: granted) { data in
                DecisionMade(
                    decision: .approve, prompt: prompt.digest, wallet: other.id, amount: nil,
                    unlocked: data.unlocked)
            }
            let address = other.row.address
            let position = try log.rewrite(granted) { payload in
                guard case .bindingGranted(let data) = payload else { return payload }
                return .bindingGranted(
                    BindingGranted(
                        caller: data.caller, wallet: other.id, kind: data.kind,
                        values: [address]))
            }
            try log.rewrite(granted + 1) { payload in
                guard case .callbackEmitted(let data) = payload else { return payload }
                let url = data.url.replacing(/address=[^&]*/, with: "address=\(address)")
                return .callbackEmitted(CallbackEmitted(url: url))
            }
            return position
        },
    ]
}

/// The records of a log while they are being forged.
struct Forging {
    var records: [EventRecord]

    func first(_ type: String) throws -> Int {
        try #require(records.firstIndex { $0.type == type })
    }

    func last(_ type: String) throws -> Int {
        try #require(records.lastIndex { $0.type == type })
    }

    func payload(_ place: Int) -> Payload? {
        (try? records[place].event())??.payload
    }

    /// The state that the events before a place make.
    func state(before place: Int) throws -> State {
        var state = State()
        for record in records[..<place] {
            if let event = try record.event() { state.evolve(event) }
        }
        return state
    }

    /// Where a caller was first given an address of a chain.
    func givenAddress(_ chain: Chain) throws -> Int {
        let accepted = records.indices.first { place in
            guard case .requestAccepted(let data)? = payload(place),
                case .address = data.request.action
            else { return false }
            return data.request.chain == chain
        }
        let request = records[try #require(accepted)].request
        return try #require(
            records.firstIndex { $0.type == "binding.granted" && $0.request == request })
    }

    /// Changes a record and returns its position.
    mutating func change(_ place: Int, _ body: (EventRecord) throws -> EventRecord) throws
        -> UInt64
    {
        records[place] = try body(records[place])
        return records[place].position
    }

    /// Changes what an event says and returns its position.
    @discardableResult
    mutating func rewrite(_ place: Int, _ body: (Payload) throws -> Payload) throws -> UInt64 {
        let recorded = try #require(payload(place))
        let data = try CBOR.decode(try body(recorded).data.encoded())
        return try change(place) { $0.altered(data: data) }
    }

    /// Changes the decision that an event follows from.
    mutating func rewriteDecision(
        before place: Int, _ body: (DecisionMade) -> DecisionMade
    ) throws {
        let cause = try #require(records[place].cause)
        try rewrite(Int(cause)) { payload in
            guard case .decisionMade(let data) = payload else { return payload }
            return .decisionMade(body(data))
        }
    }
}
