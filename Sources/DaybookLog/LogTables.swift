package import DaybookEncoding
internal import DaybookLMDB

/// The tables of a log, which the migrations make; their names never change.
struct LogTables {
    /// The versions and the id of the log; see `LogMeta`.
    let meta: Table
    /// position → the event's bytes.
    let events: Table

    init(_ view: any StorageView) throws {
        meta = try Self.open("meta", view)
        events = try Self.open("events", view)
    }

    private static func open(_ name: String, _ view: any StorageView) throws -> Table {
        guard let table = try view.table(name) else {
            throw LogError.damaged(position: nil, reason: "table '\(name)' is missing")
        }
        return table
    }
}

/// The content of a log inside a transaction, which may be a snapshot or a write.
package struct LogContent {
    package let view: any EventView
    let derived: DerivedData
    /// The log's id.
    package let logID: Bytes
    /// How many events there were when the transaction began.
    let count: UInt64
    /// The time of the last of them; 0 where there is none.
    let lastTime: UInt64

    init(_ view: any EventView, _ derived: DerivedData) throws {
        self.view = view
        self.derived = derived
        logID = view.logID
        count = view.count
        lastTime = try Self.lastTime(view, derived)
    }

    /// The time of the last event, which is decoded only if it is new.
    private static func lastTime(_ view: any EventView, _ derived: DerivedData) throws -> UInt64 {
        guard view.count > 0 else { return 0 }
        if let commit = view.commit, commit == derived.commit, let last = derived.last {
            return last.time
        }
        let position = view.count - 1
        guard let bytes = try view.bytes(at: position) else {
            throw LogError.damaged(position: position, reason: "the event is missing")
        }
        if let known = derived.last, known.position == position,
            ByteOrder.areSame(known.bytes.span, bytes.span)
        {
            return known.time
        }
        return try EventRecord.decode(bytes, at: position, ofLog: view.logID).time
    }
}

/// The limits of the log; exceeding one is an error, and nothing is half-written.
package enum LogLimits {
    /// An event's bytes: enough for a link of 64 KiB or a transaction of 100 kB.
    package static let eventBytes = 262_144
    /// A stream's name in UTF-8.
    package static let streamBytes = 200
    /// A type's name in UTF-8.
    package static let typeBytes = 64
    /// An actor's name in UTF-8.
    package static let actorBytes = 128
    /// The key of a row: the longest that LMDB allows.
    package static let rowKeyBytes = 511
    /// The log's id.
    package static let idBytes = 16
}

/// The versions on disk that this program writes, which are also the newest that it reads.
package enum LogVersions {
    /// The tables and their keys, as the migrations make them.
    package static let layout: UInt64 = 1
    /// The envelope of an event.
    package static let format: UInt64 = 1
    /// The derived tables: those of another version are dropped and rebuilt.
    package static let derived: UInt64 = 6
}
