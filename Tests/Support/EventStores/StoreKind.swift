import DaybookEncoding
import DaybookLMDB
import DaybookLog
import DaybookMigrations
import DaybookPostgres
import DaybookSystem
import TestSupport

/// The stores of events that keep the same laws.
package enum StoreKind: String, CaseIterable, Sendable {
    case lmdb, memory, postgres

    /// A log without events in such a store.
    package func make(log: Bytes) throws -> StoreOfKind {
        switch self {
        case .lmdb:
            let folder = try TemporaryFolder()
            _ = try Migrations.createLog(at: folder.path + "/log", id: log)
            let environment = try Environment(folder.path + "/log")
            return try StoreOfKind(keeps: folder, takeOver: nil) {
                try LMDBEvents(environment, at: folder.path + "/log")
            }
        case .memory:
            let store = MemoryEvents(log: log)
            return try StoreOfKind(keeps: nil, takeOver: { store.takenOver() }) { store }
        case .postgres:
            let pool = PostgresPool(try TemporaryPostgres.shared.get().database)
            let database = PostgresDatabase(pool)
            try database.prepare()
            try database.create(log: log)
            let takeOver = {
                PostgresEvents(pool, log: log, epoch: try database.takeOver(log: log))
            }
            return try StoreOfKind(keeps: nil, takeOver: takeOver) {
                PostgresEvents(pool, log: log, epoch: 1)
            }
        }
    }
}

/// A store of events for one test.
package struct StoreOfKind {
    /// The store for its first writer.
    package let writer: any EventStore
    /// Opens the log once more, as another process of the same machine does.
    package let other: () throws -> any EventStore
    /// The folder of the store.
    let keeps: TemporaryFolder?
    /// Takes the log over, for a second writer; nil where one machine has the file.
    package let takeOver: (() throws -> any EventStore)?

    init(
        keeps: TemporaryFolder?, takeOver: (() throws -> any EventStore)?,
        opening open: @escaping () throws -> any EventStore
    ) throws {
        writer = try open()
        other = open
        self.keeps = keeps
        self.takeOver = takeOver
    }
}
