package import DaybookEncoding

/// What a user can set and a decision depends on; recorded, so that a replay decides the same.
package struct Settings: Equatable, Sendable {
    /// How long a request waits for its user.
    package var expirySeconds: UInt64 = 600
    /// Wrong passphrases before the wallet stays locked for a while.
    package var freeUnlockFailures: UInt64 = 3

    package init() {}

    package var coded: CBOR {
        .record([
            "expirySeconds": .unsigned(expirySeconds),
            "freeUnlockFailures": .unsigned(freeUnlockFailures),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        expirySeconds = try fields.number("expirySeconds")
        freeUnlockFailures = try fields.number("freeUnlockFailures")
    }
}
