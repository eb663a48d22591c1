package import DaybookEncoding
package import DaybookLMDB

/// The book of original entry: events in the order in which they happened, and the state's rows.
///
/// For example:
///
///     let position = try log.write { transaction in
///         try transaction.append(draft).position
///     }
///
/// What a closure of `write` did is durable when `write` returns, or nothing of it is. Writers in
/// several processes wait for each other; readers see the last committed state and never wait.
package final class EventLog {
    /// The folder with the log's files.
    package let path: String
    private let storage: any Storage
    private let tables: LogTables
    private let isReadOnly: Bool

    /// Opens a log that exists.
    package init(
        opening path: String, _ options: EnvironmentOptions = EnvironmentOptions()
    ) throws {
        do {
            try LogFolder.check(path, forWriting: !options.isReadOnly)
            let environment = try options.isReadOnly
                ? Environment.openReadOnly(path) : Environment(path, options)
            tables = try Self.tables(in: environment, isReadOnly: options.isReadOnly)
            storage = environment
            self.path = path
            isReadOnly = options.isReadOnly
        } catch {
            throw LogError.translated(error, path: path)
        }
    }

    /// Opens a log that lies in a storage of its own.
    package init(in storage: any Storage) throws {
        tables = try Self.tables(in: storage, isReadOnly: false)
        self.storage = storage
        path = ""
        isReadOnly = false
    }

    private static func tables(in storage: any Storage, isReadOnly: Bool) throws -> LogTables {
        try storage.snapshot { view in
            guard let layout = try LogMeta.layout(view) else {
                throw LogError.damaged(position: nil, reason: "table 'meta' is missing")
            }
            try LogMeta.checkLayout(layout, isReadOnly: isReadOnly)
            let tables = try LogTables(view)
            _ = try LogSnapshot(view, tables)
            return tables
        }
    }

    /// The log's id. That of a log without events may change: see `LogTransaction.adopt`.
    package var id: Bytes {
        get throws { try read { $0.logID } }
    }

    /// Runs `body` on the log as it is now.
    package func read<Value>(_ body: (LogSnapshot) throws -> Value) throws -> Value {
        do {
            return try storage.snapshot { view in
                let snapshot = try LogSnapshot(view, tables)
                let value = try body(snapshot)
                let failure = snapshot.rows.failure ?? snapshot.streamRows.failure
                if let failure { throw failure }
                return value
            }
        } catch {
            throw LogError.translated(error, path: path)
        }
    }

    /// Copies the log as it is now into an empty folder, durably; writers go on meanwhile.
    package func copy(to folder: String) throws {
        do {
            try storage.copy(to: folder)
        } catch {
            throw try LogFolder.explained(error, path: path, disk: folder)
        }
    }

    /// Runs `body` as the only writer, and commits; an error that it throws undoes everything.
    ///
    /// `body` runs again from the start when the map has to grow: it must not act on the outside.
    package func write<Value>(
        _ body: (inout LogTransaction) throws -> Value
    ) throws -> Value {
        if isReadOnly { throw LogError.openedReadOnly }
        do {
            return try storage.update { view in
                var transaction = try LogTransaction(view, tables)
                do {
                    let value = try body(&transaction)
                    try transaction.finish()
                    return value
                } catch {
                    // What a body throws after a row failed is only a consequence.
                    try transaction.finish()
                    throw error
                }
            }
        } catch let error as LMDBError where error == .mapFull {
            throw LogError.mapFull(bytes: storage.mapBytes)
        } catch {
            throw try LogFolder.explained(error, path: path, disk: path)
        }
    }
}
