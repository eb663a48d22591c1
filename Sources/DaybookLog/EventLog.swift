package import DaybookEncoding
package import DaybookLMDB
package import DaybookSystem

/// An append-only log of events, with the state that follows from them.
///
/// For example:
///
///     let position = try log.write { transaction in
///         try transaction.append(draft).position
///     }
///
/// A write is atomic and durable once `write` returns. Writers in several processes wait for each
/// other; readers see the last commit and never wait. All threads of a process share one log: it
/// publishes the state of the last commit, which whoever sees a new commit first computes for all
/// (ADR 62).
package final class EventLog: Sendable {
    let path: String
    let events: SegmentedEvents
    private let tables: DerivedStore
    /// Whether nothing can be appended, because it was opened so.
    package let isReadOnly: Bool
    private let current = Monitor(Current())

    /// The values that the threads of the process share.
    fileprivate struct Current: Sendable {
        var published: Published?
        /// Whether a thread adds to what is published.
        var isTaken = false
        /// The fault of tables that were dropped.
        var fault: LogFault?
    }

    /// Opens an existing log.
    package convenience init(
        opening path: String, _ options: EnvironmentOptions = EnvironmentOptions()
    ) throws {
        do {
            try LogFolder.check(path, forWriting: !options.isReadOnly)
            let environment = try options.isReadOnly
                ? Environment.openReadOnly(path) : Environment(path, options)
            try self.init(
                of: LMDBEvents(environment, at: path), at: path,
                derivedAt: LogFolder.derived(of: path), isReadOnly: options.isReadOnly)
        } catch {
            throw LogError.translated(error, path: path)
        }
    }

    /// Opens a log for reading only; others may write to it meanwhile.
    package convenience init(readingAt path: String) throws {
        try self.init(opening: path, EnvironmentOptions(isReadOnly: true))
    }

    /// Opens a log in one storage, with its derived tables in another.
    package convenience init(in storage: any Storage, derived: (any Storage)? = nil) throws {
        let events = try SegmentedEvents(LMDBEvents(storage), indexIn: nil, isReadOnly: false)
        try self.init("", events, DerivedStore(in: derived), isReadOnly: false)
    }

    /// Opens a log whose events lie in a store.
    ///
    /// Its derived tables, and the index of its segments, are in a folder or in memory.
    package convenience init(
        of events: any EventStore, at path: String? = nil, derivedAt folder: String?,
        isReadOnly: Bool = false
    ) throws {
        try self.init(
            path ?? folder ?? "",
            SegmentedEvents(events, indexIn: folder, isReadOnly: isReadOnly),
            folder.map { DerivedStore(at: $0, isReadOnly: isReadOnly) } ?? DerivedStore(in: nil),
            isReadOnly: isReadOnly)
    }

    private init(
        _ path: String, _ events: SegmentedEvents, _ tables: DerivedStore, isReadOnly: Bool
    ) throws {
        (self.path, self.events, self.tables) = (path, events, tables)
        self.isReadOnly = isReadOnly
        // The log's versions and its last event are checked.
        try events.snapshot { view in
            guard view.count > 0 else { return }
            let last = view.count - 1
            guard let bytes = try view.bytes(at: last) else {
                throw LogError.damaged(position: last, reason: "the event is missing")
            }
            _ = try EventRecord.decode(bytes, at: last, ofLog: view.logID)
        }
    }

    /// The log's id, which may change while the log is empty: see `LogTransaction.adopt`.
    package var id: Bytes {
        get throws { try read { $0.logID } }
    }

    /// Runs `body` on the log as of its last commit.
    package func read<Value>(_ body: (LogSnapshot) throws -> Value) throws -> Value {
        try read(.askedNow, body)
    }

    /// Runs `body` on the log as of a commit that is as new as `freshness` says.
    ///
    /// `body` runs again from the start if the derived tables change meanwhile, or turn out to be
    /// damaged, after they were rebuilt.
    package func read<Value>(
        _ freshness: LogFreshness, _ body: (LogSnapshot) throws -> Value
    ) throws -> Value {
        do {
            for _ in 0..<Self.attempts {
                let published = try present(freshness)
                let result = Result { try body(LogSnapshot(published: published, events: events)) }
                if published.derived.failure == nil { return try result.get() }
            }
            throw Self.unmakable
        } catch {
            throw LogError.translated(error, path: path)
        }
    }

    /// Runs `body` as the only writer, and commits; an error that it throws undoes everything.
    ///
    /// `body` must have no effects outside the transaction: it runs again from the start if the map
    /// has to grow or the derived tables have to be rebuilt.
    package func write<Value>(
        _ body: (inout LogTransaction) throws -> Value
    ) throws -> Value {
        if isReadOnly { throw LogError.openedReadOnly }
        do {
            let value = try retrying { try turn(body) }
            // If this fails, the events are folded again when the log is opened.
            if published?.derived.isWorthStoring == true { try? bringForward() }
            return value
        } catch {
            throw try LogFolder.explained(error, path: path, disk: path)
        }
    }

    private func turn<Value>(_ body: (inout LogTransaction) throws -> Value) throws -> Value {
        let hold = Hold(current)
        defer { hold.end() }
        // Where a turn does not keep other writers out, it may hold what a reader waits for.
        if !events.isIsolated { hold.begin() }
        var written: Published?
        let value = try events.turn { view in
            hold.begin()
            let known = try published(at: view) { try foundation() }
            var transaction = LogTransaction(view, known.derived)
            let result = Result { try body(&transaction) }
            if let failure = transaction.failure { throw failure }
            let value = try result.get()
            let (new, version, derived) = try transaction.finished()
            written = new.events.isEmpty ? nil : Published(version, derived, known.fault)
            return (value, new)
        }
        if let written { publish(written) }
        return value
    }

    /// Copies a snapshot of a log in LMDB durably into an empty folder; writers go on meanwhile.
    package func copy(to folder: String) throws {
        do {
            try (events.stored as? LMDBEvents)?.storage.copy(to: folder)
        } catch {
            throw try LogFolder.explained(error, path: path, disk: folder)
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
        if isReadOnly { throw LogError.openedReadOnly }
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
            try events.verify(
                archived, ofLog: logID, cover: { range in try read { try $0.cover(range) } },
                progress: progress)
            try events.drop(archived)
        } catch {
            throw try LogFolder.explained(error, path: path, disk: path)
        }
    }

    // MARK: - Derived tables

    /// Drops the derived tables and rebuilds them; `progress` gets counts of events.
    package func rebuildDerived(
        progress: (_ done: UInt64, _ all: UInt64) -> Void = { _, _ in }
    ) throws {
        tables.drop()
        try bringForward(progress: progress)
    }

    /// Makes the derived tables where there are none yet.
    package func storeFirst() throws {
        let isMissing = try read { $0.derived.stored == 0 && $0.derived.size > 0 }
        if isMissing { try bringForward() }
    }

    /// Brings the derived tables to the log's end; `progress` gets counts of events.
    ///
    /// Tables that can't be used are made from the start.
    package func bringForward(
        progress: (_ done: UInt64, _ all: UInt64) -> Void = { _, _ in }
    ) throws {
        var known: DerivedData?
        var isDone = false
        while !isDone { try retrying { isDone = try bringForward(&known, progress) } }
    }

    /// Brings the tables forward by one transaction; returns whether that was the last one.
    private func bringForward(
        _ known: inout DerivedData?, _ progress: (_ done: UInt64, _ all: UInt64) -> Void
    ) throws -> Bool {
        let hold = Hold(current)
        defer { hold.end() }
        if !events.isIsolated { hold.begin() }
        let before = known
        var next: Published?
        var stored: (base: DerivedBase, mark: DerivedMark)?
        try tables.update { below in
            hold.begin()
            let mark = try below.mark
            let start = [before, published?.derived].lazy.compactMap { $0 }
                .first { $0.mark == mark && $0.failure == nil }
            let tables = try below.base
            try events.snapshot { view in
                var derived = try brought(to: view, limit: DerivedData.mostAtOnce) {
                    if let start { .known(start) } else { .tables(tables, marked: mark) }
                }
                stored = try derived.store(in: below).map { (below.nextBase($0), $0) }
                next = Published(LogVersion(view), derived, current.change { $0.fault })
            }
        }
        guard let made = next else { preconditionFailure("an update runs its body") }
        var derived = made.derived
        if let stored { derived.rebase(on: stored.base, marked: stored.mark) }
        known = derived
        progress(derived.size, made.version.count)
        guard derived.size == made.version.count else { return false }
        publish(Published(made.version, derived, made.fault))
        return true
    }

    // MARK: - What is published

    private var published: Published? { current.change { $0.published } }

    /// The log as of a commit that is as new as `freshness` says.
    private func present(_ freshness: LogFreshness) throws -> Published {
        if let known = published, let commit = known.version.commit,
            commit == events.newestCommit, known.derived.failure == nil
        {
            return known
        }
        return try retrying {
            // Nobody waits inside a transaction: a map grows only while no thread is in one.
            let version = try events.snapshot(freshness) { LogVersion($0) }
            let known = current.change(when: { !$0.isTaken || $0.covers(version) }) { current in
                if current.covers(version) { return current.published }
                current.isTaken = true
                return nil
            }
            if let known { return known }
            let hold = Hold(current, isHeld: true)
            defer { hold.end() }
            // The tables first, because they never have more events than the log after them.
            let start = try foundation()
            // The store was asked; only what is for sending must be durable, whatever came since.
            return try events.snapshot(freshness == .asWriter ? .asWriter : .published) { view in
                try published(at: view) { start }
            }
        }
    }

    /// The published value of a view's commit, which is computed if it is new.
    ///
    /// The caller holds what is published.
    private func published(
        at view: any EventView, above start: () throws -> Foundation
    ) throws -> Published {
        let version = LogVersion(view)
        let (known, fault) = current.change { current in
            (current.covers(version) ? current.published : nil, current.fault)
        }
        if let known { return known }
        let made = Published(version, try brought(to: view, above: start), fault)
        publish(made)
        return made
    }

    private func publish(_ published: Published) {
        let old = current.change { current in
            defer { current.published = published }
            return current.published
        }
        // It may hold the last reference to much, which is let go outside the lock.
        _ = old
    }

    /// The source of a commit's data.
    private enum Foundation {
        /// The data of an earlier commit.
        case known(DerivedData)
        /// The derived tables, if there are any.
        case tables(DerivedBase?, marked: Bytes?)
    }

    private func foundation() throws -> Foundation {
        if let known = published?.derived {
            guard let failure = known.failure else { return .known(known) }
            if case DerivedError.unusable(let fault) = failure {
                tables.drop(known.base?.storage)
                note(fault)
            }
        }
        return try tables.snapshot { below in .tables(try below?.base, marked: try below?.mark) }
    }

    /// The data of the commit that a view began from, or with `limit` of some of its events.
    private func brought(
        to view: any EventView, limit: UInt64? = nil, above start: () throws -> Foundation
    ) throws -> DerivedData {
        var start = try start()
        if case .known(var derived) = start, derived.logID == view.logID,
            derived.size <= view.count
        {
            // A write that failed may have added more.
            derived.tail.truncate(to: derived.size)
            try dropping(derived.base) { try derived.catchUp(with: view, limit: limit) }
            if try derived.agrees(with: view) { return derived }
        }
        // A fail-over may have lost events that were read, and others came in their place.
        if case .known = start {
            start = try tables.snapshot { .tables(try $0?.base, marked: try $0?.mark) }
        }
        guard case .tables(let base, let mark) = start else {
            preconditionFailure("a snapshot of the tables was taken")
        }
        let derived = try dropping(base) {
            var derived = try DerivedData(view, above: base, marked: mark)
            try derived.catchUp(with: view, limit: limit)
            return derived
        }
        if try derived.agrees(with: view) { return derived }
        let reason = "the events do not have the root that their store names"
        // Damaged tables are rebuilt first.
        if derived.stored == 0 { throw LogError.damaged(position: nil, reason: reason) }
        throw DerivedError.unusable(LogFault(.wrong, "tree", reason))
    }

    /// Drops the tables of a base for which `body` throws `unusable`.
    private func dropping<Value>(_ base: DerivedBase?, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch DerivedError.unusable(let fault) {
            tables.drop(base?.storage)
            throw DerivedError.unusable(fault)
        }
    }

    /// Runs `body` again where the derived tables could not be used, which are rebuilt then.
    private func retrying<Value>(_ body: () throws -> Value) throws -> Value {
        for _ in 0..<Self.attempts {
            do {
                return try body()
            } catch DerivedError.unusable(let fault) {
                note(fault)
            } catch DerivedError.moved {
                continue
            } catch DerivedError.behind {
                try bringForward()
            }
        }
        throw Self.unmakable
    }

    private func note(_ fault: LogFault?) {
        current.change { $0.fault = $0.fault ?? fault }
    }

    private static let unmakable = LogError.damaged(
        position: nil, reason: "the derived tables can't be made again")

    private static let attempts = 8
}

extension EventLog.Current {
    /// Whether a commit, or a later one, is published.
    fileprivate func covers(_ version: LogVersion) -> Bool {
        published.map { $0.version.covers(version) && $0.derived.failure == nil } ?? false
    }
}

/// The right of one thread to add to what is published, until it ends it.
private final class Hold {
    private let current: Monitor<EventLog.Current>
    private var isHeld: Bool

    init(_ current: Monitor<EventLog.Current>, isHeld: Bool = false) {
        (self.current, self.isHeld) = (current, isHeld)
    }

    /// Waits until no other thread has the right; does nothing if this one has it.
    func begin() {
        if isHeld { return }
        current.change(when: { !$0.isTaken }) { $0.isTaken = true }
        isHeld = true
    }

    func end() {
        if isHeld { current.change { $0.isTaken = false } }
        isHeld = false
    }
}

extension EventLog {
    /// The number of events in the last commit; nothing else is read.
    package func count(_ freshness: LogFreshness = .askedNow) throws -> UInt64 {
        do {
            return try current.change { [events] current in
                let version = current.published?.version
                return version?.commit != nil && version?.commit == events.newestCommit
                    ? version?.count : nil
            } ?? events.count(freshness)
        } catch {
            throw LogError.translated(error, path: path)
        }
    }

    /// Makes a thread for the calls that wait for the log; nil where they wait for a disk alone.
    package func makeThread() -> ActorThread? { events.makeThread() }

    /// Calls `grown` after each commit of any process, until the watch is gone.
    package func watch(
        _ grown: @escaping @Sendable (_ count: UInt64?) -> Void
    ) -> any Sendable {
        events.watch(grown)
    }

    /// Runs `body` on snapshots of the derived tables, where there are any, and of the events.
    func snapshots<Value>(
        _ body: (DerivedView?, any EventView) throws -> Value
    ) throws -> Value {
        do {
            return try tables.snapshot { below in try events.snapshot { try body(below, $0) } }
        } catch {
            throw LogError.translated(error, path: path)
        }
    }
}
