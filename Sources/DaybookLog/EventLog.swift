package import DaybookEncoding
package import DaybookLMDB

/// The book of original entry: events in the order in which they happened, and the state's rows.
///
/// For example:
///
///     let position = try log.write { transaction in
///         try transaction.append(draft).position
///     }
///
/// What a closure of `write` did is durable when `write` returns, or nothing of it is. Writers in
/// several processes wait for each other; readers see the last committed state and never wait. One
/// thread uses it; another thread has its own beside it.
package final class EventLog {
    /// What is open of it, for any thread.
    package let files: LogFiles
    private let derived: Derived
    /// What is being read at this moment.
    private var current: LogContent?

    /// Opens a log that exists, with what follows from it by `fold`.
    ///
    /// Without a fold the state's rows are not to be used.
    package init(
        opening path: String, by fold: (any LogFold)?,
        _ options: EnvironmentOptions = EnvironmentOptions()
    ) throws {
        do {
            try LogFolder.check(path, forWriting: !options.isReadOnly)
            let environment = try options.isReadOnly
                ? Environment.openReadOnly(path) : Environment(path, options)
            derived = try Derived(fold)
            files = LogFiles(
                path: path, storage: environment, tables: try Self.tables(in: environment, derived),
                place: DerivedPlace(
                    at: LogFolder.derived(of: path), isReadOnly: options.isReadOnly),
                isReadOnly: options.isReadOnly)
        } catch {
            throw LogError.translated(error, path: path)
        }
    }

    /// Opens a log that lies in a storage of its own, and what follows from it in another.
    package init(
        in storage: any Storage, derived: (any Storage)? = nil, by fold: (any LogFold)?
    ) throws {
        self.derived = try Derived(fold)
        files = LogFiles(
            path: "", storage: storage, tables: try Self.tables(in: storage, self.derived),
            place: DerivedPlace(in: derived), isReadOnly: false)
    }

    /// A log that is open already, for another thread: it finds out itself what follows from it.
    package init(_ files: LogFiles, by fold: (any LogFold)?) throws {
        self.files = files
        derived = try Derived(fold)
    }

    /// The folder with the log's files.
    package var path: String { files.path }
    private var storage: any Storage { files.storage }
    private var tables: LogTables { files.tables }
    private var place: DerivedPlace { files.place }

    private static func tables(
        in storage: any Storage, _ derived: Derived
    ) throws -> LogTables {
        try storage.snapshot { view in
            guard let layout = try LogMeta.layout(view) else {
                throw LogError.damaged(position: nil, reason: "table 'meta' is missing")
            }
            try LogMeta.checkLayout(layout)
            let tables = try LogTables(view)
            _ = try LogContent(view, tables, derived)
            return tables
        }
    }

    /// The log's id. That of a log without events may change: see `LogTransaction.adopt`.
    package var id: Bytes {
        get throws { try read { $0.logID } }
    }

    /// Runs `body` on the log as it is now; a read inside another one sees what that one sees.
    ///
    /// `body` runs again from the start when derived tables turn out to be damaged: they are
    /// dropped and made again.
    package func read<Value>(_ body: (LogSnapshot) throws -> Value) throws -> Value {
        if let current { return try body(LogSnapshot(content: current)) }
        defer { current = nil }
        do {
            return try withTables { derivedTables in
                try storage.snapshot { view in
                    let content = try LogContent(view, tables, derived)
                    try derived.catchUp(with: content, above: derivedTables)
                    current = content
                    return try believing { try body(LogSnapshot(content: content)) }
                }
            }
        } catch {
            throw LogError.translated(error, path: path)
        }
    }

    /// Copies the log as it is now into an empty folder, durably; writers go on meanwhile.
    package func copy(to folder: String) throws {
        do {
            try storage.copy(to: folder)
        } catch {
            throw try LogFolder.explained(error, path: path, disk: folder)
        }
    }

    /// Runs `body` as the only writer, and commits; an error that it throws undoes everything.
    ///
    /// `body` runs again from the start when the map has to grow, or derived tables have to be made
    /// again: it must not act on the outside.
    package func write<Value>(
        _ body: (inout LogTransaction) throws -> Value
    ) throws -> Value {
        if files.isReadOnly { throw LogError.openedReadOnly }
        defer { current = nil }
        do {
            let value = try withTables { derivedTables in
                try storage.update { view in
                    let content = try LogContent(view, tables, derived)
                    try derived.catchUp(with: content, above: derivedTables)
                    derived.begin()
                    // What reads inside must not take the derived rows back to the last commit.
                    current = content
                    var transaction = LogTransaction(content)
                    return try believing { try body(&transaction) }
                }
            }
            derived.settle()
            // What can't be stored now is folded again by whoever opens the log.
            if derived.isWorthStoring { try? bringForward() }
            return value
        } catch let error as LMDBError where error == .mapFull {
            throw LogError.mapFull(bytes: storage.mapBytes)
        } catch {
            throw try LogFolder.explained(error, path: path, disk: path)
        }
    }

    // MARK: - What follows from the events

    /// Drops the derived tables and makes them again; `progress` hears of how many events they are.
    package func rebuildDerived(
        progress: (_ done: UInt64, _ all: UInt64) -> Void = { _, _ in }
    ) throws {
        place.drop()
        try bringForward(progress: progress)
    }

    /// Brings the derived tables to the log's end; `progress` hears of how many events they are.
    package func bringForward(
        progress: (_ done: UInt64, _ all: UInt64) -> Void = { _, _ in }
    ) throws {
        var isDone = false
        while !isDone {
            var mark: DerivedMark?
            var count: UInt64 = 0
            (isDone, mark) = try place.update(forOthers: derived.isOfUseToOthers) { below in
                try storage.snapshot { view in
                    let content = try LogContent(view, tables, derived)
                    try derived.catchUp(
                        with: content, above: below, limit: Derived.mostInMemory)
                    count = content.count
                    return (
                        derived.size == content.count,
                        try derived.store(in: below, ofLog: content.logID)
                    )
                }
            }
            if let mark { derived.stored(mark) }
            progress(derived.size, count)
        }
    }

    /// Runs `body` above the derived tables, which are made again where they can't be used.
    private func withTables<Value>(_ body: (DerivedTables?) throws -> Value) throws -> Value {
        for _ in 0..<Self.attempts {
            do {
                return try place.snapshot(body)
            } catch DerivedError.unusable(let fault) {
                note(fault)
            } catch DerivedError.behind {
                do {
                    try bringForward()
                } catch DerivedError.unusable(let fault) {
                    note(fault)
                }
            }
        }
        throw LogError.damaged(position: nil, reason: "the derived tables can't be made again")
    }

    private func note(_ fault: LogFault?) {
        derived.fault = derived.fault ?? fault
    }

    /// What `body` throws after a derived row failed is only a consequence of that.
    private func believing<Value>(_ body: () throws -> Value) throws -> Value {
        let result = Result(catching: body)
        if let failure = derived.baseFailure {
            throw DerivedError.unusable(LogFault(.unreadable, "tree", "\(failure)"))
        }
        if let failure = derived.failure { throw failure }
        return try result.get()
    }

    private static let attempts = 4
}

/// The open files of a log, which several threads may share.
package struct LogFiles: Sendable {
    fileprivate let path: String
    fileprivate let storage: any Storage
    fileprivate let tables: LogTables
    fileprivate let place: DerivedPlace
    fileprivate let isReadOnly: Bool
}

extension EventLog {
    /// What is wrong with the pages of a log's file, if anything; found without trusting them.
    ///
    /// After this, reading harms nobody. What others write later is not damaged yet.
    package static func pageFault(at path: String) throws -> LogFault? {
        do {
            try LogFolder.check(path, forWriting: false)
            let environment = try Environment.openReadOnly(path)
            // A commit or two may overwrite what says where the snapshot's pages are.
            for _ in 0..<pageCheckAttempts {
                do {
                    let fault = try environment.read { try environment.pageFault(in: $0) }
                    return fault.map { fault in
                        LogFault(.pageWrong, fault.table, "page \(fault.page): \(fault.reason)")
                    }
                } catch let error as LMDBError where error == .copyOutrun {
                    continue
                }
            }
            return LogFault(.pageWrong, "main", "the last two commits do not follow each other")
        } catch {
            throw LogError.translated(error, path: path)
        }
    }

    private static let pageCheckAttempts = 100

    /// The layout of a log, whether or not this program can read it.
    package static func layout(at path: String) throws -> UInt64 {
        do {
            try LogFolder.check(path, forWriting: false)
            let layout = try Environment.openReadOnly(path).read { try LogMeta.layout($0) }
            if let layout { return layout }
            throw LogError.damaged(position: nil, reason: "table 'meta' is missing")
        } catch {
            throw LogError.translated(error, path: path)
        }
    }

    /// Opens a log for reading only; others may write to it meanwhile.
    package convenience init(readingAt path: String, by fold: (any LogFold)? = nil) throws {
        try self.init(opening: path, by: fold, EnvironmentOptions(isReadOnly: true))
    }
}
