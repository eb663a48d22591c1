package import DaybookEncoding
package import DaybookLMDB
internal import DaybookSystem

/// Creates the folder of a log, and checks it before it is opened.
package enum LogFolder {
    /// Creates a log; a crash leaves a whole one or none.
    ///
    /// The log is built in a folder beside its path, made durable, and renamed. The next creation
    /// removes what a crash left. `migrate` brings the log to the current layout.
    package static func create(
        at path: String, id: Bytes? = nil,
        _ options: EnvironmentOptions = EnvironmentOptions(),
        migrate: (Environment) throws -> Void
    ) throws {
        do {
            // A second creation at the same time waits, and then finds the log of the first.
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
            // The user does not know the folder that the log is built in.
            throw LogError(SystemError(code: error.code, operation: "create", path: path))
        } catch {
            throw try explained(error, path: path, disk: Files.parent(of: path))
        }
    }

    /// Prepares an empty storage for its first migration.
    package static func initialise(_ storage: any Storage, id: Bytes) throws {
        try storage.update { view in try LogMeta.initialise(id: id, view) }
    }

    private static func build(
        in folder: String, id: Bytes, _ options: EnvironmentOptions,
        _ migrate: (Environment) throws -> Void
    ) throws {
        let environment = try Environment(folder, options)
        try initialise(environment, id: id)
        try migrate(environment)
        try Files.syncFile("\(folder)/data.mdb")
        try Files.syncDirectory(folder)
    }

    /// Checks a log's folder without opening its files.
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
            // Root could write, but would leave files that the owner can't write.
            let user = Files.currentUser
            for owner in [folder.owner, file.owner] where owner != user {
                throw LogError.notOwner(path: path, owner: owner)
            }
        }
    }

    /// Translates the error of a write; checks the free space where LMDB's code is ambiguous.
    package static func explained(
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

    /// The folder of a log's derived tables, beside the log.
    package static func derived(of path: String) -> String {
        path.hasSuffix("/log") ? path.dropLast(4) + "/derived" : path + ".derived"
    }

    /// The folder of a log while it is being created.
    private static func buildingPath(_ path: String) -> String { path + ".creating" }

    /// The two meta pages of an environment; LMDB would take an empty file for a new one.
    private static let smallestFile: UInt64 = 8192

    /// A write of LMDB is at most this large (mdb.c, MAX_WRITE and a page beyond).
    private static let almostFull: UInt64 = 1 << 20
}
