internal import DaybookEncoding
internal import DaybookLMDB

/// The log as it was at one moment; used only inside the closure that it is given to.
package struct LogSnapshot: LogReading {
    package let content: LogContent
    /// How many events there are: the position of the next one.
    package let count: UInt64
    /// The last event's time; 0 if there is none.
    package let lastTime: UInt64
    /// The state's rows; setting one fails the read.
    package let rows: StoredRows
    /// The streams' heads by name, as `StreamHead` has them; setting one fails the read.
    package let streamRows: StoredRows

    init(_ view: any StorageView, _ tables: LogTables) throws {
        content = try LogContent(view, tables)
        let last = try content.last()
        count = last.map { $0.position + 1 } ?? 0
        lastTime = last?.time ?? 0
        rows = StoredRows(view, tables.state)
        streamRows = StoredRows(view, tables.streams)
    }
}
