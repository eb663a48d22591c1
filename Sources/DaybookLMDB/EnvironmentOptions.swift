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
