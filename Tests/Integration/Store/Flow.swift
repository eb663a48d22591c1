import DaybookChains
import DaybookEncoding
import DaybookNodes
import Testing

@testable import Daybook

/// A request that a front end takes from its link to its callback.
struct Flow: Sendable, CustomTestStringConvertible {
    let name: String
    let chain: ChainName
    let text: String
    /// The receiver and amount of its transaction, if it makes one that is sent.
    var pays: String?

    var testDescription: String { name }

    static let key1 = "hx0502987e630ea7ebb2bf1d84a65a727109385bcf"
    static let key2 = "hx5b97bc7e0a18d4a7a825e150ae59ef4e5c9fba2e"
    static let token = "cxb0776ee37f5b45bfaea8cff1d8232fbb6122ec32"
    static let dash = "XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa"
    static let axe = "P8bB9yPr3vVByqfmM5KXftyGckAtAdu6f8"

    static let all = [
        Flow(
            name: "pay", chain: .dash,
            text: "dashwallet://pay=\(dash)&amount=1.5&sender=myapp", pays: "150000000"),
        Flow(
            name: "pay with req-IS", chain: .dash,
            text: "dashwallet://pay=\(dash)&amount=1&req-IS=1&sender=myapp", pays: "100000000"),
        Flow(
            name: "address", chain: .dash, text: "dashwallet://request=address&sender=myapp"),
        Flow(name: "bind", chain: .icon, text: connect(#"{"id":1,"method":"bind"}"#)),
        Flow(
            name: "sign", chain: .icon,
            text: connect(
                #"{"id":4,"method":"sign","params":{"version":"0x3","from":"\#(key1)","#
                    + #""to":"\#(key2)","value":"0x1","stepLimit":"0x186a0","#
                    + #""timestamp":"0x563a6cf330136","nid":"0x3","nonce":"0x1"}}"#)),
        Flow(
            name: "sendICX", chain: .icon,
            text: connect(
                #"{"id":2,"method":"sendICX","params":{"from":"\#(key1)","to":"\#(key2)","#
                    + #""value":"0xde0b6b3a7640000"}}"#), pays: "1000000000000000000"),
        Flow(
            name: "sendToken", chain: .icon,
            text: connect(
                #"{"id":3,"method":"sendToken","params":{"from":"\#(key1)","to":"\#(key2)","#
                    + #""value":"0x64","contractAddress":"\#(token)"}}"#), pays: "100"),
    ]

    /// The payments that arrived on the chain, a number for each transaction to the receiver.
    func arrived(in store: Store) async throws -> [String] {
        if chain == .icon {
            let isToken = name == "sendToken"
            return try await store.chains.icon { sandbox, _ in
                guard let key2 = ICONAddress(Self.key2), let token = ICONAddress(Self.token) else {
                    return []
                }
                let amount =
                    isToken
                    ? try sandbox.ask(token, .balance(of: key2)).stringValue
                        .flatMap(ICONInteger.parse) ?? .zero
                    : sandbox.balance(of: key2)
                return amount == .zero ? [] : [amount.decimal]
            }
        }
        let receiver = chain == .axe ? Self.axe : Self.dash
        let place = DaybookChains.Chain(chain)
        let script = UTXOAddress(receiver, chain: place)?.scriptPubKey ?? []
        return try await store.chains.utxo(place) { sandbox, _ in
            sandbox.outputs(of: [script]).map { String($0.amount) }
        }
    }
}
