internal import DaybookEncoding
internal import DaybookLMDB

/// The tables of a log. The migrations made them; names are never changed.
struct LogTables {
    /// What describes the store itself; see `LogMeta`.
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
