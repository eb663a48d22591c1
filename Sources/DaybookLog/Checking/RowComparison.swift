package import DaybookEncoding

/// Compares the rows of a derived table with those that the events lead to.
package enum RowComparison {
    /// Notes the first row that only one of the two has, and the first that they have otherwise.
    ///
    /// `position` says which event the byte of a row is about.
    package static func run(
        _ table: String, stored: any Rows, made: any Rows, _ faults: inout LogFaults,
        _ progress: (_ table: String, _ entries: UInt64) -> Void,
        position: (_ key: Bytes, _ differingByte: Int) -> UInt64? = { _, _ in nil }
    ) {
        var stored = RowPages(stored)
        var made = RowPages(made)
        var count: UInt64 = 0
        while true {
            count += 1
            if count & 255 == 0 { progress(table, count) }
            let (left, right) = (stored.next, made.next)
            if left == nil, right == nil { break }
            let isStoredFirst = right.map { right in
                left.map { ByteOrder.precedes($0.key, right.key) } ?? false
            } ?? true
            if let left, isStoredFirst {
                faults.note(LogFault(.extra, table, key: left.key, "no event leads to the row"))
                stored.advance()
            } else if let right, left?.key != right.key {
                faults.note(LogFault(.missing, table, key: right.key, "the row is missing"))
                made.advance()
            } else if let left, let right {
                if left.value != right.value {
                    let same = zip(left.value, right.value).prefix { $0 == $1 }.count
                    faults.note(
                        LogFault(
                            .wrong, table, key: left.key, position: position(left.key, same),
                            "the row is not what the events lead to"))
                }
                stored.advance()
                made.advance()
            }
        }
    }
}

/// Rows in key order, read a page at a time.
private struct RowPages {
    private let rows: any Rows
    private var page: ArraySlice<Row> = []
    private var isLast = false

    init(_ rows: any Rows) {
        self.rows = rows
        load(after: nil)
    }

    /// The row in front; nil when none is left.
    var next: Row? { page.first }

    mutating func advance() {
        guard let row = page.popFirst() else { return }
        if page.isEmpty, !isLast { load(after: row.key) }
    }

    private mutating func load(after key: Bytes?) {
        let found = rows.scan(prefix: [], after: key, limit: 1024)
        page = found[...]
        isLast = found.count < 1024
    }
}
