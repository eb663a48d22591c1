import DaybookEncoding
import Foundation
import TestSupport

@testable import Daybook

/// Links of every protocol and form, good, wrong and hostile.
struct GeneratedLinks {
    /// Addresses of the store's wallets, by chain.
    var own: [ChainName: [String]] = [:]
    /// The time that a caller's own transactions carry, in microseconds.
    var now: UInt64 = 0
    private var earlier: [Bytes] = []

    private static let strangers: [ChainName: [String]] = [
        .dash: ["XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa"],
        .axe: ["P8bB9yPr3vVByqfmM5KXftyGckAtAdu6f8"],
        .icon: [
            "hx5b97bc7e0a18d4a7a825e150ae59ef4e5c9fba2e",
            "hxbe258ceb872e08851f1f59694dac2558708ece11",
        ],
    ]
    private static let token = "cxb0776ee37f5b45bfaea8cff1d8232fbb6122ec32"
    private static let callers = ["myapp", "shop", "dash-control", "another.app", "x1"]

    /// The links of the fixtures' files: documented, refused and hostile ones.
    private static let fixtures: [Bytes] = {
        ["dash", "axe", "iconex", "documents", "hostile", "secrets"].flatMap { name in
            let json = try? Fixture.json("links/\(name).json")
            return (json?["cases"]?.arrayValue ?? []).compactMap { $0["url"]?.stringValue }
                .map { Bytes($0.utf8) }
        }
    }()

    /// The next link; `serial` makes it another one than those before.
    mutating func next(_ serial: Int, _ random: inout Seeded) -> Bytes {
        let text: Bytes
        switch random.below(100) {
        case 0..<38: text = Bytes(wallet(random.chance(60) ? .dash : .axe, &random).utf8)
        case 38..<46: text = Bytes(paymentURI(random.chance(60) ? .dash : .axe, &random).utf8)
        case 46..<74: text = Bytes(connect(serial, &random).utf8)
        case 74..<80: text = Bytes(secondForm(serial, &random).utf8)
        case 80..<92: text = random.pick(Self.fixtures)
        case 92..<96 where !earlier.isEmpty: text = random.pick(earlier)
        default: text = random.mutated(Bytes(wallet(.dash, &random).utf8))
        }
        earlier.append(text)
        if earlier.count > 12 { earlier.removeFirst() }
        return text
    }

    // MARK: - Dash and Axe

    private func address(_ chain: ChainName, _ random: inout Seeded) -> String {
        let known = Self.strangers[chain, default: []]
        return random.pick(random.chance(70) ? known : known + own[chain, default: []])
    }

    private func amount(_ random: inout Seeded) -> String {
        switch random.below(20) {
        case 0: "0.00000545"
        case 1: "21000001"
        case 2: "0.123456789"
        case 3: "\(random.below(5000))"
        default: "\(random.below(2)).\(1000 + random.below(8999))\(random.below(10_000))"
        }
    }

    private func wallet(_ chain: ChainName, _ random: inout Seeded) -> String {
        let sender = "&sender=\(random.pick(Self.callers))"
        let base = "\(chain.rawValue)wallet://"
        switch random.below(10) {
        case 0: return base + "request=masterPublicKey&account=\(random.below(3))" + sender
        case 1, 2: return base + "request=address" + sender
        case 3: return base + "pay=\(address(chain, &random))" + sender
        default:
            let lock = random.pick(["", "", "", "&IS=1", "&req-IS=1"])
            let target = address(chain, &random)
            return base + "pay=\(target)&amount=\(amount(&random))\(lock)" + sender
        }
    }

    private func paymentURI(_ chain: ChainName, _ random: inout Seeded) -> String {
        let label = random.pick(["", "&label=Luke-Jr", "&message=caf%C3%A9", "&label=%E2%80%AEx"])
        let sender = random.pick(["", "&sender=myapp"])
        return "\(chain.rawValue):\(address(chain, &random))?amount=\(amount(&random))"
            + label + sender
    }

    // MARK: - ICON

    private func connect(_ id: Int, _ random: inout Seeded) -> String {
        let from = random.pick(
            own[.icon, default: []] + Self.strangers[.icon, default: []].prefix(1))
        let to = address(.icon, &random)
        let parties = #""from":"\#(from)","to":"\#(to)""#
        let value = #""value":"0x\#(String(1 + random.below(1 << 58), radix: 16))""#
        let data: String
        switch random.below(12) {
        case 0, 1: data = #"{"id":\#(id),"method":"bind"}"#
        case 2, 3: data = #"{"id":\#(id),"method":"sign","params":{\#(signed(parties, &random))}}"#
        case 4...7:
            let more = random.pick([
                "", "", #","dataType":"message","data":"0x686f6c61""#,
                #","dataType":"call","data":{"method":"transfer"}"#,
            ])
            data = #"{"id":\#(id),"method":"sendICX","params":{\#(parties),\#(value)\#(more)}}"#
        case 8...10:
            let token = #""value":"0x\#(random.below(3000))","contractAddress":"\#(Self.token)""#
            data = #"{"id":\#(id),"method":"sendToken","params":{\#(parties),\#(token)}}"#
        default: data = random.pick(["{", #"{"id":1}"#, #"{"id":2,"method":"foo"}"#, "[]"])
        }
        return "iconex://?data=\(encoded(data))&caller=my-app-scheme://"
    }

    private func secondForm(_ serial: Int, _ random: inout Seeded) -> String {
        let redirect = #""redirect":"other-app://back""#
        if random.chance(40) {
            return "iconex://bind?data=\(encoded("{\(redirect)}"))"
        }
        let from = random.pick(own[.icon, default: []])
        let parties = #""from":"\#(from)","to":"\#(address(.icon, &random))""#
        let payload =
            #"{"jsonrpc":"2.0","method":"icx_sendTransaction","id":\#(serial),"params":{"#
            + signed(parties, &random, hasLimit: random.chance(50)) + "}}"
        return "iconex://JSON-RPC?data=\(encoded("{\(redirect),\"payload\":\(payload)}"))"
    }

    private func signed(
        _ parties: String, _ random: inout Seeded, hasLimit: Bool = true
    ) -> String {
        let nid = random.pick(["0x3", "0x3", "0x3", "0x1"])
        return #""version":"0x3",\#(parties),"value":"0x\#(1 + random.below(9))","#
            + (hasLimit ? #""stepLimit":"0x186a0","# : "")
            + #""timestamp":"0x\#(String(now, radix: 16))","#
            + #""nid":"\#(nid)","nonce":"0x1""#
    }

    private func encoded(_ json: String) -> String {
        Base64.encode(Array(json.utf8)).replacingOccurrences(of: "=", with: "%3D")
            .replacingOccurrences(of: "+", with: "%2B").replacingOccurrences(of: "/", with: "%2F")
    }
}
