import DaybookChains
import DaybookCrypto
package import DaybookEncoding

/// A front end starts to write with another engine, other libraries or other settings than before.
package struct SessionStarted: EventData {
    package static let type = "session.started"

    /// The front end's own name, such as `daybook`.
    package let frontEnd: String
    /// The version of the rules that `decide` applies; see `Engine`.
    package let engine: UInt64
    package let libraries: [Library]
    package let settings: Settings

    /// A linked C library and its version.
    package struct Library: Equatable, Sendable {
        package let name: String
        package let version: String

        package init(name: String, version: String) {
            self.name = name
            self.version = version
        }
    }

    package init(frontEnd: String, engine: UInt64, libraries: [Library], settings: Settings) {
        self.frontEnd = frontEnd
        self.engine = engine
        self.libraries = libraries
        self.settings = settings
    }

    /// The digest by which a front end's sessions with different rules are told apart.
    package var digest: Bytes { SHA256.hash(coded.encoded()) }

    package var coded: CBOR {
        .record([
            "frontEnd": .text(frontEnd),
            "engine": .unsigned(engine),
            "libraries": .list(libraries) {
                .record(["name": .text($0.name), "version": .text($0.version)])
            },
            "settings": settings.coded,
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        frontEnd = try fields.text("frontEnd")
        engine = try fields.number("engine")
        libraries = try fields.list("libraries") { (item) throws(FieldError) in
            Library(name: try item.text("name"), version: try item.text("version"))
        }
        settings = try Settings(try fields.fields("settings"))
    }
}

/// The settings that decisions depend on; recorded, so that a replay decides the same.
package struct Settings: Equatable, Sendable {
    /// How long a request waits for its user.
    package var expirySeconds: UInt64 = 600
    /// How many wrong passphrases in a row do not lock the wallet yet.
    package var freeUnlockFailures: UInt64 = 3
    /// How many requests of one sender may wait for the user; nil in sessions of older programs.
    package var pendingPerSender: UInt64? = 16
    /// How many may wait in total before requests of senders without an approval are refused.
    package var pendingInTotal: UInt64? = 128
    /// The highest fee rate that is paid on Dash and Axe, in duffs for 1000 bytes.
    ///
    /// Nil in sessions of older programs.
    package var maxFeeRate: UInt64? = CoinSelection.maximumFeeRatePerKilobyte
    /// The schemes of the senders whose requests are refused.
    package var blockedSenders: [String] = []

    package init() {}

    package var coded: CBOR {
        .record([
            "expirySeconds": .unsigned(expirySeconds),
            "freeUnlockFailures": .unsigned(freeUnlockFailures),
            "pendingPerSender": pendingPerSender.map(CBOR.unsigned),
            "pendingInTotal": pendingInTotal.map(CBOR.unsigned),
            "maxFeeRate": maxFeeRate.map(CBOR.unsigned),
            "blockedSenders": .list(blockedSenders) { .text($0) },
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        expirySeconds = try fields.number("expirySeconds")
        freeUnlockFailures = try fields.number("freeUnlockFailures")
        pendingPerSender = try fields.optionalNumber("pendingPerSender")
        pendingInTotal = try fields.optionalNumber("pendingInTotal")
        maxFeeRate = try fields.optionalNumber("maxFeeRate")
        blockedSenders = try fields.list("blockedSenders") { (item) throws(FieldError) in
            guard let scheme = item.record.textValue else { throw item.wrong("a text") }
            return scheme
        }
    }
}

/// The clock was read, and a deadline has passed.
package struct TimePassed: EventData {
    package static let type = "time.passed"
    package init() {}
    package var coded: CBOR { .record([:]) }
    package init(_ fields: Fields) throws(FieldError) {}
}

/// The clock was set back; the only event whose time may be before the previous one's.
package struct ClockSet: EventData {
    package static let type = "clock.set"

    /// The time of the previous event, by the old clock.
    package let from: UInt64

    package init(from: UInt64) {
        self.from = from
    }

    package var coded: CBOR { .record(["from": .unsigned(from)]) }

    package init(_ fields: Fields) throws(FieldError) {
        from = try fields.number("from")
    }
}

/// A signed checkpoint: the size, tree root and digests of the log just before this event.
package struct CheckpointMade: EventData {
    package static let type = "checkpoint.made"

    /// The number of earlier events, which is this event's position.
    package let size: UInt64
    /// The root of the Merkle tree over them.
    package let root: Bytes
    /// The digest of the state's rows.
    package let state: Bytes
    /// The digest of each projection's rows, in the order of the rows.
    package let projections: [Projection]
    /// The digest of the heads of the streams.
    package let streams: Bytes
    /// The public key of the signature, as text.
    package let key: String
    /// The signed note over size and root, in the log's name.
    package let note: Bytes

    /// The digest of one projection's rows.
    package struct Projection: Equatable, Sendable {
        package let name: String
        package let digest: Bytes

        package init(name: String, digest: Bytes) {
            self.name = name
            self.digest = digest
        }
    }

    package init(
        size: UInt64, root: Bytes, state: Bytes, projections: [Projection], streams: Bytes,
        key: String, note: Bytes
    ) {
        self.size = size
        self.root = root
        self.state = state
        self.projections = projections
        self.streams = streams
        self.key = key
        self.note = note
    }

    package var coded: CBOR {
        .record([
            "size": .unsigned(size),
            "root": .bytes(root),
            "state": .bytes(state),
            "projections": .list(projections) {
                .record(["name": .text($0.name), "digest": .bytes($0.digest)])
            },
            "streams": .bytes(streams),
            "key": .text(key),
            "note": .bytes(note),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        size = try fields.number("size")
        root = try fields.bytes("root")
        state = try fields.bytes("state")
        projections = try fields.list("projections") { (item) throws(FieldError) in
            Projection(name: try item.text("name"), digest: try item.bytes("digest"))
        }
        streams = try fields.bytes("streams")
        key = try fields.text("key")
        note = try fields.bytes("note")
    }
}
