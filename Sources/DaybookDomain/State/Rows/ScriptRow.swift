package import DaybookEncoding

/// Whose a script is: points to the address's row.
package struct ScriptRow: StateRow {
    package var wallet: WalletID
    package var address: AddressKey

    package init(wallet: WalletID, address: AddressKey) {
        self.wallet = wallet
        self.address = address
    }

    package var coded: CBOR {
        .record(["wallet": .id(wallet), "address": address.coded])
    }

    package init(_ fields: Fields) throws(FieldError) {
        wallet = try fields.id("wallet")
        address = try AddressKey(fields, "address")
    }
}
