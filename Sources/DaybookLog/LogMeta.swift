internal import DaybookEncoding
package import DaybookLMDB

/// The table `meta`, which every layout has: the versions and the id of the log.
package enum LogMeta {
    private static let table = "meta"
    private static let layoutKey = Bytes("layout".utf8)
    private static let formatKey = Bytes("format".utf8)
    private static let idKey = Bytes("log".utf8)
    private static let archivedKey = Bytes("archived".utf8)
    private static let unfinishedKey = Bytes("unfinished".utf8)

    /// The layout's number: 0 before any migration, nil if there is no log.
    package static func layout(_ view: any StorageView) throws -> UInt64? {
        guard let table = try view.table(table) else { return nil }
        return try number(view, table, layoutKey)
    }

    /// Whether a migration to the layout has begun and not ended.
    package static func isUnfinished(_ view: any StorageView) throws -> Bool {
        guard let table = try view.table(table) else { return false }
        return try view.value(table, unfinishedKey) != nil
    }

    /// Stores the layout of a migration, which has begun or has ended.
    package static func setLayout(
        _ layout: UInt64, isFinished: Bool = true, _ view: any StorageView
    ) throws {
        guard let table = try view.table(table) else {
            throw LogError.damaged(position: nil, reason: "table 'meta' is missing")
        }
        try view.put(table, layoutKey, BigEndian.bytes(layout))
        if isFinished {
            try view.remove(table, unfinishedKey)
        } else {
            try view.put(table, unfinishedKey, [])
        }
    }

    /// Writes the entries that a log has before its first migration.
    static func initialise(id: Bytes, _ view: any StorageView) throws {
        guard let table = try view.table(table, create: true) else {
            throw LMDBError.notFound
        }
        try view.put(table, idKey, id, mode: .insert)
        try view.put(table, layoutKey, BigEndian.bytes(0), mode: .insert)
        try view.put(table, formatKey, BigEndian.bytes(FormatNumber.event.current), mode: .insert)
    }

    /// Refuses unknown numbers before the tables are opened, which they may not be.
    static func checkNumbers(_ view: any StorageView) throws {
        guard let table = try view.table(table) else {
            throw LogError.damaged(position: nil, reason: "table 'meta' is missing")
        }
        try checkNumbers(view, table)
    }

    /// Refuses unknown numbers; run for each commit, as another process may have migrated.
    static func checkNumbers(_ view: any StorageView, _ table: Table) throws {
        let known = FormatNumber.layout
        let layout = try number(view, table, layoutKey)
        // A log without tables has 0.
        if layout > 0 { try known.check(layout, orThrow: LogError.unknownFormat) }
        if try layout < known.current || view.value(table, unfinishedKey) != nil {
            throw LogError.needsMigration(found: layout, known: known.current)
        }
        try FormatNumber.event.check(
            number(view, table, formatKey), orThrow: LogError.unknownFormat)
    }

    /// The log's id.
    static func id(_ view: any StorageView, _ table: Table) throws -> Bytes {
        guard let id = try view.value(table, idKey), id.count == LogLimits.idBytes else {
            throw LogError.damaged(position: nil, reason: "the log's id is missing")
        }
        return id
    }

    /// Gives a log another id.
    static func setID(_ id: Bytes, _ view: any StorageView, _ table: Table) throws {
        try view.put(table, idKey, id)
    }

    /// The events that only an archive has.
    static func archived(_ view: any StorageView, _ table: Table) throws -> ArchivedEvents? {
        guard let bytes = try view.value(table, archivedKey) else { return nil }
        guard let archived = ArchivedEvents(encoded: bytes) else {
            throw LogError.damaged(position: nil, reason: "'archived' can't be read")
        }
        return archived
    }

    /// Notes the events that only an archive has.
    static func setArchived(
        _ archived: ArchivedEvents, _ view: any StorageView, _ table: Table
    ) throws {
        try view.put(table, archivedKey, archived.encoded)
    }

    private static func number(
        _ view: any StorageView, _ table: Table, _ key: Bytes
    ) throws -> UInt64 {
        guard let bytes = try view.value(table, key), let number = BigEndian.exactly(bytes) else {
            throw LogError.damaged(
                position: nil, reason: "'\(String(decoding: key, as: UTF8.self))' is missing")
        }
        return number
    }
}
