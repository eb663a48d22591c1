package import DaybookEncoding

/// A caller now knows something of the user's: what, from which wallet.
package struct BindingGranted: EventData {
    package static let type = "binding.granted"

    package let caller: String
    package let wallet: WalletID
    package let kind: Kind
    /// The address, or the extended public keys in the order of their derivation paths.
    package let values: [String]

    /// What was handed out.
    package enum Kind: String, Sendable { case address, masterPublicKey, bind }

    package init(caller: String, wallet: WalletID, kind: Kind, values: [String]) {
        self.caller = caller
        self.wallet = wallet
        self.kind = kind
        self.values = values
    }

    package var coded: CBOR {
        .record([
            "caller": .text(caller), "wallet": .id(wallet), "kind": .text(kind.rawValue),
            "values": .list(values) { .text($0) },
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        caller = try fields.text("caller")
        wallet = try fields.id("wallet")
        kind = try fields.name("kind")
        values = try fields.list("values") { (item) throws(FieldError) in
            guard let text = item.record.textValue else {
                throw item.wrong("text")
            }
            return text
        }
    }
}
