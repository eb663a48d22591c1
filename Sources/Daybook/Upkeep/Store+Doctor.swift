import DaybookEncoding
import DaybookLMDB
import DaybookLog
import DaybookMigrations
import DaybookPostgres
import DaybookReplay
import DaybookSystem

extension Store {
    /// Checks a store's surroundings, without changing it and without asking nodes.
    ///
    /// Checks versions and layouts, sizes, permissions, keys of wallets, settings, free disk space,
    /// the last checkpoint and the last time; `note` is a checkpoint that was kept outside. This is
    /// quick, unlike `verify`, which reads the whole log.
    ///
    /// - Throws: `checkpointInvalid`, `checkpointUnknownKey`, `otherLog`; problems of the store are
    ///   findings, not errors.
    public static func examine(
        at path: String, against note: String? = nil
    ) throws(DaybookError) -> [StoreFinding] {
        do {
            return try Doctor(
                folder: StoreFolder(path), note: note, now: Clock.nowMicroseconds()
            ).findings()
        } catch {
            throw DaybookError.from(error)
        }
    }

    /// Deletes the derived tables of a store, and rebuilds them from its events.
    ///
    /// Other processes may have the store open; they keep the tables that they have opened.
    /// `progress` is called with the numbers of folded events and of all events.
    ///
    /// - Throws: `storeMissing`, `storeAlreadyOpen`, `storeNotOwned`, `permissionDenied`.
    public static func rebuildDerived(
        at path: String,
        progress: @escaping (_ done: UInt64, _ all: UInt64) -> Void = { _, _ in }
    ) throws(DaybookError) {
        do {
            let folder = StoreFolder(path)
            try folder.logPlace().openWriting()
                .rebuildDerived(progress: progress)
        } catch {
            throw DaybookError.from(error)
        }
    }

    /// Migrates an older store to the layout that this program writes; opening it does so as well.
    ///
    /// Each step is one transaction, which a crash undoes; migrating again goes on with the rest.
    /// `progress` gets the layout that is being made, and how many entries of its tables are left.
    ///
    /// - Throws: `storeMissing`, `storeTooNew`, `developmentVersion`, `storeNotOwned`,
    ///   `permissionDenied`, `diskFull`.
    public static func migrate(
        at path: String, progress: (_ layout: UInt64, _ left: UInt64) -> Void = { _, _ in }
    ) throws(DaybookError) -> StoreMigration {
        do {
            let folder = StoreFolder(path)
            if case .database(let url, _, _) = try folder.logPlace() {
                let made = try PostgresDatabase(.shared(url.database)).prepare()
                return StoreMigration(from: made.from, to: made.to)
            }
            let before = try EventLog.layout(at: folder.log)
            _ = try Migrations.openLog(at: folder.log, progress: progress)
            return StoreMigration(from: before, to: try EventLog.layout(at: folder.log))
        } catch {
            throw DaybookError.from(error)
        }
    }
}

/// The result of a migration.
public struct StoreMigration: Codable, Hashable, Sendable {
    /// The layout that the store had.
    public let from: UInt64
    /// The layout that it has.
    public let to: UInt64

    /// A result for previews and tests of a front end.
    public init(from: UInt64, to: UInt64) {
        (self.from, self.to) = (from, to)
    }
}

/// The result of one check of a store.
public struct StoreFinding: Codable, Hashable, Sendable {
    /// How serious a finding is.
    public enum Status: String, Codable, Hashable, Sendable, CaseIterable {
        /// As it should be.
        case ok
        /// It works, but should be fixed.
        case warning
        /// It does not work, or is not safe.
        case problem
    }

    /// The subject of the check, such as `log`, `keys` or `disk`.
    public let about: String
    /// How serious it is.
    public let status: Status
    /// The finding in one sentence.
    public let message: String
    /// The remedy; nil if there is none.
    public let advice: String?

    /// A finding for previews and tests of a front end.
    public init(_ about: String, _ status: Status, _ message: String, advice: String? = nil) {
        self.about = about
        self.status = status
        self.message = message
        self.advice = advice
    }
}
