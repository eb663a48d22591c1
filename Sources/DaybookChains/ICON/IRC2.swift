package import DaybookEncoding

/// ICON's token standard IRC-2, as far as a wallet needs it.
package enum IRC2 {
    /// A transfer of tokens.
    package struct Transfer: Hashable, Sendable {
        package let from: ICONAddress
        package let to: ICONAddress
        /// In the token's smallest unit.
        package let value: UInt256
        /// Bytes for the recipient; nil omits them.
        package let data: Bytes?

        package init(
            from: ICONAddress, to: ICONAddress, value: UInt256, data: Bytes? = nil
        ) {
            self.from = from
            self.to = to
            self.value = value
            self.data = data
        }

        /// The parameters of the contract's method `transfer`.
        package var parameters: [JSON.Member] {
            let required = [
                JSON.Member(name: "_to", value: .string(to.text)),
                JSON.Member(name: "_value", value: .string(ICONInteger.text(value))),
            ]
            guard let data else { return required }
            let text = "0x" + Hex.encode(data)
            return required + [JSON.Member(name: "_data", value: .string(text))]
        }

        /// The transfer in an event log; nil for other events.
        package init?(_ event: ICONEventLog) {
            guard event.signature == Transfer.signature, event.arguments.count == 4,
                let from = event.arguments[0].flatMap({ ICONAddress($0) }),
                let to = event.arguments[1].flatMap({ ICONAddress($0) }),
                let value = event.arguments[2].flatMap(ICONInteger.parse)
            else { return nil }
            let data = event.arguments[3].flatMap { $0.hasPrefix("0x") ? $0.dropFirst(2) : nil }
            self.init(from: from, to: to, value: value, data: data.flatMap { Hex.decode($0) })
        }

        /// The signature of the event.
        package static let signature = "Transfer(Address,Address,int,bytes)"
    }

    /// The `data` of a query to a token's contract, for `icx_call`.
    package enum Query: Hashable, Sendable {
        case name
        case symbol
        case decimals
        case totalSupply
        case balance(of: ICONAddress)

        /// The method and its parameters as JSON.
        package var data: JSON {
            switch self {
            case .name: .record(["method": .string("name")])
            case .symbol: .record(["method": .string("symbol")])
            case .decimals: .record(["method": .string("decimals")])
            case .totalSupply: .record(["method": .string("totalSupply")])
            case .balance(let owner):
                .record([
                    "method": .string("balanceOf"),
                    "params": .record(["_owner": .string(owner.text)]),
                ])
            }
        }
    }
}
