import DaybookEncoding
import DaybookSystem
import TestSupport

/// The links that other apps send: documented, odd, wrong and hostile.
struct LinkMaker {
    /// Addresses of the wallets here, by chain.
    var own: [String: [String]] = [:]
    /// The single payments that they received, by chain.
    var coins: [String: [UInt64]] = [:]
    /// The spendable coins of the wallets at the last check, by chain.
    var available: [String: [UInt64]] = [:]
    var now: UInt64 = 0
    var hostile = 10
    /// The chains that most apps ask for where the user has nothing.
    var chains = ["dash", "axe", "icon"]

    private static let strangers = [
        "dash": ["XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa"],
        "axe": ["P8bB9yPr3vVByqfmM5KXftyGckAtAdu6f8"],
        "icon": ["hx5b97bc7e0a18d4a7a825e150ae59ef4e5c9fba2e"],
    ]
    private static let token = "cxb0776ee37f5b45bfaea8cff1d8232fbb6122ec32"
    private static let callers = ["myapp", "shop", "dash-control", "another.app"]

    /// The prefix of a proof of payment.
    private static let proof = "myapp%3A%2F%2Fpaid%3Fproof%3D"

    /// A value that makes any link too long.
    private static let padding = Bytes("&message=".utf8) + Bytes(repeating: 0x61, count: 70_000)

    /// The links of the fixtures' files, which reach every refusal of a text.
    private static let fixtures: [Bytes] = {
        [
            "dash", "axe", "bip321", "iconex", "documents", "hostile", "secrets",
        ].flatMap { name in
            let json = try? Fixture.json("links/\(name).json")
            return (json?["cases"]?.arrayValue ?? []).compactMap { $0["url"]?.stringValue }
                .map { Bytes($0.utf8) }
        }
    }()

    func link(_ random: inout Seeded) -> Bytes {
        if random.chance(hostile) {
            if random.chance(4) { return Bytes(wallet("dash", &random).utf8) + Self.padding }
            return random.chance(70)
                ? random.pick(Self.fixtures) : random.mutated(Bytes(wallet("dash", &random).utf8))
        }
        // Most apps ask for what the user has.
        let held = own.keys.sorted()
        let chain = random.pick(
            random.chance(5) ? ["dash", "axe", "icon"] : held.isEmpty ? chains : held)
        let text =
            if chain == "icon" {
                random.chance(80) ? connect(&random) : secondForm(&random)
            } else {
                random.chance(85) ? wallet(chain, &random) : paymentURI(chain, &random)
            }
        return Bytes(text.utf8)
    }

    private func address(_ chain: String, _ random: inout Seeded) -> String {
        let ours = own[chain] ?? []
        return random.pick(ours.isEmpty || random.chance(60) ? Self.strangers[chain] ?? [] : ours)
    }

    /// Most apps ask for what the user can pay: a part of a coin, a whole one and its fee more or
    /// less, or two.
    private func amount(_ chain: String, _ random: inout Seeded) -> String {
        let coins = coins[chain] ?? []
        let coin = coins.isEmpty ? 100_000_000 : random.pick(coins)
        let duffs: UInt64
        switch random.below(12) {
        case 0: return random.pick(["0.00000545", "0.00000546", "21000001", "0.123456789"])
        case 1: return "\(random.below(3000))"
        case 2: duffs = coin &- UInt64(random.below(2000))
        case 3: duffs = coin + UInt64(random.below(Int(coin)))
        case 4:
            // A payment of the whole balance leaves no change, or too little to be of use.
            let all = available[chain] ?? []
            let fee = UInt64(192 + 148 * random.below(3) + random.below(1200))
            duffs = all.isEmpty ? coin / 2 : max(random.pick(all), fee) - fee
        default: duffs = coin / UInt64(2 + random.below(20)) + UInt64(random.below(1000))
        }
        return DecimalAmount.format(UInt256(duffs), decimals: 8)
    }

    private func wallet(_ chain: String, _ random: inout Seeded) -> String {
        let base = "\(chain)wallet://"
        let sender = "&sender=\(random.pick(Self.callers))"
        switch random.below(12) {
        case 0: return base + "request=masterPublicKey&account=\(random.below(3))" + sender
        case 1: return base + "request=address" + sender
        case 2, 3, 4: return base + "pay=\(address(chain, &random))" + sender
        default:
            let lock = random.pick(["", "", "", "", "&IS=1", "&req-IS=1"])
            let pay = "pay=\(address(chain, &random))&amount=\(amount(chain, &random))"
            return base + pay + lock + sender
        }
    }

    private func paymentURI(_ chain: String, _ random: inout Seeded) -> String {
        "\(chain):\(address(chain, &random))?amount=\(amount(chain, &random))"
            + random.pick(["", "&label=Luke-Jr", "&message=caf%C3%A9"])
            + random.pick([
                "", "&sender=myapp", "&pop=\(Self.proof)", "&req-pop=\(Self.proof)",
                "&pop=https%3A%2F%2Fshop.example%2F", "&req-pop=https%3A",
            ])
    }

    private func parties(_ random: inout Seeded) -> String {
        let ours = own["icon"] ?? []
        let from = random.pick(
            ours.isEmpty || random.chance(4) ? Self.strangers["icon"] ?? [] : ours)
        return #""from":"\#(from)","to":"\#(address("icon", &random))""#
    }

    private func connect(_ random: inout Seeded) -> String {
        let id = random.below(1_000_000)
        let value = #""value":"0x\#(String(1 + random.below(1 << 60), radix: 16))""#
        let data: String
        switch random.below(12) {
        case 0, 1: data = #"{"id":\#(id),"method":"bind"}"#
        case 2: data = #"{"id":\#(id),"method":"sign","params":{\#(signed(&random))}}"#
        case 3...7:
            let more = random.pick([
                "", "", "", #","dataType":"message","data":"0x686f6c61""#,
                #","dataType":"call","data":{"method":"transfer"}"#,
            ])
            let params = "\(parties(&random)),\(value)\(more)"
            data = #"{"id":\#(id),"method":"sendICX","params":{\#(params)}}"#
        default:
            let token = #""value":"0x\#(random.below(300))","contractAddress":"\#(Self.token)""#
            data = #"{"id":\#(id),"method":"sendToken","params":{\#(parties(&random)),\#(token)}}"#
        }
        return "iconex://?data=\(encoded(data))&caller=my-app-scheme://"
    }

    private func secondForm(_ random: inout Seeded) -> String {
        let redirect = #""redirect":"other-app://back""#
        if random.chance(40) { return "iconex://bind?data=\(encoded("{\(redirect)}"))" }
        let payload =
            #"{"jsonrpc":"2.0","method":"icx_sendTransaction","id":1,"params":{"#
            + signed(&random, hasLimit: random.chance(50)) + "}}"
        return "iconex://JSON-RPC?data=\(encoded("{\(redirect),\"payload\":\(payload)}"))"
    }

    private func signed(_ random: inout Seeded, hasLimit: Bool = true) -> String {
        let nid = random.pick(["0x3", "0x3", "0x3", "0x3", "0x1"])
        let time = random.chance(90) ? now : now &- UInt64(random.below(2_000_000_000))
        return #""version":"0x3",\#(parties(&random)),"value":"0x\#(1 + random.below(9))","#
            + (hasLimit ? #""stepLimit":"0x186a0","# : "")
            + #""timestamp":"0x\#(String(time, radix: 16))","#
            + #""nid":"\#(nid)","nonce":"0x1""#
    }

    private func encoded(_ json: String) -> String {
        Base64.encode(Array(json.utf8)).reduce(into: "") { text, character in
            switch character {
            case "=": text += "%3D"
            case "+": text += "%2B"
            case "/": text += "%2F"
            default: text.append(character)
            }
        }
    }
}
