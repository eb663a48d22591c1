import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookLMDB
import DaybookLog
import DaybookSystem

/// A history of a log's state on disk: every row with the values that it had, by the log's size.
///
/// It has a value for the end of each run of `spacing` events; events between two ends are folded
/// by whoever asks. It is no truth: it names the head of the tree that it was made from, is made
/// anew for any other log, and may be deleted at any time.
final class HistoryCache {
    private let environment: DaybookLMDB.Environment
    private let rows: Table
    private let meta: Table
    private let log: EventLog
    private let spacing: UInt64
    private let rules: Bytes

    /// Opens the log's history under a folder, or begins one where none is of any use.
    init(of log: EventLog, under folder: String, spacing: UInt64) throws {
        self.log = log
        self.spacing = spacing
        try Files.createDirectories(folder, mode: 0o700)
        rules = try HistoryHead.rules(of: log, spacing: spacing)
        let path = try Self.path(log, folder)
        // Nobody opens what is about to be deleted.
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

    /// Runs `body` on the rows as they were at a size, which is the end of a run that it covers.
    func read<Answer>(at size: UInt64, _ body: (PastRows) throws -> Answer) throws -> Answer {
        try environment.read { view in
            guard try head(view).size >= size else { throw HistoryError.damaged }
            let past = PastRows(view, rows, at: size)
            let answer = try body(past)
            if let failure = past.failure { throw failure }
            return answer
        }
    }

    /// Takes in the log's events up to a size, which must be the end of a run.
    ///
    /// What a transaction wrote is there whole, with the head of the tree that it was made from, or
    /// not at all. Another process may extend the same history meanwhile: each waits for the other.
    func extend(to target: UInt64) throws {
        while try size() < target {
            try environment.write { view in
                var head = try head(view)
                guard head.size < target else { return }
                let end = min(target, head.size + spacing * Self.runsInTransaction)
                while head.size < end {
                    try takeRun(from: head.size, view)
                    head.size += spacing
                }
                head.root = try log.read { try $0.head(at: end) }.root.bytes
                try head.write(view, meta)
            }
        }
    }

    /// The head of what can be read now, which must still be this log's: the copy of a log that
    /// parted from it has the same id, and its programs use the same folder.
    private func head(_ view: TransactionView) throws -> HistoryHead {
        guard let head = try HistoryHead(view, meta), try head.isOf(log, rules) else {
            throw HistoryError.damaged
        }
        return head
    }

    /// Sixty-four runs make some twenty megabytes.
    private static let runsInTransaction: UInt64 = 64

    private func takeRun(from start: UInt64, _ view: TransactionView) throws {
        let past = PastRows(view, rows, at: .max)
        var state = State(past)
        try log.fold(start..<(start + spacing), into: &state)
        if state.damage != nil { throw HistoryError.damaged }
        let size = start + spacing
        for (key, value) in state.changes where past.value(key) != value {
            guard HistoryEntry.canHold(key) else { throw HistoryError.damaged }
            try view.put(
                rows, HistoryEntry.key(key, size), HistoryEntry.sealed(key, size, value))
        }
        if let failure = past.failure { throw failure }
    }

    // MARK: - Opening

    private typealias Opened = (DaybookLMDB.Environment, rows: Table, meta: Table)

    /// The history at a path, a new one where none is; nil if what lies there is of no use.
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
            let environment = try DaybookLMDB.Environment(
                path, EnvironmentOptions(headroomBytes: headroomBytes))
            // Reading first, since a writer may be busy for seconds.
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

    /// Whether an error says that a history is of no use any more.
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

    /// What a transaction may write without beginning again in a larger map.
    private static let headroomBytes = 256 << 20
}
