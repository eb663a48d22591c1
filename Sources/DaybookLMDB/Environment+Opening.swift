internal import DaybookSystem

extension Environment {
    /// Opens a new environment in a temporary file, which is deleted when it is closed.
    package static func temporary() throws -> Environment {
        let folder = try ScratchFolder()
        let environment = try Environment(
            folder.path, EnvironmentOptions(initialMapBytes: temporaryMapBytes))
        // The open map keeps the file alive after its folder was removed.
        _ = consume folder
        return environment
    }

    /// The map of a temporary file, which takes addresses, not disk: it never has to grow.
    private static let temporaryMapBytes = 1 << 40

    /// Creates an empty environment in a folder that has none; a crash leaves a whole one or none.
    ///
    /// LMDB itself writes its first pages under the final name without syncing them: a power cut
    /// can leave a file that LMDB can't read, or no file after commits that were durable.
    package static func createIfMissing(_ folder: String) throws {
        let data = "\(folder)/data.mdb"
        let building = "\(folder)/.creating"
        if try Files.exists(data), try !Files.exists(building) { return }
        // A second creation at the same time waits, and then finds the file of the first.
        let lock = try FileLock(directory: folder)
        if try Files.exists(building) { try Files.removeTree(building) }
        if try !Files.exists(data) {
            try Files.createDirectory(building, mode: 0o700)
            _ = try Environment(building)
            try Files.syncFile("\(building)/data.mdb")
            try Files.renameDurably("\(building)/data.mdb", to: data)
            try Files.removeTree(building)
        }
        _ = consume lock
    }
}

/// How an environment is opened; it is always durable, except for caches.
package struct EnvironmentOptions: Equatable, Sendable {
    /// Whether only read transactions are possible.
    package var isReadOnly: Bool
    /// The size of a new environment's map; an existing one stores its own.
    package var initialMapBytes: Int
    /// The map grows before a write if less than this is free.
    package var headroomBytes: Int
    /// The map never grows beyond this.
    package var maximumMapBytes: Int
    /// Whether the content can be rebuilt if a crash loses the last commit.
    ///
    /// A commit then waits for the disk once instead of twice, and a crash may leave the commit
    /// before it, whole (lmdb.h, `MDB_NOMETASYNC`).
    package var isCache: Bool

    /// The usual options; the map takes addresses, not memory or disk.
    package init(
        isReadOnly: Bool = false, initialMapBytes: Int = 64 << 20,
        headroomBytes: Int = 16 << 20, maximumMapBytes: Int = 1 << 40, isCache: Bool = false
    ) {
        self.isReadOnly = isReadOnly
        self.initialMapBytes = initialMapBytes
        self.headroomBytes = headroomBytes
        self.maximumMapBytes = maximumMapBytes
        self.isCache = isCache
    }
}

/// The data files that this process has open, because LMDB must not open one twice.
///
/// lmdb.h, "Caveats": a second open and its close would drop the advisory locks of the first.
enum OpenEnvironments {
    struct Identity: Hashable {
        let device: UInt64
        let number: UInt64
    }

    private static let identities = Monitor<Set<Identity>>([])

    /// Marks a file as open; false if it is open already.
    static func claim(_ identity: Identity) -> Bool {
        identities.change { $0.insert(identity).inserted }
    }

    /// Runs `close` and marks the file as closed; no other file can be claimed meanwhile.
    ///
    /// As soon as a deleted file is closed, a new file may get its inode number.
    static func release(_ identity: Identity, _ close: () -> Void) {
        identities.change { identities in
            close()
            identities.remove(identity)
        }
    }
}
