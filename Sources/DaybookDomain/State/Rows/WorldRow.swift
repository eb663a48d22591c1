package import DaybookEncoding

/// What came from the rest of the world and what went to it: the other side of every balance.
package struct WorldRow: StateRow {
    package var paidIn: UInt256
    package var paidOut: UInt256

    package init() {
        paidIn = .zero
        paidOut = .zero
    }

    package var coded: CBOR {
        .record(["paidIn": paidIn.coded, "paidOut": paidOut.coded])
    }

    package init(_ fields: Fields) throws(FieldError) {
        paidIn = try fields.amount("paidIn")
        paidOut = try fields.amount("paidOut")
    }
}
