import DaybookEncoding

/// A walk over all entries of a history, in their order, to the rows as of a size.
struct HistoryWalk {
    /// What the walk has come to.
    enum Step {
        /// The value of the next row, which is in `row` and `value`.
        case value
        /// What does not count: an older or a later value, or the end of a row.
        case other
        /// What nobody wrote like this.
        case damage
    }

    private(set) var row: Bytes = []
    private(set) var value: Bytes = []
    private let size: UInt64
    private var isPassed = false
    private var key: Bytes = []

    /// A walk that begins before the first entry.
    init(at size: UInt64) {
        self.size = size
    }

    /// Takes the next entry where it lies; its bytes take the place of the ones before.
    mutating func take(_ entry: RawSpan, _ sealed: RawSpan) -> Step {
        HistoryEntry.copyRow(entry, to: &key)
        if key != row {
            guard ByteOrder.precedes(row, key) else { return .damage }
            swap(&row, &key)
            isPassed = false
        }
        let start = HistoryEntry.size(entry)
        // The newest comes first.
        if isPassed || start > size { return .other }
        isPassed = true
        HistoryEntry.copyContent(sealed, to: &value)
        guard HistoryEntry.isWhole(row, start, value, sealed) else { return .damage }
        return value.isEmpty ? .other : .value
    }
}
