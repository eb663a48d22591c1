package import DaybookEncoding

/// An output of ours, and which request holds it back.
package struct OutputRow: StateRow {
    package var output: ChainObserved.Output
    /// The row of the address that it pays.
    package var address: AddressKey
    /// The request whose transaction is to spend it.
    package var reservedBy: RequestID?
    /// It came from a transaction of our own, so it can be spent before a block has it.
    package var isOurs: Bool
    /// A coinbase output that is deep enough to be spent.
    package var isMature = false

    package init(
        output: ChainObserved.Output, address: AddressKey, reservedBy: RequestID? = nil,
        isOurs: Bool
    ) {
        self.output = output
        self.address = address
        self.reservedBy = reservedBy
        self.isOurs = isOurs
    }

    package var coded: CBOR {
        .record([
            "output": output.coded, "address": address.coded,
            "reservedBy": reservedBy.map { .id($0) }, "isOurs": .flag(isOurs),
            "isMature": .flag(isMature),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        output = try ChainObserved.Output(try fields.fields("output"))
        address = try AddressKey(fields, "address")
        reservedBy = try fields.optionalID("reservedBy")
        isOurs = try fields.flag("isOurs")
        isMature = try fields.flag("isMature")
    }
}
