import DaybookChains
import DaybookEncoding

/// The wish of a user who has opened another app's link and knows what it asks for.
struct Intent: Sendable {
    let name: String
    let link: String
    let chain: Chain
    let aim: Aim
    /// The amount that the user enters, in minor units.
    var typed: UInt64?
    /// The reading of an honest prompt, before and after the amount was entered.
    var untyped: PromptReading?
    var honest: PromptReading?

    /// A possible aim.
    enum Aim: Sendable {
        /// Dash, Axe: an output, and change.
        case payment(script: Bytes, amount: UInt64)
        /// ICON: a transaction with these parameters, whatever else it must have.
        case transaction(params: JSON)
        /// ICON: a signature of exactly these parameters, for the caller.
        case signature(params: JSON)
        /// The caller learns something of the wallet.
        case identity
    }

    var spends: Bool {
        switch aim {
        case .payment, .transaction: true
        case .signature, .identity: false
        }
    }
}

/// The links that the user opens, and whom they pay.
struct OpenedLinks {
    let network: Network
    let owner: Owner
    let now: UInt64

    static let token = "cxb0776ee37f5b45bfaea8cff1d8232fbb6122ec32"
    static let payee = "hx5b97bc7e0a18d4a7a825e150ae59ef4e5c9fba2e"

    /// The script of a shop.
    static func shop(_ number: UInt8) -> Bytes {
        Script.p2pkh(Bytes(repeating: 0x50 + number, count: 20)).bytes
    }

    func address(_ script: Bytes, _ chain: Chain) -> String {
        guard let parameters = UTXOParameters.of(chain, network) else { return "" }
        return UTXOAddress(Script(script), parameters)?.text ?? ""
    }

    var all: [Intent] { payments + identities + iconIntents }

    private func payment(
        _ name: String, _ chain: Chain, _ shop: UInt8, _ amount: UInt64, _ rest: String,
        typed: Bool = false
    ) -> Intent {
        let script = Self.shop(shop)
        let text = typed ? "" : "&amount=\(DecimalAmount.format(UInt256(amount), decimals: 8))"
        return Intent(
            name: name,
            link: "\(chain.rawValue)wallet://pay=\(address(script, chain))\(text)\(rest)",
            chain: chain, aim: .payment(script: script, amount: amount),
            typed: typed ? amount : nil)
    }

    var payments: [Intent] {
        [
            payment("pay", .dash, 1, 70_000_000, "&sender=shop"),
            payment("pay with several coins", .dash, 2, 220_000_000, "&sender=garage"),
            payment("pay a typed amount", .dash, 3, 12_345_678, "&sender=tips", typed: true),
            payment("pay with InstantSend", .dash, 4, 11_000_000, "&req-IS=1&sender=kiosk"),
            payment("pay from one key", .axe, 5, 30_000_000, "&sender=shop"),
        ]
    }

    var identities: [Intent] {
        [
            Intent(
                name: "give an address", link: "dashwallet://request=address&sender=library",
                chain: .dash, aim: .identity),
            Intent(
                name: "give the master public key",
                link: "dashwallet://request=masterPublicKey&account=0&sender=auditor",
                chain: .dash, aim: .identity),
            Intent(
                name: "give the only address", link: "axewallet://request=address&sender=library",
                chain: .axe, aim: .identity),
            Intent(
                name: "bind", link: connect(#"{"id":11,"method":"bind"}"#), chain: .icon,
                aim: .identity),
        ]
    }

    private var parties: String { #""from":"\#(owner.icon.text)","to":"\#(Self.payee)""# }

    private func raw(_ value: Int) -> String {
        #""version":"0x3",\#(parties),"value":"0x\#(String(value, radix: 16))","#
            + #""stepLimit":"0x186a0","timestamp":"0x\#(String(now, radix: 16))","#
            + #""nid":"0x3","nonce":"0x1""#
    }

    var iconIntents: [Intent] {
        let (value, small) = (#""value":"0xde0b6b3a7640000""#, #""value":"0x2""#)
        let token = #""value":"0x64","contractAddress":"\#(Self.token)""#
        let message = #","dataType":"message","data":"0x686f6c61""#
        let noted = parties + "," + small + message
        let rpc = #"{"jsonrpc":"2.0","method":"icx_sendTransaction","id":1,"params":{\#(raw(77))}}"#
        let call =
            #"{"from":"\#(owner.icon.text)","to":"\#(Self.token)","dataType":"call","data":{"#
            + #""method":"transfer","params":{"_to":"\#(Self.payee)","_value":"0x64"}}}"#
        return [
            icon(
                "sign", connect(#"{"id":12,"method":"sign","params":{\#(raw(55))}}"#),
                "{\(raw(55))}", signs: true),
            icon(
                "send ICX",
                connect(#"{"id":13,"method":"sendICX","params":{\#(parties),\#(value)}}"#),
                "{\(parties),\(value)}"),
            icon(
                "send ICX with a message",
                connect(#"{"id":14,"method":"sendICX","params":{\#(noted)}}"#), "{\(noted)}"),
            icon(
                "send tokens",
                connect(#"{"id":15,"method":"sendToken","params":{\#(parties),\#(token)}}"#), call),
            icon(
                "send a transaction",
                second(#"{"redirect":"wallet-app://back","payload":\#(rpc)}"#), "{\(raw(77))}"),
        ]
    }

    private func icon(_ name: String, _ link: String, _ params: String, signs: Bool = false)
        -> Intent
    {
        let params = (try? JSON.parse(Bytes(params.utf8))) ?? .null
        return Intent(
            name: name, link: link, chain: .icon,
            aim: signs ? .signature(params: params) : .transaction(params: params))
    }

    func connect(_ json: String) -> String {
        "iconex://?data=\(Self.encoded(json))&caller=my-app-scheme://"
    }

    private func second(_ json: String) -> String {
        "iconex://JSON-RPC?data=\(Self.encoded(json))"
    }

    private static func encoded(_ json: String) -> String {
        Base64.encode(Bytes(json.utf8)).replacing("=", with: "%3D").replacing("+", with: "%2B")
            .replacing("/", with: "%2F")
    }
}
