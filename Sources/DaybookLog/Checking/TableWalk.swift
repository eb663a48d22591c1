internal import DaybookEncoding
internal import DaybookLMDB

/// Goes through a table in key order, and looks each key up as well.
///
/// The two take other ways through LMDB's pages: damage to either way shows.
struct TableWalk {
    let view: any StorageView
    let table: Table

    /// Calls `body` with every entry; returns what is wrong with the table itself.
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
                // Damaged pages may lead back to where they were reached from.
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
