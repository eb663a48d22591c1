import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookLMDB
import DaybookLog
import DaybookSystem

/// A history of a log's state on disk: every value that each row has had, by the log's size.
///
/// It has the values at the end of each run of `spacing` events; the reader folds the events after
/// that. It is a cache: it stores the head of the tree that it was made from, is rebuilt for any
/// other log, and may be deleted at any time.
final class HistoryCache {
    private let environment: Environment
    private let rows: Table
    private let meta: Table
    private let log: EventLog
    private let spacing: UInt64
    private let rules: Bytes

    /// Opens the log's history under a folder, or creates one.
    init(of log: EventLog, under folder: String, spacing: UInt64) throws {
        self.log = log
        self.spacing = spacing
        try Files.createDirectories(folder, mode: 0o700)
        rules = try HistoryHead.rules(of: log, spacing: spacing)
        let path = try Self.path(log, folder)
        // The lock keeps others from opening a history that is about to be deleted.
        let lock = try FileLock(directory: folder)
        var opened = try Self.opened(path, rules, log)
        if opened == nil {
            try Files.removeTree(path)
            opened = try Self.opened(path, rules, log)
        }
        _ = consume lock
        guard let opened else { throw HistoryError.damaged }
        (environment, rows, meta) = opened
    }

    /// How many of the log's events it covers.
    func size() throws -> UInt64 {
        try environment.read { try head($0).size }
    }

    /// Runs `body` on the rows at a size, which must be the end of a covered run.
    func read<Answer>(at size: UInt64, _ body: (PastRows) throws -> Answer) throws -> Answer {
        try environment.read { view in
            guard try head(view).size >= size else { throw HistoryError.damaged }
            let past = PastRows(view, rows, at: size)
            let answer = try body(past)
            if let failure = past.failure { throw failure }
            return answer
        }
    }

    /// Applies the log's events up to a size, which must be the end of a run.
    ///
    /// Each transaction writes several runs and the head of the tree that they were made from.
    /// Another process may extend the same history meanwhile; the two wait for each other. `report`
    /// gets the size after each run.
    func extend(
        to target: UInt64, reportingTo report: (_ size: UInt64) throws -> Void = { _ in }
    ) throws {
        while try size() < target {
            try environment.write { view in
                var head = try head(view)
                guard head.size < target else { return }
                let end = min(target, head.size + spacing * Self.runsInTransaction)
                while head.size < end {
                    try takeRun(from: head.size, view)
                    head.size += spacing
                    try report(head.size)
                }
                head.root = try log.read { try $0.head(at: end) }.root.bytes
                try head.write(view, meta)
            }
        }
    }

    /// The head of the history, which must still be this log's.
    ///
    /// A diverged copy of a log has the same id, and so the same folder.
    private func head(_ view: TransactionView) throws -> HistoryHead {
        guard let head = try HistoryHead(view, meta), try head.isOf(log, rules) else {
            throw HistoryError.damaged
        }
        return head
    }

    /// Sixty-four runs take about twenty megabytes.
    private static let runsInTransaction: UInt64 = 64

    private func takeRun(from start: UInt64, _ view: TransactionView) throws {
        let past = PastRows(view, rows, at: .max)
        var state = State(past)
        try log.fold(start..<(start + spacing), into: &state)
        if state.damage != nil { throw HistoryError.damaged }
        let size = start + spacing
        for (key, value) in state.changes where past.value(key) != value {
            guard VersionedRow.canHold(key) else { throw HistoryError.damaged }
            try view.put(
                rows, VersionedRow.key(key, size), VersionedRow.sealed(key, size, value))
        }
        if let failure = past.failure { throw failure }
    }

    // MARK: - Opening

    private typealias Opened = (Environment, rows: Table, meta: Table)

    /// Opens the history at a path, or creates it; nil if it is damaged or another log's.
    private static func opened(
        _ path: String, _ rules: Bytes, _ log: EventLog
    ) throws -> Opened? {
        if let folder = try Files.information(path) {
            guard folder.owner == Files.currentUser, folder.mode & 0o077 == 0 else {
                throw HistoryError.notPrivate(path)
            }
        } else {
            try Files.createDirectory(path, mode: 0o700)
        }
        do {
            let environment = try Environment(
                path, EnvironmentOptions(headroomBytes: headroomBytes))
            // Read first, because another process may be writing for seconds.
            let found = try environment.read { try tables($0) }
            let (rows, meta) = try found ?? environment.write { view in
                guard let made = try tables(view, create: true) else { throw HistoryError.damaged }
                if try view.count(made.meta) == 0 {
                    try HistoryHead(rules: rules).write(view, made.meta)
                }
                return made
            }
            let head = try environment.read { try HistoryHead($0, meta) }
            return try head?.isOf(log, rules) == true ? (environment, rows, meta) : nil
        } catch where isDamage(error) {
            return nil
        }
    }

    private static func tables(
        _ view: TransactionView, create: Bool = false
    ) throws -> (rows: Table, meta: Table)? {
        guard let rows = try view.table("rows", create: create),
            let meta = try view.table("meta", create: create)
        else { return nil }
        return (rows, meta)
    }

    /// Whether an error means that the history is damaged.
    static func isDamage(_ error: any Error) -> Bool {
        let damage: [LMDBError] = [
            .invalid, .corrupted, .pageNotFound, .versionMismatch, .panic, .poisoned,
        ]
        return error as? HistoryError == .damaged
            || (error as? LMDBError).map { damage.contains($0) } ?? false
    }

    /// Deletes the history of a log.
    static func remove(_ log: EventLog, under folder: String) throws {
        let lock = try FileLock(directory: folder)
        try Files.removeTree(try path(log, folder))
        _ = consume lock
    }

    private static func path(_ log: EventLog, _ folder: String) throws -> String {
        "\(folder)/\(Hex.encode(try log.id))"
    }

    /// How much a transaction can write before it has to restart in a larger map.
    private static let headroomBytes = 256 << 20
}
