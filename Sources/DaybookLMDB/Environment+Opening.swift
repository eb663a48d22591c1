internal import DaybookSystem
internal import Synchronization

extension Environment {
    /// Makes an empty environment in a folder that has none; after a crash it is whole or absent.
    ///
    /// LMDB itself writes its first pages under the file's name and syncs neither: a power cut can
    /// leave a file there that is none of LMDB's, or no file behind commits that were durable.
    package static func createIfMissing(_ folder: String) throws {
        let data = "\(folder)/data.mdb"
        let building = "\(folder)/.creating"
        if try Files.exists(data), try !Files.exists(building) { return }
        // Two creations at once: the second one waits, and finds the first one's file.
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

/// How an environment is opened; the durability of LMDB is not among the choices.
package struct EnvironmentOptions: Equatable, Sendable {
    /// Whether only read transactions are possible.
    package var isReadOnly: Bool
    /// The size of the map of a new environment; an existing one knows its own.
    package var initialMapBytes: Int
    /// The map is made larger before a write if less than this is free.
    package var headroomBytes: Int
    /// The map is never made larger than this.
    package var maximumMapBytes: Int
    /// What a crash takes of the last commit can be made again.
    ///
    /// A commit then waits once for the disk, not twice, and a crash may leave the commit before
    /// it, whole (lmdb.h, `MDB_NOMETASYNC`).
    package var isCache: Bool

    /// The usual choices: the map costs addresses, not memory or disk.
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

/// Which data files this process has open, because LMDB must not open one twice.
///
/// lmdb.h, "Caveats": a second open and its close would drop the advisory locks of the first.
enum OpenEnvironments {
    struct Identity: Hashable {
        let device: UInt64
        let number: UInt64
    }

    private static let identities = Mutex<Set<Identity>>([])

    /// Takes the place of a file; false if it is taken.
    static func claim(_ identity: Identity) -> Bool {
        identities.withLock { $0.insert(identity).inserted }
    }

    /// Gives the place back when `close` is done, and lets nobody claim any place before that.
    ///
    /// As soon as a deleted file is closed, a new file may get its number.
    static func release(_ identity: Identity, _ close: () -> Void) {
        identities.withLock { identities in
            close()
            identities.remove(identity)
        }
    }
}
