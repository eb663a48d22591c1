package import DaybookEncoding
internal import DaybookLog
internal import DaybookMigrations

/// A database that holds logs: its tables, and the rows of the logs.
package struct PostgresDatabase: Sendable {
    package let pool: PostgresPool

    /// The database at an address; nothing is asked of it yet.
    package init(_ pool: PostgresPool) {
        self.pool = pool
    }

    /// Makes the tables, or brings those of an older program up to date; returns their versions.
    @discardableResult
    package func prepare() throws -> (from: UInt64, to: UInt64) {
        try LogError.explaining {
            let found = try version(checked: false)
            let first = FormatNumber.firstReleased
            // Without tables the first migration is the next.
            for version in max(found + 1, first)..<first + UInt64(Migrations.postgres.count) {
                do {
                    try pool.use { try Self.migrate($0, to: version, from: found) }
                } catch let error as PostgresError where Self.madeMeanwhile.contains(error.state) {
                    // Another process makes them at the same time, and may not have made the rest.
                    continue
                } catch let error as PostgresError where error.code == .databaseUnprepared {
                    // They are not Daybook's.
                    break
                }
            }
            try check(forWriting: true)
            return (found, FormatNumber.schema.current)
        }
    }

    /// Makes the tables, or those of the next version, by what a role may only do with more rights.
    private static func migrate(
        _ connection: PostgresConnection, to version: UInt64, from found: UInt64
    ) throws(PostgresError) {
        do {
            try connection.run(Migrations.postgres[Int(version - FormatNumber.firstReleased)])
        } catch {
            var error = error
            if error.code == .databaseNotPermitted {
                error.advice = found == 0
                    ? "its owner gives the right by: GRANT CREATE ON DATABASE "
                        + "\(connection.databaseName) TO \(connection.role)"
                    : "the owner of the tables brings them up to date by `daybook store create`"
            }
            throw error
        }
    }

    /// Schema, table, column or row exists already.
    private static let madeMeanwhile: Set<String> = ["42P06", "42P07", "42701", "23505"]

    /// Checks that the tables are those of this program, and that a commit is durable there.
    package func check(forWriting: Bool) throws {
        try LogError.explaining {
            let answer: PostgresRows
            do {
                answer = try pool.run(Self.checkStatement, [])
            } catch let error as PostgresError where Self.incomplete.contains(error.code) {
                // Each part alone tells what is missing.
                _ = try version(checked: true)
                throw error
            }
            _ = try version(in: answer, checked: true)
            guard forWriting else { return }
            let settings = (1...4).map { column in
                String(decoding: answer.bytes(0, column) ?? [], as: UTF8.self)
            }
            if settings[0] == "on" {
                throw PostgresError(
                    .databaseReadOnly, "the database is a standby or only lets its clients read")
            }
            // A commit that does not wait for the synchronous standby is lost with the server.
            let isLocal = settings[1] == "local" && settings[3] != ""
            if settings[1] == "off" || settings[2] == "off" || isLocal {
                throw PostgresError(
                    .databaseNotDurable,
                    "the database may lose what it acknowledged: turn synchronous_commit and "
                        + "fsync on")
            }
        }
    }

    private static let incomplete: Set<PostgresError.Code> = [
        .databaseUnprepared, .databaseHalfMade,
    ]

    private static let checkStatement = PostgresStatement(
        name: "daybook_check_2",
        text: """
            SELECT m.version, current_setting('transaction_read_only'),
                current_setting('synchronous_commit'),
                coalesce(current_setting('fsync', true), 'on'),
                coalesce(current_setting('synchronous_standby_names', true), '')
            FROM daybook.meta m LEFT JOIN (
                SELECT l.log_id, l.head, l.root, l.epoch, l.archived, l.archived_root,
                    l.archived_in, l.version, e.position, e.bytes
                FROM daybook.logs l JOIN daybook.events e ON e.log_id = l.log_id LIMIT 0
            ) AS none ON true
            """)

    private func version(checked: Bool) throws -> UInt64 {
        let answer: PostgresRows
        do {
            answer = try pool.run(Self.versionStatement, [])
        } catch let error as PostgresError where error.code == .databaseUnprepared && !checked {
            return 0
        } catch let error as PostgresError where error.code == .databaseUnprepared {
            throw PostgresError(
                .databaseUnprepared,
                "the database has no tables of Daybook's: daybook store create makes them")
        }
        let found = try version(in: answer, checked: checked)
        if checked { try checkTables() }
        return found
    }

    /// The version in the first column of an answer; `checked` wants the one of this program.
    private func version(in answer: PostgresRows, checked: Bool) throws -> UInt64 {
        guard answer.rows.count == 1, let found = answer.number(0, 0) else {
            throw PostgresError(
                .databaseHalfMade, "the database's table daybook.meta names no version")
        }
        try PostgresError.checkSchema(found, isMigrated: checked)
        return found
    }

    private func checkTables() throws {
        do {
            _ = try pool.run(Self.tablesStatement, [])
        } catch let error as PostgresError where error.code == .databaseUnprepared {
            throw PostgresError(
                .databaseHalfMade, "a table of Daybook's is missing: \(error.description)")
        }
    }

    private static let versionStatement = PostgresStatement(
        name: "daybook_version_1", text: "SELECT version FROM daybook.meta")

    private static let tablesStatement = PostgresStatement(
        name: "daybook_tables_2",
        text: """
            SELECT l.log_id, l.head, l.root, l.epoch, l.archived, l.archived_root,
                l.archived_in, l.version, e.position, e.bytes
            FROM daybook.logs l JOIN daybook.events e ON e.log_id = l.log_id LIMIT 0
            """)

    // MARK: - Logs

    /// Makes the row of a log without events; its epoch is 1.
    ///
    /// - Throws: `LogError.exists` if there is one.
    package func create(log: Bytes) throws {
        try LogError.explaining {
            let made = try pool.retrying {
                try pool.once(
                    Self.createStatement, [.bytes(log), .bytes(TreeHash.ofEmptyTree.bytes)])
            }
            if made.count == 0 { throw LogError.exists(path: Hex.encode(log)) }
        }
    }

    /// Checks that the server would take a log and its events, and changes nothing.
    ///
    /// Rights may be missing, or space. A folder for the log is made after that only.
    package func checkCreation(of log: Bytes) throws {
        let root = TreeHash.ofEmptyTree.bytes
        try LogError.explaining {
            try pool.retrying {
                try pool.use { connection in
                    try connection.run("BEGIN")
                    do {
                        _ = try pool.run(
                            Self.createStatement, [.bytes(log), .bytes(root)], on: connection)
                        _ = try pool.run(
                            PostgresEvents.appendStatement,
                            [.bytes(log), .number(0), .number(1), .bytes(root), .number(0),
                                .list([]), .bytes(root), .number(FormatNumber.schema.current)],
                            on: connection)
                    } catch {
                        if connection.failure == nil { try connection.run("ROLLBACK") }
                        throw error
                    }
                    try connection.run("ROLLBACK")
                }
            }
        }
    }

    private static let createStatement = PostgresStatement(
        name: "daybook_create_1",
        text: """
            INSERT INTO daybook.logs (log_id, head, root, epoch) VALUES ($1, 0, $2, 1)
            ON CONFLICT DO NOTHING
            """)

    /// Takes a log over from its last writer, and returns the new epoch.
    ///
    /// From then on the last writer can neither append nor send.
    package func takeOver(log: Bytes) throws -> UInt64 {
        try LogError.explaining {
            let answer = try pool.run(Self.takeOverStatement, [.bytes(log)])
            guard let epoch = answer.number(0, 0) else {
                throw LogError.missingInDatabase(log: Hex.encode(log))
            }
            return epoch
        }
    }

    private static let takeOverStatement = PostgresStatement(
        name: "daybook_take_over_1",
        text: """
            UPDATE daybook.logs SET epoch = epoch + 1 WHERE log_id = $1 RETURNING epoch
            """)

    /// A log of the database.
    package struct Log: Equatable, Sendable {
        package let id: Bytes
        /// The number of its events.
        package let events: UInt64
        /// The number of the take-over whose machine writes.
        package let epoch: UInt64
    }

    /// The logs behind an id, ascending.
    package func logs(after log: Bytes = [], limit: Int) throws -> [Log] {
        try LogError.explaining {
            let answer = try pool.run(
                Self.listStatement, [.bytes(log), .number(UInt64(limit))])
            return try answer.rows.indices.map { row in
                guard let id = answer.bytes(row, 0), let events = answer.number(row, 1),
                    let epoch = answer.number(row, 2)
                else { throw LogError.damaged(position: nil, reason: "a log's row can't be read") }
                return Log(id: id, events: events, epoch: epoch)
            }
        }
    }

    private static let listStatement = PostgresStatement(
        name: "daybook_list_2",
        text: """
            SELECT log_id, head, epoch FROM daybook.logs WHERE log_id > $1
            ORDER BY log_id LIMIT $2
            """)
}
