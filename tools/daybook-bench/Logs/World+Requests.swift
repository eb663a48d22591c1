import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookNodes
import DaybookReplay

extension World {
    private static let callers = [
        "bakery", "bookshop", "cinema", "florist", "grocer", "museum", "payroll", "tickets",
    ]

    /// A caller asks for something; a chain that has to be asked answers at once.
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
        // One in ten is left to expire.
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

    /// An address that nobody of ours has the key of.
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
