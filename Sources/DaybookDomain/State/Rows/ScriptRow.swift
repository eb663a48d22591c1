package import DaybookEncoding

/// Whose a script is: points to the address's row.
package struct ScriptRow: StateRow {
    package var wallet: UInt64
    package var address: Bytes

    package init(wallet: UInt64, address: Bytes) {
        self.wallet = wallet
        self.address = address
    }

    package var coded: CBOR {
        .record(["wallet": .unsigned(wallet), "address": .bytes(address)])
    }

    package init(_ fields: Fields) throws(FieldError) {
        wallet = try fields.number("wallet")
        address = try fields.bytes("address")
    }
}
