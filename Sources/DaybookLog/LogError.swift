package import DaybookEncoding
package import DaybookLMDB
package import DaybookSystem

/// Why a log can't be made, opened, read or written.
package enum LogError: Error, Equatable, Sendable {
    /// There is nothing at the path.
    case missing(path: String)
    /// A creation was interrupted; creating again cleans up.
    case halfCreated(path: String)
    /// The database has no log with this id.
    case missingInDatabase(log: String)
    /// A log can't be created where something exists.
    case exists(path: String)
    /// A newer program wrote this, or a development version before the first release.
    case unknownFormat(FormatNumberError)
    /// Another version of LMDB wrote the file.
    case otherLMDB
    /// The layout is older than this program's, or half migrated: run the migrations first.
    case needsMigration(found: UInt64, known: UInt64)
    /// The stored data is damaged; at a position, where one is known.
    case damaged(position: UInt64?, reason: String)
    /// Another user owns the store; writing would leave files that neither can use.
    case notOwner(path: String, owner: UInt32)
    /// The permissions forbid it.
    case permissionDenied(path: String)
    /// The file system is mounted read-only.
    case readOnlyFileSystem(path: String)
    /// The log was opened for reading only.
    case openedReadOnly
    /// No space is left for the store; nothing of the transaction is stored.
    case diskFull(path: String)
    /// The map has reached the size that it must not exceed.
    case mapFull(bytes: Int)
    /// This process has the log open already.
    case alreadyOpen(path: String)
    /// A process of another container has the log open, and this process's number.
    case inOtherContainer(path: String, process: Int32)
    /// Too many programs read the log at the same time.
    case tooManyReaders
    /// An I/O error made this handle unusable; acknowledged writes are safe. Open the log again.
    case poisoned
    /// An event is larger than the limit.
    case eventTooLarge(bytes: Int, limit: Int)
    /// A text or a key of the draft is empty or longer than the limit.
    case badLength(field: String, bytes: Int, limit: Int)
    /// A draft refers to an event that has not happened yet.
    case badReference(field: String, position: UInt64, next: UInt64)
    /// The draft's time lies before the last event's.
    case timeWentBack(last: UInt64, given: UInt64)
    /// Bytes that were to be appended are not the log's next event.
    case notNext(position: UInt64, reason: String)
    /// A segment of the archive is not there, from a position on where one is known.
    case segmentMissing(folder: String, position: UInt64?)
    /// A segment of the archive does not have the events that the log had.
    case segmentChanged(path: String, reason: String)
    /// Another machine has taken the log over, or this one never had it.
    case fenced(held: UInt64?, epoch: UInt64)
    /// The database that holds the log, or the way to it, failed.
    case database(code: String, reason: String, isOfNetwork: Bool)
    /// The operating system refused something else.
    case system(SystemError)
    /// LMDB refused something else.
    case storage(LMDBError)
}

extension LogError: CustomStringConvertible {
    /// One line in lower case, with the path or position.
    package var description: String {
        switch self {
        case .missing(let path): "there is no log at \(path); `daybook init` makes a store"
        case .missingInDatabase(let log):
            "the database has no log \(log); `daybook store list` shows those that it has"
        case .halfCreated(let path):
            "the log at \(path) was only half created; create it again"
        case .exists(let path): "something exists at \(path) already"
        case .unknownFormat(let error): error.description
        case .otherLMDB: "the log's file is of another version of LMDB than 0.9"
        case .needsMigration(let found, let known) where found == known:
            "the log's migration to layout \(known) has not ended; `daybook migrate` goes on"
        case .needsMigration(let found, let known):
            "the log's layout \(found) is older than \(known); `daybook migrate` brings it there"
        case .damaged(nil, let reason): "the log is damaged: \(reason)"
        case .damaged(let position?, let reason):
            "the log is damaged at position \(position): \(reason)"
        case .notOwner(let path, let owner): "\(path) is owned by another user, number \(owner)"
        case .permissionDenied(let path): "permission denied at \(path)"
        case .readOnlyFileSystem(let path): "\(path) is on a read-only file system"
        case .openedReadOnly:
            "the log was opened for reading only, because its folder can't be written"
        case .diskFull(let path): "no space is left on the device of \(path)"
        case .mapFull(let bytes): "the log has reached its largest size, \(bytes) bytes"
        case .alreadyOpen(let path): "this process has the log at \(path) open already"
        case .inOtherContainer(let path, let process):
            "another container has the log at \(path) open by a process with this one's number, "
                + "\(process); let both containers share their process numbers, as by "
                + "`docker run --pid=container:NAME`, or run one at a time"
        case .tooManyReaders: "too many programs read the log at the same time"
        case .poisoned: "an earlier input or output error closed the log; open it again"
        case .eventTooLarge(let bytes, let limit):
            "the event has \(bytes) bytes, more than the limit of \(limit)"
        case .badLength(let field, let bytes, let limit):
            "\(field) has \(bytes) bytes, expected 1 to \(limit)"
        case .badReference(let field, let position, let next):
            "\(field) refers to position \(position), but the next one is \(next)"
        case .timeWentBack(let last, let given):
            "the time \(given) lies before \(last), the last event's"
        case .notNext(let position, let reason):
            "this is not the event of position \(position): \(reason)"
        case .segmentMissing(let folder, nil):
            "a segment of the log's archived events is missing in \(folder)"
        case .segmentMissing(let folder, let position?):
            "the segment of the log's archived events from \(position) on is missing: it "
                + "belongs in \(folder)"
        case .segmentChanged(let path, let reason): "\(path) is no segment of this log: \(reason)"
        case .fenced(let held, let epoch):
            "another machine writes to the log: the last take-over was number \(epoch), "
                + (held.map { "and this machine's was \($0)" } ?? "and none is this machine's")
                + "; `daybook store take-over` lets this one write"
        case .database(_, let reason, _): reason
        case .system(let error): error.description
        case .storage(let error): "storage: \(error)"
        }
    }
}

extension LogError {
    /// The log's error for an error of LMDB, for the log at `path`.
    init(_ error: LMDBError, path: String) {
        switch error {
        case .alreadyOpen: self = .alreadyOpen(path: path)
        case .poisoned, .panic: self = .poisoned
        case .readersFull: self = .tooManyReaders
        case .sameProcessNumber:
            self = .inOtherContainer(path: path, process: Process.identifier)
        case .invalid: self = .damaged(position: nil, reason: "not a file of lmdb")
        case .corrupted, .pageNotFound: self = .damaged(position: nil, reason: "\(error)")
        case .versionMismatch: self = .otherLMDB
        default:
            self = LogError.meaning(of: Errno(rawValue: error.rawValue), path) ?? .storage(error)
        }
    }

    init(_ error: SystemError) {
        self = LogError.meaning(of: error.code, error.path) ?? .system(error)
    }

    /// Translates errors of LMDB and of the system; returns all others as they are.
    static func translated(_ error: any Error, path: String) -> any Error {
        switch error {
        case let error as LMDBError: LogError(error, path: path)
        case let error as SystemError: LogError(error)
        default: error
        }
    }

    private static func meaning(of code: Errno, _ path: String) -> LogError? {
        switch code {
        case .noSpace, .quotaExceeded, .fileTooLarge: .diskFull(path: path)
        case .permissionDenied, .notPermitted: .permissionDenied(path: path)
        case .readOnlyFileSystem: .readOnlyFileSystem(path: path)
        default: nil
        }
    }
}

extension LogError {
    /// Whether the way to the database failed, so that the same call may succeed later.
    package var isOfNetwork: Bool {
        if case .database(_, _, let isOfNetwork) = self { isOfNetwork } else { false }
    }

    /// Whether an archived event can't be read, which an archive that is put back makes good.
    package var isOfSegment: Bool {
        switch self {
        case .segmentMissing, .segmentChanged: true
        default: false
        }
    }

    /// The stable code of the error, for programs.
    package var code: String {
        switch self {
        case .missing, .missingInDatabase: "storeMissing"
        case .halfCreated: "storeHalfCreated"
        case .exists: "storeExists"
        case .unknownFormat(let error) where error.isOfDevelopment: "developmentVersion"
        case .unknownFormat, .otherLMDB: "storeTooNew"
        case .needsMigration: "storeNeedsMigration"
        case .damaged: "storeDamaged"
        case .notOwner: "storeNotOwned"
        case .permissionDenied: "permissionDenied"
        case .readOnlyFileSystem, .openedReadOnly: "storeReadOnly"
        case .diskFull, .mapFull: "diskFull"
        case .alreadyOpen: "storeAlreadyOpen"
        case .inOtherContainer: "storeInOtherContainer"
        case .tooManyReaders: "tooManyReaders"
        case .poisoned: "storePoisoned"
        case .eventTooLarge, .badLength: "tooLarge"
        case .notNext: "eventInvalid"
        case .segmentMissing: "segmentMissing"
        case .segmentChanged: "segmentChanged"
        case .fenced: "storeFenced"
        case .database(let code, _, _): code
        case .system(let error): error.code.reason ?? "storageError"
        case .storage(let error):
            Errno(rawValue: error.rawValue).reason ?? "storageError"
        case .badReference, .timeWentBack: "storageError"
        }
    }
}
