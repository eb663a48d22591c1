package import DaybookEncoding

/// How many addresses of a branch are derived, and the index after the last used one.
package struct BranchRow: StateRow {
    package var derived: UInt64
    package var afterUsed: UInt64

    package init(derived: UInt64, afterUsed: UInt64) {
        self.derived = derived
        self.afterUsed = afterUsed
    }

    package var coded: CBOR {
        .record(["derived": .unsigned(derived), "afterUsed": .unsigned(afterUsed)])
    }

    package init(_ fields: Fields) throws(FieldError) {
        derived = try fields.number("derived")
        afterUsed = try fields.number("afterUsed")
    }
}
