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
        var pairs = RowPairs(stored, made)
        var count: UInt64 = 0
        while let pair = pairs.next() {
            count += 1
            if count & 255 == 0 { progress(table, count) }
            switch pair {
            case (let stored?, nil):
                faults.note(LogFault(.extra, table, key: stored.key, "no event leads to the row"))
            case (nil, let made?):
                faults.note(LogFault(.missing, table, key: made.key, "the row is missing"))
            case (let stored?, let made?) where stored.value != made.value:
                let same = zip(stored.value, made.value).prefix { $0 == $1 }.count
                faults.note(
                    LogFault(
                        .wrong, table, key: stored.key, position: position(stored.key, same),
                        "the row is not what the events lead to"))
            default: break
            }
        }
    }
}
