package import DaybookEncoding

/// Whose a script is: points to the address's row.
package struct ScriptRow: StateRow {
    package var wallet: UInt64
    package var address: AddressKey

    package init(wallet: UInt64, address: AddressKey) {
        self.wallet = wallet
        self.address = address
    }

    package var coded: CBOR {
        .record(["wallet": .unsigned(wallet), "address": address.coded])
    }

    package init(_ fields: Fields) throws(FieldError) {
        wallet = try fields.number("wallet")
        address = try AddressKey(fields, "address")
    }
}
