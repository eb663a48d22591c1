package import DaybookEncoding
package import DaybookLMDB
internal import DaybookSystem

/// An append-only log of events, with the state that follows from them.
///
/// For example:
///
///     let position = try log.write { transaction in
///         try transaction.append(draft).position
///     }
///
/// A write is atomic and durable once `write` returns. Writers in several processes wait for each
/// other; readers see the last commit and never wait. Each thread has an `EventLog` of its own;
/// several of them can share the open files.
package final class EventLog {
    /// The open files, which other threads may share.
    package let files: LogFiles
    private let derived: DerivedData
    /// The content that the read or write in progress sees.
    private var current: LogContent?

    /// Opens an existing log, whose state `fold` computes.
    ///
    /// Without a fold the log has no state.
    package convenience init(
        opening path: String, by fold: (any LogFold)?,
        _ options: EnvironmentOptions = EnvironmentOptions()
    ) throws {
        do {
            try LogFolder.check(path, forWriting: !options.isReadOnly)
            let environment = try options.isReadOnly
                ? Environment.openReadOnly(path) : Environment(path, options)
            try self.init(
                LogFiles(
                    path: path, events: LMDBEvents(environment, at: path),
                    derivedAt: LogFolder.derived(of: path), isReadOnly: options.isReadOnly),
                by: fold)
            try checkLast()
        } catch {
            throw LogError.translated(error, path: path)
        }
    }

    /// Opens a log in one storage, with its derived tables in another.
    package convenience init(
        in storage: any Storage, derived: (any Storage)? = nil, by fold: (any LogFold)?
    ) throws {
        try self.init(
            LogFiles(
                path: "", events: SegmentedEvents(
                    LMDBEvents(storage), indexIn: nil, isReadOnly: false),
                derived: DerivedStore(in: derived), isReadOnly: false),
            by: fold)
        try checkLast()
    }

    /// Opens a log whose events lie in a store, with its derived tables in a folder or in memory.
    package convenience init(
        of events: any EventStore, derivedAt path: String?, isReadOnly: Bool = false,
        by fold: (any LogFold)?
    ) throws {
        try self.init(
            LogFiles(
                path: path ?? "", events: events, derivedAt: path, isReadOnly: isReadOnly),
            by: fold)
        try checkLast()
    }

    /// Opens the log for another thread, which computes derived data of its own.
    package init(_ files: LogFiles, by fold: (any LogFold)?) throws {
        self.files = files
        derived = try DerivedData(fold)
    }

    /// Checks the log's versions and its last event.
    private func checkLast() throws {
        try files.events.snapshot { _ = try LogContent($0, derived) }
    }

    /// The folder of the log's files.
    package var path: String { files.path }
    private var derivedStore: DerivedStore { files.derived }

    /// The log's id, which may change while the log is empty: see `LogTransaction.adopt`.
    package var id: Bytes {
        get throws { try read { $0.logID } }
    }

    /// Runs `body` on a snapshot of the log; a nested read sees the snapshot of the outer one.
    ///
    /// `body` runs again from the start if the derived tables turn out to be damaged, after they
    /// were rebuilt.
    package func read<Value>(_ body: (LogSnapshot) throws -> Value) throws -> Value {
        if let current { return try body(LogSnapshot(content: current)) }
        defer { current = nil }
        do {
            return try withTables { derivedTables in
                try files.events.snapshot { view in
                    let content = try LogContent(view, derived)
                    try derived.catchUp(with: content, above: derivedTables)
                    current = content
                    return try checkingRows { try body(LogSnapshot(content: content)) }
                }
            }
        } catch {
            throw LogError.translated(error, path: path)
        }
    }

    /// Copies a snapshot of a log in LMDB durably into an empty folder; writers go on meanwhile.
    package func copy(to folder: String) throws {
        do {
            try (files.events.stored as? LMDBEvents)?.storage.copy(to: folder)
        } catch {
            throw try LogFolder.explained(error, path: path, disk: folder)
        }
    }

    /// Runs `body` as the only writer, and commits; an error that it throws undoes everything.
    ///
    /// `body` must have no effects outside the transaction: it runs again from the start if the map
    /// has to grow or the derived tables have to be rebuilt.
    package func write<Value>(
        _ body: (inout LogTransaction) throws -> Value
    ) throws -> Value {
        if files.isReadOnly { throw LogError.openedReadOnly }
        defer { current = nil }
        do {
            let value = try withTables { derivedTables in
                try files.events.turn { view in
                    let content = try LogContent(view, derived)
                    try derived.catchUp(with: content, above: derivedTables)
                    derived.begin()
                    // A read inside `body` must not take the derived rows back to the last commit.
                    current = content
                    var transaction = LogTransaction(content)
                    let value = try checkingRows { try body(&transaction) }
                    return (value, NewEvents(transaction.appended, root: derived.root))
                }
            }
            derived.settle()
            // If this fails, the events are folded again when the log is opened.
            if derived.isWorthStoring { try? bringForward() }
            return value
        } catch {
            throw try LogFolder.explained(error, path: path, disk: path)
        }
    }

    /// Drops the oldest events, which the segments in a folder have; they are read from there.
    ///
    /// The segments are made durable, and their events, but those that were dropped before, are
    /// read and compared with the log's root, before anything is dropped. `progress` gets the
    /// number of compared events.
    ///
    /// - Throws: `LogError.segmentMissing`, `segmentChanged`, and what a write throws.
    package func drop(
        _ count: UInt64, archivedIn folder: String,
        progress: (UInt64) throws -> Void = { _ in }
    ) throws {
        if files.isReadOnly { throw LogError.openedReadOnly }
        do {
            // Opening then needs no archived event, as long as the derived tables are there.
            try bringForward()
            let (archived, logID) = try read { log in
                precondition(count < log.count, "a log keeps its last event")
                let root = try log.head(at: count).root
                return (ArchivedEvents(count: count, root: root, folder: folder), log.logID)
            }
            for segment in try Archive.segments(of: archived, ofLog: logID) {
                try Files.syncFile(segment.path)
            }
            try Files.syncDirectory(folder)
            try files.events.verify(
                archived, ofLog: logID, cover: { range in try read { try $0.cover(range) } },
                progress: progress)
            try files.events.drop(archived)
        } catch {
            throw try LogFolder.explained(error, path: path, disk: path)
        }
    }

    // MARK: - Derived tables

    /// Drops the derived tables and rebuilds them; `progress` gets counts of events.
    package func rebuildDerived(
        progress: (_ done: UInt64, _ all: UInt64) -> Void = { _, _ in }
    ) throws {
        derivedStore.drop()
        try bringForward(progress: progress)
    }

    /// Makes the derived tables where there are none yet.
    package func storeFirst() throws {
        if derived.stored == 0, derived.size > 0 { try bringForward() }
    }

    /// Brings the derived tables to the log's end; `progress` gets counts of events.
    ///
    /// Tables that can't be used are made from the start.
    package func bringForward(
        progress: (_ done: UInt64, _ all: UInt64) -> Void = { _, _ in }
    ) throws {
        for _ in 0..<Self.attempts {
            do {
                return try bringTablesForward(progress)
            } catch DerivedError.unusable(let fault) {
                note(fault)
            }
        }
        throw Self.unmakable
    }

    private func bringTablesForward(
        _ progress: (_ done: UInt64, _ all: UInt64) -> Void
    ) throws {
        var isDone = false
        while !isDone {
            var mark: DerivedMark?
            var count: UInt64 = 0
            (isDone, mark) = try derivedStore.update(
                isForOthers: derived.isOfUseToOthers
            ) { below in
                try files.events.snapshot { view in
                    let content = try LogContent(view, derived)
                    try derived.catchUp(
                        with: content, above: below, limit: DerivedData.mostAtOnce)
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

    /// Runs `body` above the derived tables, after rebuilding them where they can't be used.
    private func withTables<Value>(_ body: (DerivedTables?) throws -> Value) throws -> Value {
        for _ in 0..<Self.attempts {
            do {
                return try derivedStore.snapshot(body)
            } catch DerivedError.unusable(let fault) {
                note(fault)
            } catch DerivedError.behind {
                try bringForward()
            }
        }
        throw Self.unmakable
    }

    private static let unmakable = LogError.damaged(
        position: nil, reason: "the derived tables can't be made again")

    private func note(_ fault: LogFault?) {
        derived.fault = derived.fault ?? fault
    }

    /// Throws the failure of a derived row in place of what `body` threw because of it.
    private func checkingRows<Value>(_ body: () throws -> Value) throws -> Value {
        let result = Result(catching: body)
        try derived.checkRows()
        return try result.get()
    }

    private static let attempts = 4
}

/// The open files of a log, which several threads may share.
package struct LogFiles: Sendable {
    fileprivate let path: String
    fileprivate let events: SegmentedEvents
    fileprivate let derived: DerivedStore
    fileprivate let isReadOnly: Bool

    fileprivate init(
        path: String, events: SegmentedEvents, derived: DerivedStore, isReadOnly: Bool
    ) {
        (self.path, self.events) = (path, events)
        (self.derived, self.isReadOnly) = (derived, isReadOnly)
    }

    /// Files whose derived tables, and the index of whose segments, are in a folder or in memory.
    fileprivate init(
        path: String, events: any EventStore, derivedAt folder: String?, isReadOnly: Bool
    ) {
        self.init(
            path: path,
            events: SegmentedEvents(events, indexIn: folder, isReadOnly: isReadOnly),
            derived: folder.map { DerivedStore(at: $0, isReadOnly: isReadOnly) }
                ?? DerivedStore(in: nil),
            isReadOnly: isReadOnly)
    }

    /// The number of events in the last commit; nothing else is read.
    package func count() throws -> UInt64 {
        do {
            return try events.count()
        } catch {
            throw LogError.translated(error, path: path)
        }
    }

    /// Whether a commit may wait for another machine, and so must not hold up the caller's thread.
    package var isRemote: Bool { events.isRemote }

    /// Checks that this process may still append, and so may send what the log says.
    ///
    /// - Throws: `LogError.fenced`.
    package func checkWriter() throws { try events.checkWriter() }

    /// Calls `grown` after each commit of any process, until the watch is gone.
    package func watch(
        _ grown: @escaping @Sendable (_ count: UInt64?) -> Void
    ) -> any Sendable {
        events.watch(grown)
    }
}

extension EventLog {
    /// Checks the pages of a log's file without trusting them; returns the first fault.
    ///
    /// LMDB would crash on some damaged pages. After this check, reading the log is safe.
    package static func pageFault(at path: String) throws -> LogFault? {
        do {
            try LogFolder.check(path, forWriting: false)
            return try pageFault(in: try Environment.openReadOnly(path))
        } catch {
            throw LogError.translated(error, path: path)
        }
    }

    /// Checks the pages of this log's file, as `pageFault(at:)` does; nil for a log in memory.
    package func pageFault() throws -> LogFault? {
        let storage = (files.events.stored as? LMDBEvents)?.storage
        guard let environment = storage as? Environment else { return nil }
        do {
            return try Self.pageFault(in: environment)
        } catch {
            throw LogError.translated(error, path: path)
        }
    }

    private static func pageFault(in environment: Environment) throws -> LogFault? {
        // Two commits may overwrite the meta page that the snapshot began from.
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
    }

    private static let pageCheckAttempts = 100

    /// The layout version of a log, which may be one that this program can't read.
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
