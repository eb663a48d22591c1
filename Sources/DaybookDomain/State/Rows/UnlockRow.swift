package import DaybookEncoding

/// Wrong passphrases in a row, and until when (µs) the wallet takes none.
package struct UnlockRow: StateRow {
    package var failures: UInt64
    package var lockedUntil: UInt64?

    package init(failures: UInt64, lockedUntil: UInt64? = nil) {
        self.failures = failures
        self.lockedUntil = lockedUntil
    }

    package var coded: CBOR {
        .record([
            "failures": .unsigned(failures), "lockedUntil": lockedUntil.map(CBOR.unsigned),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        failures = try fields.number("failures")
        lockedUntil = try fields.optionalNumber("lockedUntil")
    }
}
