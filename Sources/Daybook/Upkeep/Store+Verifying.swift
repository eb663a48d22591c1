public import DaybookEncoding
import DaybookLog
import DaybookPostgres
import DaybookReplay

extension Store {
    /// Reads a whole store and compares everything in it with its events.
    ///
    /// Every event is decoded and hashed again. The tree, the indexes and the state's rows are
    /// computed again and compared, and the signatures of checkpoints are verified. `note` is one
    /// checkpoint that was kept outside the store, or several concatenated ones: `rolledBack` and
    /// `forked` say that the store no longer begins with what they signed. Nothing is written, and
    /// no writer waits. `progress` is called with the table and the number of entries read. The
    /// store must not be open in this process.
    ///
    /// LMDB has no checksums, and some damage makes it end the process, so call this in a separate
    /// process, as the program `daybook` does.
    ///
    /// - Throws: `storeMissing`, `storeTooNew`, `storeAlreadyOpen`, `checkpointInvalid`,
    ///   `checkpointUnknownKey`, `otherLog`; damage is a result, not an error.
    public static func verify(
        at path: String, against note: String? = nil,
        progress: @escaping (_ table: String, _ entries: UInt64) -> Void = { _, _ in }
    ) throws(DaybookError) -> StoreVerification {
        do {
            return try verification(of: StoreFolder(path), note, progress)
        } catch {
            throw DaybookError.from(error)
        }
    }

    /// Verifies this store while it is in use, as of one moment during the call.
    ///
    /// Otherwise as `verify(at:against:progress:)`; the store answers other calls meanwhile. For
    /// example:
    ///
    ///     let found = try await store.verify { table, entries in show(table, entries) }
    ///     if !found.isWhole { show(found.problems) }
    ///
    /// - Throws: `checkpointInvalid`, `checkpointUnknownKey`, `otherLog`, `callCancelled`.
    public nonisolated func verify(
        against note: String? = nil,
        progress: @escaping @Sendable (_ table: String, _ entries: UInt64) -> Void = { _, _ in }
    ) async throws(DaybookError) -> StoreVerification {
        let folder = StoreFolder(path)
        return try await LongWork.run { [self] work in
            return try Self.verification(log, keyFile: folder.logKey, note) { table, entries in
                try work.check()
                progress(table, entries)
                try work.check()
            } pageFault: {
                try log.pageFault()
            }
        }
    }

    /// Verifies the closed store in a folder; `progress` may throw a `CancellationError`.
    static func verification(
        of folder: StoreFolder, _ note: String?,
        _ progress: @escaping (_ table: String, _ entries: UInt64) throws -> Void
    ) throws -> StoreVerification {
        try verification(
            try folder.logPlace().openReading(), keyFile: folder.logKey, note,
            progress
        ) {
            guard case .folder(let path) = try folder.logPlace() else { return nil }
            return try EventLog.pageFault(at: path)
        }
    }

    private static func verification(
        _ log: @autoclosure () throws -> EventLog, keyFile: String, _ note: String?,
        _ progress: @escaping (_ table: String, _ entries: UInt64) throws -> Void,
        pageFault: () throws -> LogFault?
    ) throws -> StoreVerification {
        try progress("pages", 0)
        do {
            // Pages are checked first without LMDB, which trusts their content.
            if let fault = try pageFault() {
                return StoreVerification(events: 0, root: "", problems: [StoreProblem(fault)])
            }
            return try verification(of: try log(), keyFile: keyFile, note, progress)
        } catch LogError.damaged(let position, let reason) {
            return unreadable(position, reason)
        } catch LogError.storage(let error) {
            return unreadable(nil, "\(error)")
        } catch let error as LogError where error.isOfSegment {
            return unreadable(nil, "\(error)")
        } catch LogError.poisoned {
            return unreadable(nil, "the disk can't be read")
        }
    }

    /// The result if not even the last event can be found.
    private static func unreadable(_ position: UInt64?, _ reason: String) -> StoreVerification {
        let fault = LogFault(.unreadable, "events", position: position, reason)
        return StoreVerification(events: 0, root: "", problems: [StoreProblem(fault)])
    }

    private static func verification(
        of log: EventLog, keyFile: String, _ note: String?,
        _ progress: @escaping (_ table: String, _ entries: UInt64) throws -> Void
    ) throws -> StoreVerification {
        let found = try ScratchRows.with(forEvents: try log.count()) { rows in
            try LogVerification(of: log, rows: rows, progress: progress)
        }
        var problems = found.faults.map { StoreProblem($0) }
        if let note {
            try log.read { log in
                let trusted = try TrustedCheckpoint.read(
                    Bytes(note.utf8), of: log, keyFile: keyFile)
                do {
                    try TrustedCheckpoint.check(trusted, log)
                } catch let alarm as DaybookError {
                    problems.insert(StoreProblem(alarm), at: 0)
                }
            }
        }
        return StoreVerification(
            events: found.events, root: Hex.encode(found.root), problems: problems)
    }
}

/// The result of verifying a store.
public struct StoreVerification: Codable, Hashable, Sendable {
    /// The number of events.
    public let events: UInt64
    /// The root of the tree over them in hex, computed from their bytes.
    public let root: String
    /// The first problem of each kind, in the order of discovery.
    public let problems: [StoreProblem]

    /// A result for previews and tests of a front end.
    public init(events: UInt64, root: String, problems: [StoreProblem] = []) {
        (self.events, self.root, self.problems) = (events, root, problems)
    }

    /// Whether the store has no problem.
    public var isWhole: Bool { problems.isEmpty }
}

/// A problem in a store, and its place.
public struct StoreProblem: Codable, Hashable, Sendable {
    /// The stable name of the problem, such as `rolledBack`.
    public let code: DaybookError.Code
    /// The table of the log, as `docs/FORMATS.md` names it.
    public let table: String
    /// The entry's key in hex, if there is one.
    public let key: String?
    /// The event at fault, if there is one.
    public let position: Position?
    /// One sentence for people, in lower case.
    public let message: String

    /// A problem for previews and tests of a front end.
    public init(
        code: DaybookError.Code, table: String, key: String? = nil, position: Position? = nil,
        message: String
    ) {
        (self.code, self.table, self.key) = (code, table, key)
        (self.position, self.message) = (position, message)
    }

    init(_ fault: LogFault) {
        self.init(
            code: DaybookError.Code(rawValue: fault.code.rawValue), table: fault.table,
            key: fault.key.map { Hex.encode($0) }, position: fault.position.map { Position($0) },
            message: fault.reason)
    }

    /// The problem that a kept checkpoint has revealed.
    init(_ alarm: DaybookError) {
        self.init(
            code: alarm.code, table: "events", position: alarm.position, message: alarm.message)
    }
}
