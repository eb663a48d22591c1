internal import DaybookLMDB
internal import DaybookSystem

/// Where derived tables lie: in `derived/` beside the log, or, where that can't be used or written,
/// in a file of this process alone, or nowhere while there are few events.
final class DerivedPlace {
    private let path: String?
    private let isReadOnly: Bool
    private var storage: (any Storage)?
    /// Whether the tables are this process's own.
    private var isPrivate = false

    /// The folder of a log's tables, which need not exist.
    init(at path: String, isReadOnly: Bool) {
        self.path = path
        self.isReadOnly = isReadOnly
        guard (try? Files.exists("\(path)/data.mdb")) == true else { return }
        storage = isReadOnly
            ? try? Environment.openReadOnly(path) : try? Self.opened(path)
        if storage == nil { drop() }
    }

    /// Tables in a storage of their own; nil keeps all in memory until there is too much of it.
    init(in storage: (any Storage)?) {
        path = nil
        isReadOnly = false
        self.storage = storage
    }

    /// Runs `body` on the tables as they were committed last, nil where there are none.
    func snapshot<Value>(_ body: (DerivedTables?) throws -> Value) throws -> Value {
        guard let storage else { return try body(nil) }
        var isBegun = false
        do {
            return try storage.snapshot { view in
                let tables = try DerivedTables(view)
                isBegun = true
                return try body(tables)
            }
        } catch {
            if isBegun { throw error }
            throw DerivedError.unusable(LogFault(.unreadable, "tree", "\(error)"))
        }
    }

    /// Runs `body` as the tables' only writer, and commits.
    ///
    /// `forOthers` says that other processes may use what it writes.
    func update<Value>(
        forOthers: Bool, _ body: (DerivedTables) throws -> Value
    ) throws -> Value {
        let isShared = path != nil && forOthers && !isReadOnly && !isPrivate
        // What others read is not written to.
        if path != nil, !isShared, !isPrivate { storage = nil }
        let storage = try self.storage
            ?? (isShared ? path.flatMap { try? Self.opened($0) } : nil) ?? usePrivate()
        self.storage = storage
        return try storage.update { view in
            guard let tables = try DerivedTables(view, create: true) else {
                throw DerivedError.unusable(nil)
            }
            return try body(tables)
        }
    }

    /// Gives the tables up, which are to be made again.
    func drop() {
        storage = nil
        guard let path, !isReadOnly, !isPrivate else { return }
        // Best effort: what can't be removed is not used.
        do { try Files.removeTree(path) } catch { _ = try? usePrivate() }
    }

    /// Goes on with tables that nobody else sees, and that go with this value.
    private func usePrivate() throws -> any Storage {
        storage = nil
        let folder = try ScratchFolder()
        let environment = try Environment(
            folder.path, EnvironmentOptions(initialMapBytes: Self.mapBytes))
        // The map keeps the file alive: the folder goes now.
        _ = consume folder
        isPrivate = true
        storage = environment
        return environment
    }

    private static func opened(_ path: String) throws -> any Storage {
        try Files.createDirectories(path, mode: 0o700)
        try Environment.createIfMissing(path)
        return try Environment(path, EnvironmentOptions(isCache: true))
    }

    /// Addresses, not disk: the map never has to grow.
    private static let mapBytes = 1 << 40
}
