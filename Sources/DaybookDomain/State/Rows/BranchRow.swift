package import DaybookEncoding

/// How many addresses of a branch are derived and asked about, and which is the last used one.
package struct BranchRow: StateRow {
    package var derived: UInt64
    /// The index after the last used one.
    package var afterUsed: UInt64
    /// So many were asked about for the last tip, which blocks up to it therefore can't add to.
    package var asked: UInt64 = 0

    package init(derived: UInt64, afterUsed: UInt64) {
        self.derived = derived
        self.afterUsed = afterUsed
    }

    /// The indices after the last used one that are derived: no more than the gap limit allows,
    /// whatever the row says.
    var indices: Range<UInt32> {
        let first = UInt32(clamping: afterUsed)
        let limit = UInt64(first) + State.gapLimit
        return first..<max(first, UInt32(clamping: min(derived, limit)))
    }

    package var coded: CBOR {
        .record([
            "derived": .unsigned(derived), "afterUsed": .unsigned(afterUsed),
            "asked": asked == 0 ? nil : .unsigned(asked),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        derived = try fields.number("derived")
        afterUsed = try fields.number("afterUsed")
        asked = try fields.optionalNumber("asked") ?? 0
    }
}
