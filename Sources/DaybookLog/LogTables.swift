internal import DaybookEncoding
internal import DaybookLMDB

/// The tables of the current layout. The migrations made them; names are never changed.
struct LogTables {
    /// What describes the store itself; see `LogMeta`.
    let meta: Table
    /// position → the event's bytes.
    let events: Table
    /// stream's name → the position of its first event, the number of its events.
    let streams: Table
    /// position of the stream's first event, position → nothing.
    let byStream: Table
    /// session, position → nothing.
    let bySession: Table
    /// request, position → nothing.
    let byRequest: Table
    /// The rows that the events add up to.
    let state: Table
    /// The hashes of the tree over the events; nil in a log of layout 1, which had none.
    let tree: Table?

    init(_ view: any StorageView) throws {
        meta = try Self.open("meta", view)
        events = try Self.open("events", view)
        streams = try Self.open("streams", view)
        byStream = try Self.open("by_stream", view)
        bySession = try Self.open("by_session", view)
        byRequest = try Self.open("by_request", view)
        state = try Self.open("state", view)
        tree = try view.table("tree")
    }

    private static func open(_ name: String, _ view: any StorageView) throws -> Table {
        guard let table = try view.table(name) else {
            throw LogError.damaged(position: nil, reason: "table '\(name)' is missing")
        }
        return table
    }
}
