import DaybookDomain
package import DaybookEncoding
package import DaybookLog
import DaybookTree

/// What rereading a whole log has shown: its events, its tables, its checkpoints and its state.
package struct LogVerification: Sendable {
    /// How many events there are.
    package let events: UInt64
    /// The root over them, made from their bytes.
    package let root: Bytes
    /// The first fault of each kind; none of a log that is as it was written.
    package let faults: [LogFault]

    /// Rereads a log; the state is made again from the events in `rows`, which are empty.
    package init(
        _ log: LogSnapshot, foldedInto rows: any Rows,
        progress: @escaping (_ table: String, _ entries: UInt64) -> Void
    ) {
        var check = LogCheck(log, progress: progress)
        var state = State(rows)
        check.run { record, head, faults in
            let event: Event?
            do throws(FieldError) {
                event = try Recording.event(record)
            } catch {
                faults.note(
                    LogFault(
                        .eventWrong, "events", position: record.position,
                        "\(error)"))
                return
            }
            guard let event else { return }
            if case .checkpointMade(let data) = event.payload,
                !data.isSigned(of: head(), ofLog: record.logID)
            {
                faults.note(
                    LogFault(
                        .checkpointWrong, "events", position: record.position,
                        "the checkpoint is not of the events before it, or not signed"))
            }
            state.evolve(event)
        }
        let folded = state
        check.attempt("state") { (check) throws in
            try Self.compare(log, folded, &check.faults, progress)
        }
        events = check.events
        root = check.tree.root().bytes
        faults = check.faults.first
    }

    /// Both in key order: the first row that only one has, or that they have otherwise.
    private static func compare(
        _ log: LogSnapshot, _ state: State, _ faults: inout LogFaults,
        _ progress: (_ table: String, _ entries: UInt64) -> Void
    ) throws {
        if let damage = state.damage {
            faults.note(LogFault(.wrong, "state", "the events contradict each other: \(damage)"))
        }
        var stored = RowPages(log.rows)
        var made = RowPages(state.rows)
        var count: UInt64 = 0
        while true {
            count += 1
            if count & 255 == 0 { progress("state", count) }
            let (left, right) = (stored.next, made.next)
            if left == nil, right == nil { break }
            let isStoredFirst = right.map { right in
                left.map { $0.key.lexicographicallyPrecedes(right.key) } ?? false
            } ?? true
            if let left, isStoredFirst {
                faults.note(
                    LogFault(.extra, "state", key: left.key, "no event leads to the row"))
                stored.advance()
            } else if let right, left?.key != right.key {
                faults.note(LogFault(.missing, "state", key: right.key, "the row is missing"))
                made.advance()
            } else if let left, let right {
                if left.value != right.value {
                    faults.note(
                        LogFault(
                            .wrong, "state", key: left.key,
                            "the row is not what the events lead to"))
                }
                stored.advance()
                made.advance()
            }
        }
        if let failure = log.rows.failure { throw failure }
        try log.checkState().map { faults.note($0) }
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
