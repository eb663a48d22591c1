import DaybookChains
package import DaybookEncoding

/// The transfer that a request asks for: an amount of an asset, and its recipient.
package struct AskedTransfer: Sendable {
    /// The coin, or a token's contract; nil if it moves nothing that is known.
    package private(set) var asset: String?
    package private(set) var recipient: String?
    /// In minor units; nil until the user has entered it, if the link names none.
    package private(set) var amount: UInt256?

    /// `entered` is the amount that the user chose.
    package init(_ request: Request, entered: UInt64?) {
        let coin = request.chain.rules.coin.asset
        switch request.action {
        case .pay(let address, let asked, _):
            (asset, recipient) = (coin, address)
            amount = (entered ?? asked).map { UInt256($0) }
        case .sendICX(_, let to, let value, _): (asset, recipient, amount) = (coin, to, value)
        case .sendToken(_, let to, let value, let contract):
            (asset, recipient, amount) = (contract, to, value)
        case .sign(let parameters), .sendTransaction(let parameters):
            // The network changes nothing about what is transferred.
            let terms = ICONTerms(network: .mainnet, params: parameters, highestFee: nil)
            let token = parameters["value"] == nil ? terms.token : nil
            let transfer = token == nil ? nil : parameters["data"]?["params"]
            recipient = (transfer?["_to"] ?? parameters["to"])?.stringValue
            let value = transfer?["_value"] ?? parameters["value"]
            amount = value?.stringValue.flatMap(ICONInteger.parse)
            if amount != nil { asset = token ?? coin }
        case .address, .masterPublicKey, .bind, .remedy: break
        }
    }
}
