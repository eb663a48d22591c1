package import DaybookEncoding

/// What a user can set and a decision depends on; recorded, so that a replay decides the same.
package struct Settings: Equatable, Sendable {
    /// How long a request waits for its user.
    package var expirySeconds: UInt64 = 600
    /// Wrong passphrases before the wallet stays locked for a while.
    package var freeUnlockFailures: UInt64 = 3
    /// How many requests of one sender may wait for the user; nil in sessions of older programs.
    package var pendingPerSender: UInt64? = 16
    /// How many may wait in all before senders that the user never approved are turned away.
    package var pendingInTotal: UInt64? = 128
    /// Senders, by their schemes, whose requests are refused.
    package var blockedSenders: [String] = []

    package init() {}

    package var coded: CBOR {
        .record([
            "expirySeconds": .unsigned(expirySeconds),
            "freeUnlockFailures": .unsigned(freeUnlockFailures),
            "pendingPerSender": pendingPerSender.map(CBOR.unsigned),
            "pendingInTotal": pendingInTotal.map(CBOR.unsigned),
            "blockedSenders": .list(blockedSenders) { .text($0) },
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        expirySeconds = try fields.number("expirySeconds")
        freeUnlockFailures = try fields.number("freeUnlockFailures")
        pendingPerSender = try fields.optionalNumber("pendingPerSender")
        pendingInTotal = try fields.optionalNumber("pendingInTotal")
        blockedSenders = try fields.list("blockedSenders") { (item) throws(FieldError) in
            guard let scheme = item.record.textValue else { throw item.wrong("a text") }
            return scheme
        }
    }
}
