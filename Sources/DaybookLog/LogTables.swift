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
    package static let derived: UInt64 = 11
}
