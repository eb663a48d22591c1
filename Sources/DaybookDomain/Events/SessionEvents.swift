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
    package var digest: Bytes { SHA256.hash(encoded()) }

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        engine = try coder.field("engine", value?.engine)
        frontEnd = try coder.field("frontEnd", value?.frontEnd)
        settings = try coder.map("settings", value?.settings)
        libraries = try coder.list("libraries", value?.libraries)
    }
}

extension SessionStarted.Library: Recorded {
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        name = try coder.field("name", value?.name)
        version = try coder.field("version", value?.version)
    }
}

/// The settings that decisions depend on; recorded, so that a replay decides the same.
package struct Settings: Recorded, Equatable, Sendable {
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
    package var maxFeeRate: UInt64? = UTXOFees.highestRate
    /// The schemes of the senders whose requests are refused.
    package var blockedSenders: [String] = []

    package init() {}

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        maxFeeRate = try coder.optional("maxFeeRate", value?.maxFeeRate)
        expirySeconds = try coder.field("expirySeconds", value?.expirySeconds)
        blockedSenders = try coder.values("blockedSenders", value?.blockedSenders)
        pendingInTotal = try coder.optional("pendingInTotal", value?.pendingInTotal)
        pendingPerSender = try coder.optional("pendingPerSender", value?.pendingPerSender)
        freeUnlockFailures = try coder.field("freeUnlockFailures", value?.freeUnlockFailures)
    }
}

/// The clock was read, and a deadline has passed.
package struct TimePassed: EventData {
    package static let type = "time.passed"
    package init() {}
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {

    }
}

/// The clock was set back; the only event whose time may be before the previous one's.
package struct ClockSet: EventData {
    package static let type = "clock.set"

    /// The time of the previous event, by the old clock.
    package let from: UInt64

    package init(from: UInt64) {
        self.from = from
    }

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        from = try coder.field("from", value?.from)
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

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        key = try coder.field("key", value?.key)
        note = try coder.field("note", value?.note)
        root = try coder.field("root", value?.root)
        size = try coder.field("size", value?.size)
        state = try coder.field("state", value?.state)
        streams = try coder.field("streams", value?.streams)
        projections = try coder.list("projections", value?.projections)
    }
}

extension CheckpointMade.Projection: Recorded {
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        name = try coder.field("name", value?.name)
        digest = try coder.field("digest", value?.digest)
    }
}

/// A witness has cosigned the checkpoint of an earlier event: https://c2sp.org/tlog-witness.
package struct CheckpointCosigned: EventData {
    package static let type = "checkpoint.cosigned"

    /// The bytes of `line`: eight of the time, 64 of the signature by Ed25519.
    package static let lineBytes = 72
    /// The bytes that a verifier key's text has at most.
    package static let mostKeyBytes = 1024

    /// The position of the `checkpoint.made`.
    package let checkpoint: Position
    /// The witness's public key, as text.
    package let key: String
    /// The bytes behind the key's id in the signature line: seconds since 1970, and a signature.
    package let line: Bytes

    /// The witness's name, which the key begins with.
    package var name: Substring { key.prefix { $0 != "+" } }

    package init(checkpoint: Position, key: String, line: Bytes) {
        (self.checkpoint, self.key, self.line) = (checkpoint, key, line)
    }

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        key = try coder.field("key", value?.key)
        if key.utf8.count > Self.mostKeyBytes { throw coder.wrong("key", "a short text") }
        line = try coder.field("line", value?.line)
        if line.count != Self.lineBytes { throw coder.wrong("line", "72 bytes") }
        checkpoint = try coder.field("checkpoint", value?.checkpoint)
    }
}

/// A time-stamping authority has stamped the checkpoint of an earlier event.
package struct CheckpointStamped: EventData {
    package static let type = "checkpoint.stamped"

    /// The bytes that a token has at most.
    package static let mostTokenBytes = 65_536

    /// The position of the `checkpoint.made`.
    package let checkpoint: Position
    /// The TimeStampToken of RFC 3161 in DER, over the SHA-256 of the note's text.
    package let token: Bytes

    package init(checkpoint: Position, token: Bytes) {
        (self.checkpoint, self.token) = (checkpoint, token)
    }

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        token = try coder.field("token", value?.token)
        if token.count > Self.mostTokenBytes { throw coder.wrong("token", "at most 65536 bytes") }
        checkpoint = try coder.field("checkpoint", value?.checkpoint)
    }
}
