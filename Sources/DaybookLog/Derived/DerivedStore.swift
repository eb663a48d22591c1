internal import DaybookLMDB
internal import DaybookSystem

/// The storage of the derived tables, which can be dropped and replaced at any time.
///
/// The tables are in `derived/` beside the log. Where that folder can't be used or written, they
/// are in a temporary file of this process, or nowhere while there are few events. Several threads
/// may use it; a thread that reads tables which another one drops can finish its transaction.
final class DerivedStore: Sendable {
    private let path: String?
    private let isReadOnly: Bool
    private let current: Monitor<Current>

    private struct Current {
        var storage: (any Storage)?
        /// Whether the tables are in a temporary file of this process.
        var isPrivate = false
    }

    /// A store in a folder, which need not exist.
    init(at path: String, isReadOnly: Bool) {
        self.path = path
        self.isReadOnly = isReadOnly
        guard (try? Files.exists("\(path)/data.mdb")) == true else {
            current = Monitor(Current())
            return
        }
        let found = isReadOnly
            ? try? Self.prepared(Environment.openReadOnly(path))
            : try? Self.opened(path)
        current = Monitor(Current(storage: found))
        if found == nil { drop(nil) }
    }

    /// A store in a given storage, or in none until memory does not suffice.
    init(in storage: (any Storage)?) {
        path = nil
        isReadOnly = false
        current = Monitor(Current(storage: storage))
    }

    /// Runs `body` on a snapshot of the tables, or on nil where there are none.
    ///
    /// Drops tables that can't be read, and those for which `body` throws `unusable`.
    func snapshot<Value>(_ body: (DerivedView?) throws -> Value) throws -> Value {
        guard let storage = current.change({ $0.storage }) else { return try body(nil) }
        var isBegun = false
        do {
            return try storage.snapshot { view in
                let tables = try DerivedTables(view)
                isBegun = true
                return try body(
                    tables.map { DerivedView(storage: storage, tables: $0, view: view) })
            }
        } catch {
            if isBegun, !storage.isDamaged {
                if case DerivedError.unusable = error { drop(storage) }
                throw error
            }
            throw unusable(storage, after: error)
        }
    }

    /// Drops tables that can't be read; returns the error that says why.
    private func unusable(_ storage: any Storage, after error: any Error) -> DerivedError {
        drop(storage)
        if let error = error as? DerivedError { return error }
        return .unusable(LogFault(.unreadable, "tree", "\(error)"))
    }

    /// Runs `body` as the tables' only writer, and commits.
    func update<Value>(_ body: (DerivedView) throws -> Value) throws -> Value {
        let storage = try current.change { current in
            let isShared = path != nil && !isReadOnly && !current.isPrivate
            // Tables that other processes read are not written to.
            if path != nil, !isShared, !current.isPrivate { current.storage = nil }
            if let storage = current.storage { return storage }
            if isShared, let path, let storage = try? Self.opened(path) {
                current.storage = storage
                return storage
            }
            return try Self.usePrivate(&current)
        }
        do {
            return try storage.update { view in
                guard let tables = try DerivedTables(view, create: true) else {
                    throw DerivedError.unusable(nil)
                }
                return try body(DerivedView(storage: storage, tables: tables, view: view))
            }
        } catch {
            if !storage.isDamaged {
                guard case DerivedError.unusable = error else { throw error }
            }
            throw unusable(storage, after: error)
        }
    }

    /// Drops the tables, so that they are rebuilt.
    func drop() { drop(current.change { $0.storage }) }

    /// Drops the tables of a storage, unless another one has replaced it.
    func drop(_ storage: (any Storage)?) {
        current.change { current in
            guard current.storage === storage else { return }
            current.storage = nil
            guard let path, !isReadOnly, !current.isPrivate else { return }
            // Best effort: a folder that can't be removed is not used any more.
            do {
                if try Files.exists(path) { try Files.removeTree(path) }
            } catch {
                _ = try? Self.usePrivate(&current)
            }
        }
    }

    /// Replaces the storage by a temporary file of this process.
    private static func usePrivate(_ current: inout Current) throws -> any Storage {
        current.storage = nil
        let environment = try prepared(.temporary())
        current.isPrivate = true
        current.storage = environment
        return environment
    }

    private static func opened(_ path: String) throws -> any Storage {
        try Files.createDirectories(path, mode: 0o700)
        try Environment.createIfMissing(path)
        return try prepared(Environment(path, EnvironmentOptions(isCache: true)))
    }

    /// Creates the tables that are missing, before other threads use the environment.
    private static func prepared(_ environment: Environment) throws -> any Storage {
        let isMade = try environment.snapshot { try DerivedTables($0) != nil }
        if !isMade, !environment.isReadOnly {
            _ = try environment.update { try DerivedTables($0, create: true) }
        }
        return environment
    }
}
