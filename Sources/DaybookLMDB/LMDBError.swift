internal import CLMDB
internal import DaybookSystem

/// A result code of LMDB or, where it is positive, of the operating system.
package struct LMDBError: Error, RawRepresentable, Hashable, Sendable {
    /// The code.
    package let rawValue: Int32

    /// Wraps a code as LMDB returned it.
    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The key exists already.
    package static let keyExists = LMDBError(rawValue: MDB_KEYEXIST)
    /// No such key, table or entry.
    package static let notFound = LMDBError(rawValue: MDB_NOTFOUND)
    /// A page that the tree refers to is not in the file.
    package static let pageNotFound = LMDBError(rawValue: MDB_PAGE_NOTFOUND)
    /// A page is of another kind than the tree requires.
    package static let corrupted = LMDBError(rawValue: MDB_CORRUPTED)
    /// An earlier failure left the environment unusable.
    package static let panic = LMDBError(rawValue: MDB_PANIC)
    /// The file was written by another version of LMDB.
    package static let versionMismatch = LMDBError(rawValue: MDB_VERSION_MISMATCH)
    /// The file is not an LMDB file.
    package static let invalid = LMDBError(rawValue: MDB_INVALID)
    /// The map has no room for the transaction.
    package static let mapFull = LMDBError(rawValue: MDB_MAP_FULL)
    /// Every slot for readers is taken.
    package static let readersFull = LMDBError(rawValue: MDB_READERS_FULL)
    /// Another process has made the map larger.
    package static let mapResized = LMDBError(rawValue: MDB_MAP_RESIZED)
    /// The transaction had an error before and can only be aborted.
    package static let badTransaction = LMDBError(rawValue: MDB_BAD_TXN)
    /// The key is empty or too long.
    package static let badValueSize = LMDBError(rawValue: MDB_BAD_VALSIZE)
    /// This process has the environment open already.
    ///
    /// Daybook's own code, outside of LMDB's range; LMDB itself would corrupt its locks.
    package static let alreadyOpen = LMDBError(rawValue: -40_001)
    /// A cursor is at no entry yet (lmdb.h, `MDB_GET_CURRENT`).
    static let notPositioned = LMDBError(rawValue: Errno.invalidArgument.rawValue)
    /// A signal interrupted a system call that LMDB does not repeat.
    static let interrupted = LMDBError(rawValue: Errno.interrupted.rawValue)
    /// An earlier I/O error made this handle unusable; the store must be opened again.
    package static let poisoned = LMDBError(rawValue: -40_002)
    /// A process of another container has the environment open, and the same number as this one.
    ///
    /// Readers register by their process number, which must be theirs alone.
    package static let sameProcessNumber = LMDBError(rawValue: -40_004)
    /// Writers kept changing a store while it was being copied.
    package static let copyOutrun = LMDBError(rawValue: -40_003)
}

extension LMDBError: CustomStringConvertible {
    /// LMDB's own text in lower case.
    package var description: String {
        switch self {
        case .alreadyOpen: return "the store is already open in this process"
        case .poisoned: return "an earlier input or output error closed this store"
        case .copyOutrun: return "the store kept changing while it was copied"
        case .corrupted: return "a page of its file is not what it should be"
        case .sameProcessNumber:
            return "another container has the store open by a process of the same number"
        default:
            guard let text = unsafe mdb_strerror(rawValue) else { return "code \(rawValue)" }
            return unsafe String(cString: text).lowercased()
        }
    }
}

/// Turns a result code into an error, unless it is 0.
func check(_ code: Int32) throws(LMDBError) {
    if code != MDB_SUCCESS { throw LMDBError(rawValue: code) }
}

/// The version of the LMDB library that is linked, for `session.started`.
package enum LMDBVersion {
    /// For example `0.9.24`.
    package static var text: String {
        var major: Int32 = 0
        var minor: Int32 = 0
        var patch: Int32 = 0
        _ = unsafe mdb_version(&major, &minor, &patch)
        return "\(major).\(minor).\(patch)"
    }
}
