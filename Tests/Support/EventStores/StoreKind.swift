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
            _ = try Migrations.createLog(at: folder.path + "/log", id: log, by: nil)
            let environment = try Environment(folder.path + "/log")
            return StoreOfKind(
                writer: try LMDBEvents(environment, at: folder.path + "/log"), keeps: folder,
                takeOver: nil)
        case .memory:
            let store = MemoryEvents(log: log)
            return StoreOfKind(writer: store, keeps: nil) { store.takenOver() }
        case .postgres:
            let pool = PostgresPool(try TemporaryPostgres.shared.get().database)
            let database = PostgresDatabase(pool)
            try database.prepare()
            try database.create(log: log)
            return StoreOfKind(
                writer: PostgresEvents(pool, log: log, epoch: 1), keeps: nil
            ) {
                PostgresEvents(pool, log: log, epoch: try database.takeOver(log: log))
            }
        }
    }
}

/// A store of events for one test.
package struct StoreOfKind {
    /// The store for its first writer.
    package let writer: any EventStore
    /// What the store lies in.
    let keeps: TemporaryFolder?
    /// Takes the log over, for a second writer; nil where one machine has the file.
    package let takeOver: (() throws -> any EventStore)?

    init(
        writer: any EventStore, keeps: TemporaryFolder?,
        takeOver: (() throws -> any EventStore)?
    ) {
        self.writer = writer
        self.keeps = keeps
        self.takeOver = takeOver
    }
}
