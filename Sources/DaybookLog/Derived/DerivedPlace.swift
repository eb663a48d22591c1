internal import DaybookLMDB
internal import DaybookSystem

/// Where derived tables lie: in `derived/` beside the log, or, where that can't be used or written,
/// in a file of this process alone, or nowhere while there are few events.
///
/// Several threads may use it. What one of them gives up the others see out to their transaction's
/// end.
final class DerivedPlace: Sendable {
    private let path: String?
    private let isReadOnly: Bool
    private let place: Monitor<Place>

    private struct Place {
        var storage: (any Storage)?
        /// Whether the tables are this process's own.
        var isPrivate = false
    }

    /// The folder of a log's tables, which need not exist.
    init(at path: String, isReadOnly: Bool) {
        self.path = path
        self.isReadOnly = isReadOnly
        guard (try? Files.exists("\(path)/data.mdb")) == true else {
            place = Monitor(Place())
            return
        }
        let found = isReadOnly
            ? try? Self.prepared(DaybookLMDB.Environment.openReadOnly(path))
            : try? Self.opened(path)
        place = Monitor(Place(storage: found))
        if found == nil { drop(nil) }
    }

    /// Tables in a storage of their own; nil keeps all in memory until there is too much of it.
    init(in storage: (any Storage)?) {
        path = nil
        isReadOnly = false
        place = Monitor(Place(storage: storage))
    }

    /// Runs `body` on the tables as they were committed last, nil where there are none.
    ///
    /// Tables that can't be read, or that `body` calls unusable, are given up.
    func snapshot<Value>(_ body: (DerivedTables?) throws -> Value) throws -> Value {
        guard let storage = place.change({ $0.storage }) else { return try body(nil) }
        var isBegun = false
        do {
            return try storage.snapshot { view in
                let tables = try DerivedTables(view)
                isBegun = true
                return try body(tables)
            }
        } catch {
            if isBegun, case DerivedError.unusable = error { drop(storage) }
            if isBegun { throw error }
            drop(storage)
            throw DerivedError.unusable(LogFault(.unreadable, "tree", "\(error)"))
        }
    }

    /// Runs `body` as the tables' only writer, and commits.
    ///
    /// `forOthers` says that other processes may use what it writes.
    func update<Value>(
        forOthers: Bool, _ body: (DerivedTables) throws -> Value
    ) throws -> Value {
        let storage = try place.change { place in
            let isShared = path != nil && forOthers && !isReadOnly && !place.isPrivate
            // What others read is not written to.
            if path != nil, !isShared, !place.isPrivate { place.storage = nil }
            if let storage = place.storage { return storage }
            if isShared, let path, let storage = try? Self.opened(path) {
                place.storage = storage
                return storage
            }
            return try Self.usePrivate(&place)
        }
        do {
            return try storage.update { view in
                guard let tables = try DerivedTables(view, create: true) else {
                    throw DerivedError.unusable(nil)
                }
                return try body(tables)
            }
        } catch DerivedError.unusable(let fault) {
            drop(storage)
            throw DerivedError.unusable(fault)
        }
    }

    /// Gives up the tables, which are to be made again.
    func drop() { drop(place.change { $0.storage }) }

    /// The same, unless others are in their place by now.
    private func drop(_ storage: (any Storage)?) {
        place.change { place in
            guard place.storage === storage else { return }
            place.storage = nil
            guard let path, !isReadOnly, !place.isPrivate else { return }
            // Best effort: what can't be removed is not used.
            do { try Files.removeTree(path) } catch { _ = try? Self.usePrivate(&place) }
        }
    }

    /// Goes on with tables that nobody else sees, and that go with this value.
    private static func usePrivate(_ place: inout Place) throws -> any Storage {
        place.storage = nil
        let folder = try ScratchFolder()
        let environment = try prepared(
            DaybookLMDB.Environment(folder.path, EnvironmentOptions(initialMapBytes: mapBytes)))
        // The map keeps the file alive: the folder goes now.
        _ = consume folder
        place.isPrivate = true
        place.storage = environment
        return environment
    }

    private static func opened(_ path: String) throws -> any Storage {
        try Files.createDirectories(path, mode: 0o700)
        try DaybookLMDB.Environment.createIfMissing(path)
        return try prepared(DaybookLMDB.Environment(path, EnvironmentOptions(isCache: true)))
    }

    /// Opens the tables, and makes those that are missing, before other threads come.
    private static func prepared(_ environment: DaybookLMDB.Environment) throws -> any Storage {
        let isMade = try environment.snapshot { try DerivedTables($0) != nil }
        if !isMade, !environment.isReadOnly {
            _ = try environment.update { try DerivedTables($0, create: true) }
        }
        return environment
    }

    /// Addresses, not disk: the map never has to grow.
    private static let mapBytes = 1 << 40
}
