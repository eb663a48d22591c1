public import DaybookEncoding
import DaybookLog
import DaybookReplay

extension Store {
    /// Rereads a store from the first byte to the last and compares everything with its events.
    ///
    /// Every event is decoded and hashed again; the tree, the indexes and the state's rows are made
    /// again and compared, none missing and none too many; checkpoints must be signed and hold.
    /// `note` is a checkpoint that was kept outside the store, or several one after another:
    /// `rolledBack` and `forked` say that the store no longer begins with what they signed.
    /// Nothing is written, and nobody waits.
    /// `progress` hears of the table that is read and how far. A store that is open in this process
    /// is verified by another one.
    ///
    /// LMDB has no checksums, and some damage makes it end the process: call this where that harms
    /// nobody. The program `daybook` calls it in a process of its own.
    ///
    /// - Throws: `storeMissing`, `storeTooNew`, `storeAlreadyOpen`, `checkpointInvalid`,
    ///   `checkpointUnknownKey`, `otherLog`; damage is no error but the answer.
    public static func verify(
        at path: String, against note: String? = nil,
        progress: @escaping (_ table: String, _ entries: UInt64) -> Void = { _, _ in }
    ) throws -> StoreVerification {
        do {
            let folder = StoreFolder(path)
            return try Self.verification(folder.log, keyFile: folder.logKey, note, progress)
        } catch {
            throw DaybookError.from(error)
        }
    }

    private static func verification(
        _ path: String, keyFile: String, _ note: String?,
        _ progress: @escaping (_ table: String, _ entries: UInt64) -> Void
    ) throws -> StoreVerification {
        progress("pages", 0)
        do {
            // First without LMDB, which trusts what it finds.
            if let fault = try EventLog.pageFault(at: path) {
                return StoreVerification(events: 0, root: "", problems: [StoreProblem(fault)])
            }
            return try EventLog(readingAt: path, by: StateFold()).read { log in
                try verification(log, keyFile: keyFile, note, progress)
            }
        } catch LogError.damaged(let position, let reason) {
            return unreadable(position, reason)
        } catch LogError.storage(let error) {
            return unreadable(nil, "\(error)")
        } catch LogError.poisoned {
            return unreadable(nil, "the disk can't be read")
        }
    }

    /// What is said where not even the last event can be found.
    private static func unreadable(_ position: UInt64?, _ reason: String) -> StoreVerification {
        let fault = LogFault(.unreadable, "events", position: position, reason)
        return StoreVerification(events: 0, root: "", problems: [StoreProblem(fault)])
    }

    private static func verification(
        _ log: LogSnapshot, keyFile: String, _ note: String?,
        _ progress: @escaping (_ table: String, _ entries: UInt64) -> Void
    ) throws -> StoreVerification {
        let found = try ScratchRows.with(forEvents: log.count) { rows in
            try LogVerification(log, rows: rows, progress: progress)
        }
        var problems = found.faults.map { StoreProblem($0) }
        if let note {
            let trusted = try TrustedCheckpoint.read(
                Bytes(note.utf8), of: log, keyFile: keyFile)
            do {
                try TrustedCheckpoint.check(trusted, log)
            } catch let alarm as DaybookError {
                problems.insert(StoreProblem(alarm), at: 0)
            }
        }
        return StoreVerification(
            events: found.events, root: Hex.encode(found.root), problems: problems)
    }
}

/// What rereading a whole store has shown.
public struct StoreVerification: Equatable, Sendable {
    /// How many events there are.
    public let events: UInt64
    /// The root of the tree over them in hex, made from their bytes.
    public let root: String
    /// The first problem of each kind, in the order in which they were found.
    public let problems: [StoreProblem]

    /// Whether everything is as it was written.
    public var isWhole: Bool { problems.isEmpty }
}

/// Something in a store that is not as it must be, and where it lies.
public struct StoreProblem: Equatable, Sendable {
    /// The stable name of what is wrong, such as `missing` or `rolledBack`.
    public let code: String
    /// The table of the log, as `docs/LOG_FORMAT.md` names it.
    public let table: String
    /// The entry's key in hex, where there is one.
    public let key: String?
    /// The event at fault, where there is one.
    public let position: Position?
    /// One sentence for people, in lower case.
    public let message: String

    init(_ fault: LogFault) {
        code = fault.code.rawValue
        table = fault.table
        key = fault.key.map { Hex.encode($0) }
        position = fault.position.map { Position($0) }
        message = fault.reason
    }

    /// What a comparison with a kept checkpoint has shown.
    init(_ alarm: DaybookError) {
        code = alarm.code
        table = "events"
        key = nil
        position = alarm.position
        message = alarm.message
    }
}
