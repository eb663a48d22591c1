package import DaybookEncoding
package import DaybookLMDB
internal import DaybookSystem

/// The log's folder before it is opened: making it, and saying what is wrong with it.
package enum LogFolder {
    /// Makes a log so that after a crash there is a whole one or none.
    ///
    /// It is built beside its place, made durable, and renamed. What a crash leaves beside it is
    /// cleaned up by the next creation. `migrate` brings it to the current layout.
    package static func create(
        at path: String, id: Bytes? = nil,
        _ options: EnvironmentOptions = EnvironmentOptions(),
        migrate: (DaybookLMDB.Environment) throws -> Void
    ) throws {
        do {
            // Two creations at once: the second one waits, and finds the first one's log.
            let lock = try FileLock(directory: Files.parent(of: path))
            if try Files.exists(path) { throw LogError.exists(path: path) }
            let building = buildingPath(path)
            if try Files.exists(building) { try Files.removeTree(building) }
            try Files.createDirectory(building, mode: 0o700)
            let id = try id ?? Entropy.bytes(LogLimits.idBytes)
            try build(in: building, id: id, options, migrate)
            try Files.renameDurably(building, to: path)
            _ = consume lock
        } catch let error as SystemError {
            // The user knows nothing of the folder in which it is built.
            throw LogError(SystemError(code: error.code, operation: "create", path: path))
        } catch {
            throw try explained(error, path: path, disk: Files.parent(of: path))
        }
    }

    /// Makes an empty storage one that `migrate` can bring to the current layout.
    package static func initialise(_ storage: any Storage, id: Bytes) throws {
        try storage.update { view in try LogMeta.initialise(id: id, view) }
    }

    private static func build(
        in folder: String, id: Bytes, _ options: EnvironmentOptions,
        _ migrate: (DaybookLMDB.Environment) throws -> Void
    ) throws {
        let environment = try DaybookLMDB.Environment(folder, options)
        try initialise(environment, id: id)
        try migrate(environment)
        try Files.syncFile("\(folder)/data.mdb")
        try Files.syncDirectory(folder)
    }

    /// Throws what can be said about a folder without opening its files.
    static func check(_ path: String, forWriting: Bool) throws {
        guard let folder = try Files.information(path) else {
            if try Files.exists(buildingPath(path)) { throw LogError.halfCreated(path: path) }
            throw LogError.missing(path: path)
        }
        if folder.kind != .directory {
            throw LogError.damaged(position: nil, reason: "\(path) is not a folder")
        }
        let data = "\(path)/data.mdb"
        guard let file = try Files.information(data) else {
            throw LogError.halfCreated(path: path)
        }
        if file.kind != .file || file.size < smallestFile {
            throw LogError.damaged(position: nil, reason: "\(data) is cut off")
        }
        if forWriting {
            // Root could write, but would leave files that the owner can't.
            let user = Files.currentUser
            for owner in [folder.owner, file.owner] where owner != user {
                throw LogError.notOwner(path: path, owner: owner)
            }
        }
    }

    /// The error of a write in the log's words; looks at the disk where LMDB's code is ambiguous.
    static func explained(
        _ error: any Error, path: String, disk: String
    ) throws -> any Error {
        // LMDB answers a write that was cut short with EIO (mdb.c, mdb_page_flush).
        if let error = error as? LMDBError, error.rawValue == Errno.inputOutput.rawValue,
            try Files.freeBytes(disk) < almostFull
        {
            return LogError.diskFull(path: path)
        }
        return LogError.translated(error, path: path)
    }

    /// Where the derived tables of a log lie: beside it.
    package static func derived(of path: String) -> String {
        path.hasSuffix("/log") ? path.dropLast(4) + "/derived" : path + ".derived"
    }

    /// Where a log lies while it is being made.
    private static func buildingPath(_ path: String) -> String { path + ".creating" }

    /// The two meta pages of an environment; LMDB would take an empty file for a new one.
    private static let smallestFile: UInt64 = 8192

    /// A write of LMDB is at most this large (mdb.c, MAX_WRITE and a page beyond).
    private static let almostFull: UInt64 = 1 << 20
}
