package import DaybookEncoding
package import DaybookLMDB
package import DaybookLog

/// Migrates a log to the layout of this program, step by step.
package enum Migrations {
    /// All migrations in order; the first one migrates layout 0 to layout 1.
    ///
    /// Each is frozen once released. It names tables and keys itself, so that later changes of the
    /// code can't change its meaning.
    package static let all: [@Sendable (any StorageView) throws -> Void] = [
        M0001_CreateTables.run
    ]

    /// The SQL of a database's schema, version by version.
    ///
    /// Each runs in a transaction of its own and sets the version.
    package static let postgres: [String] = [
        P0001_CreateTables.statements, P0002_NoteArchivedEvents.statements,
    ]

    /// Creates a log with the current layout and opens it.
    package static func createLog(
        at path: String, id: Bytes? = nil, _ options: EnvironmentOptions = EnvironmentOptions()
    ) throws -> EventLog {
        try LogFolder.create(at: path, id: id, options) { try migrate($0) }
        return try EventLog(opening: path, options)
    }

    /// Opens a log for writing; migrates it first if its layout is older.
    package static func openLog(
        at path: String, _ options: EnvironmentOptions = EnvironmentOptions()
    ) throws -> EventLog {
        do {
            return try EventLog(opening: path, options)
        } catch LogError.needsMigration where !options.isReadOnly {
            try migrate(Environment(path, options))
            return try EventLog(opening: path, options)
        }
    }

    /// Runs the missing migrations, each in a transaction of its own; returns the new layouts.
    ///
    /// An interrupted migration changes nothing, and runs again next time.
    @discardableResult
    package static func migrate(_ storage: any Storage) throws -> [UInt64] {
        try run(all, on: storage)
    }

    @discardableResult
    static func run(
        _ migrations: [@Sendable (any StorageView) throws -> Void], on storage: any Storage
    ) throws -> [UInt64] {
        var made: [UInt64] = []
        while let layout = try storage.update({ try runNext(of: migrations, $0) }) {
            made.append(layout)
        }
        return made
    }

    /// Runs the next migration; nil if there is none left.
    private static func runNext(
        of migrations: [@Sendable (any StorageView) throws -> Void], _ view: any StorageView
    ) throws -> UInt64? {
        guard let found = try LogMeta.layout(view) else {
            throw LogError.damaged(position: nil, reason: "table 'meta' is missing")
        }
        let known = UInt64(migrations.count)
        if found > known { throw LogError.tooNew(.layout, found: found, known: known) }
        if found == known { return nil }
        try migrations[Int(found)](view)
        try LogMeta.setLayout(found + 1, view)
        return found + 1
    }
}
