import Daybook
import DaybookChains
import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookNodes
import DaybookReplay

extension GeneratedWorld {
    private static let callers = [
        "bakery", "bookshop", "cinema", "florist", "grocer", "museum", "payroll", "tickets",
    ]

    /// Receives a request of a caller; a chain that must be asked answers at once.
    mutating func receive(
        _ scribe: inout Scribe, _ transaction: inout LogTransaction
    ) throws {
        requests += 1
        let text = Bytes(link(transaction.state).utf8)
        let key = random.below(4) == 0 ? "order-\(requests)" : nil
        let received = RequestReceived(text: text, frontEnd: scribe.frontEnd, key: key)
        let events = try scribe.write(
            .requestReceived(received), .own, at: time, to: &transaction)
        guard let id = events.first?.request else { return }
        if case .requestDeferred(let data)? = events.last?.payload {
            try observe(for: id, data.request, &scribe, &transaction)
        }
        switch transaction.state.request(id)?.status {
        // One request in ten expires.
        case .pending: if random.below(10) > 0 { open.append(id) }
        case .refused: try deliver(id, &scribe, &transaction)
        default: break
        }
    }

    /// The text of a request; see the command's help for the mix.
    private mutating func link(_ state: State) -> String {
        let caller = random.one(of: Self.callers)
        switch random.below(100) {
        case ..<24: return payment(.dash, "dashwallet", caller)
        case ..<34: return payment(.axe, "axewallet", caller)
        case ..<42: return connect("sendICX", transfer(state), caller)
        case ..<46:
            let contract = JSON.string(ICONSandbox.token.text)
            return connect(
                "sendToken", transfer(state) + [.init(name: "contractAddress", value: contract)],
                caller)
        case ..<50: return connect("sign", signing(state), caller)
        case ..<58: return "dashwallet://request=address&account=0&sender=\(caller)"
        case ..<62: return "axewallet://request=masterPublicKey&sender=\(caller)"
        case ..<66: return connect("bind", nil, caller)
        case ..<72: return payment(.dash, "dashwallet", caller) + "&req-discount=\(requests)"
        case ..<80:
            let amount = "&amount=0.0000\(random.among(1...9))&sender=\(caller)"
            return "axewallet://pay=\(requests)\(address(.axe))\(amount)"
        case ..<88: return "dashwallet://scan=\(requests)&sender=\(caller)"
        default: return connect("lend", transfer(state), caller)
        }
    }

    private mutating func payment(_ chain: Chain, _ scheme: String, _ caller: String) -> String {
        // From a thousandth to a hundredth of a coin, in duffs.
        let amount = DecimalAmount.format(
            UInt256(random.among(100_000...1_000_000)), decimals: Duffs.decimals)
        return "\(scheme)://pay=\(address(chain))&amount=\(amount)&sender=\(caller)"
    }

    /// An address that is none of the wallets'.
    private mutating func address(_ chain: Chain) -> String {
        guard let parameters = UTXOParameters.of(chain, .sandbox) else { return "" }
        let script = Script.p2pkh(random.bytes(20))
        return UTXOAddress(script, parameters)?.text ?? ""
    }

    // MARK: - ICONex Connect

    private mutating func connect(
        _ method: String, _ params: [JSON.Member]?, _ caller: String
    ) -> String {
        let number = JSON.number(String(requests % 1_000_000))
        let request = JSON.record([
            "id": number, "method": .string(method), "params": params.map(JSON.object),
        ])
        let data = Base64.encode(Bytes(request.text().utf8))
        let escaped = data.map { character in
            switch character {
            case "+": "%2B"
            case "/": "%2F"
            case "=": "%3D"
            default: String(character)
            }
        }
        return "iconex://?data=\(escaped.joined())&caller=\(caller)://"
    }

    private mutating func transfer(_ state: State) -> [JSON.Member] {
        let wallets = state.wallets(of: .icon)
        let receiver = ICONAddress(kind: .account, hash: random.bytes(20))
        // About a thousandth of a coin.
        let value = UInt256(random.among(1_000_000_000_000...9_000_000_000_000_000))
        return [
            .init(name: "from", value: .string(random.one(of: wallets).row.address)),
            .init(name: "to", value: .string(receiver?.text ?? "")),
            .init(name: "value", value: .string(ICONInteger.text(value))),
        ]
    }

    private mutating func signing(_ state: State) -> [JSON.Member] {
        [.init(name: "version", value: .string("0x3"))] + transfer(state) + [
            .init(name: "stepLimit", value: .string("0x186a0")),
            .init(name: "timestamp", value: .string(ICONInteger.text(time))),
            .init(name: "nid", value: .string(ICONInteger.text(ICONSandbox.nid))),
            .init(name: "nonce", value: .string("0x1")),
        ]
    }
}

extension GeneratedWorld {
    /// Decides a request, and performs all effects at once.
    mutating func decide(
        _ id: RequestID, _ scribe: inout Scribe, _ transaction: inout LogTransaction
    ) throws {
        guard let row = transaction.state.request(id), let request = row.request else {
            throw LogWriteError("request \(id) is not known")
        }
        let wallet = random.one(of: transaction.state.candidates(for: request))
        let isApproved = random.below(100) < 75
        let prompt = transaction.state.prompt(
            for: request, id: id, wallet: wallet.id, amount: nil, repeats: row.repeats)
        let decision = DecisionMade(
            decision: isApproved ? .approve : .reject, prompt: isApproved ? prompt.digest : nil,
            wallet: isApproved ? wallet.id : nil, amount: nil,
            unlocked: isApproved && request.action != .bind)
        try scribe.write(.decisionMade(decision), .at(id), at: time, to: &transaction)
        try sign(id, by: wallet.row.wallet, &scribe, &transaction)
        try deliver(id, &scribe, &transaction)
    }

    private mutating func sign(
        _ id: RequestID, by wallet: WalletAdded, _ scribe: inout Scribe,
        _ transaction: inout LogTransaction
    ) throws {
        guard let row = transaction.state.request(id), row.status == .approved,
            let prepared = row.prepared
        else { return }
        let signatures = try prepared.inputs.map { input in
            guard let path = DerivationPath(input.path), let label = wallet.label else {
                throw LogWriteError("request \(id) is to be signed by an unknown key")
            }
            return try keys.sign(input.digest, at: path, of: label)
        }
        let made = SignatureMade(signatures: signatures)
        time += random.among(1_000...5_000)
        let events = try scribe.write(.signatureMade(made), .at(id), at: time, to: &transaction)
        let signed = events.lazy.compactMap { event -> TransactionSigned? in
            if case .transactionSigned(let data) = event.payload { data } else { nil }
        }.first
        guard let signed, transaction.state.request(id)?.status == .signed else { return }
        let answer = send(signed, wallet.chain)
        guard answer.answer == .accepted else {
            throw LogWriteError("the sandbox refused request \(id): \(answer.message ?? "")")
        }
        time += random.among(20_000...200_000)
        try scribe.write(.broadcastAnswered(answer), .at(id), at: time, to: &transaction)
        var waiting = unconfirmed[wallet.chain] ?? Unconfirmed(since: time)
        waiting.transactions.append(signed.txid)
        waiting.scripts += try UTXOScripts.touched(by: prepared, wallet.chain)
        unconfirmed[wallet.chain] = waiting
    }

    private mutating func send(_ signed: TransactionSigned, _ chain: Chain) -> BroadcastAnswered {
        guard var sandbox = utxo.removeValue(forKey: chain) else {
            return icon.send(signed.bytes, hash: signed.txid, at: time)
        }
        defer { utxo[chain] = sandbox }
        return sandbox.send(signed.bytes, txid: signed.txid)
    }

    /// Marks a callback as delivered, except one in twenty.
    mutating func deliver(
        _ id: RequestID, _ scribe: inout Scribe, _ transaction: inout LogTransaction
    ) throws {
        guard let row = transaction.state.request(id), row.callback != nil, !row.delivered,
            random.below(20) > 0
        else { return }
        try scribe.write(
            .callbackDelivered(CallbackDelivered()), .at(id), at: time, to: &transaction)
    }
}

/// The scripts that a prepared transaction spends from and pays to.
enum UTXOScripts {
    static func touched(by prepared: TransactionPrepared, _ chain: Chain) throws -> [Bytes] {
        if chain.rules.ledger == .accounts { return [] }
        let made = try UTXOTransaction.parse(prepared.bytes).outputs.map(\.script)
        let spent = prepared.inputs.compactMap { input in
            PublicKey(input.publicKey).map { Script.p2pkh(Hash160.hash($0.compressed)).bytes }
        }
        return spent + made
    }
}
