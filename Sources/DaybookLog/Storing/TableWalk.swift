internal import DaybookEncoding
internal import DaybookLMDB

/// Reads a table in key order, and looks each key up as well.
///
/// The two take different paths through LMDB's pages, so that damage to either path shows.
struct TableWalk {
    let view: any StorageView
    let table: Table

    /// Calls `body` with every entry; returns the fault of the table itself, if there is one.
    func each(_ body: (Entry) throws -> Void) throws -> LogFault? {
        let cursor = try Cursor(view, table)
        var fault: LogFault?
        var before: Bytes?
        var count: UInt64 = 0
        var entry = try cursor.first()
        while let found = entry {
            if let before, !before.lexicographicallyPrecedes(found.key) {
                fault = fault ?? LogFault(
                    .wrong, table.name, key: found.key, "the keys are not in order")
                // Damaged pages may form a cycle.
                return fault
            }
            if fault == nil, try view.value(table, found.key) != found.value {
                fault = LogFault(
                    .unreadable, table.name, key: found.key,
                    "looking the key up does not find its entry")
            }
            count += 1
            before = found.key
            try body(found)
            entry = try cursor.next()
        }
        let stated = try view.count(table)
        if fault == nil, stated != count {
            fault = LogFault(
                .wrong, table.name, "the table says that it has \(stated) entries, not \(count)")
        }
        return fault
    }
}
