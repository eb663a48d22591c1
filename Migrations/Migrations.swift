package import DaybookEncoding
package import DaybookLMDB
package import DaybookLog

/// Migrates a log to the layout of this program, step by step.
package enum Migrations {
    /// Changes some of the tables in one transaction, and returns how many entries are left.
    ///
    /// It runs until none is left. A large table is changed in steps, so that no transaction is
    /// large, and a crash loses one step.
    package typealias Step = @Sendable (any StorageView) throws -> UInt64

    /// All migrations in order; the first one makes the first layout of a release, number 10.
    ///
    /// Each is frozen once released. It names tables and keys itself, so that later changes of the
    /// code can't change its meaning.
    package static let all: [Step] = [M0010_CreateTables.run]

    /// The SQL of a database's schema, number by number from 10 on.
    ///
    /// Each runs in a transaction of its own and sets the number.
    package static let postgres: [String] = [P0010_CreateTables.statements]

    /// Creates a log with the current layout and opens it.
    package static func createLog(
        at path: String, id: Bytes? = nil, _ options: EnvironmentOptions = EnvironmentOptions()
    ) throws -> EventLog {
        try LogFolder.create(at: path, id: id, options) { try migrate($0) }
        return try EventLog(opening: path, options)
    }

    /// Opens a log for writing; migrates it first if its layout is older.
    package static func openLog(
        at path: String, _ options: EnvironmentOptions = EnvironmentOptions(),
        progress: Progress = { _, _ in }
    ) throws -> EventLog {
        do {
            return try EventLog(opening: path, options)
        } catch LogError.needsMigration where !options.isReadOnly {
            do {
                try migrate(Environment(path, options), progress: progress)
            } catch {
                throw try LogFolder.explained(error, path: path, disk: path)
            }
            return try EventLog(opening: path, options)
        }
    }

    /// Called after each step with the layout that it leads to, and how many entries are left.
    package typealias Progress = (_ layout: UInt64, _ left: UInt64) throws -> Void

    /// Runs the missing migrations, each step in a transaction of its own; returns the new layouts.
    ///
    /// From its first step on, the log has the number of the layout that the migration leads to:
    /// older programs refuse it, those that have it open included. A program that knows the layout
    /// opens it only once the migration has ended. Where a crash or a full disk interrupts one,
    /// `migrate` goes on with it.
    @discardableResult
    package static func migrate(
        _ storage: any Storage, by migrations: [Step] = all, progress: Progress = { _, _ in }
    ) throws -> [UInt64] {
        var made: [UInt64] = []
        while let (layout, left) = try storage.update({ try runStep(of: migrations, $0) }) {
            if left == 0 { made.append(layout) }
            try progress(layout, left)
        }
        return made
    }

    /// Runs a step of the next migration, or of one that has begun; nil if there is none left.
    private static func runStep(
        of migrations: [Step], _ view: any StorageView
    ) throws -> (layout: UInt64, left: UInt64)? {
        guard let found = try LogMeta.layout(view) else {
            throw LogError.damaged(position: nil, reason: "table 'meta' is missing")
        }
        let first = FormatNumber.firstReleased
        var known = FormatNumber.layout
        known.current = first + UInt64(migrations.count) - 1
        // A log without tables has 0.
        if found > 0 { try known.check(found, orThrow: LogError.unknownFormat) }
        let hasBegun = try LogMeta.isUnfinished(view)
        if found == known.current, !hasBegun { return nil }
        let next = hasBegun ? found : max(found + 1, first)
        let left = try migrations[Int(next - first)](view)
        try LogMeta.setLayout(next, isFinished: left == 0, view)
        return (next, left)
    }
}
