import DaybookEncoding
import DaybookLMDB
import DaybookLog
import DaybookMigrations
import DaybookReplay
import DaybookSystem

extension Store {
    /// Looks at everything around a store without changing it, and without asking any node.
    ///
    /// Versions and layouts, sizes, permissions, keys against wallets, settings, free disk space,
    /// the last checkpoint and the last time; `note` is a checkpoint that was kept outside. It is
    /// quick: `verify` reads what is in the store.
    ///
    /// - Throws: `checkpointInvalid`, `checkpointUnknownKey`, `otherLog`; what is wrong with the
    ///   store is no error but a finding.
    public static func examine(
        at path: String, against note: String? = nil
    ) throws -> [StoreFinding] {
        do {
            return try Examination(
                folder: StoreFolder(path), note: note, now: Clock.nowMicroseconds()
            ).findings()
        } catch {
            throw DaybookError.from(error)
        }
    }

    /// Deletes what follows from a store's log, and makes it again from the events.
    ///
    /// Others may have the store open meanwhile: they go on with what they have.
    /// `progress` hears how many of how many events were taken in.
    ///
    /// - Throws: `storeMissing`, `storeAlreadyOpen`, `storeNotOwned`, `permissionDenied`.
    public static func rebuildDerived(
        at path: String,
        progress: @escaping (_ done: UInt64, _ all: UInt64) -> Void = { _, _ in }
    ) throws {
        do {
            let folder = StoreFolder(path)
            try Migrations.openLog(at: folder.log, by: StateFold())
                .rebuildDerived(progress: progress)
        } catch {
            throw DaybookError.from(error)
        }
    }

    /// Brings an older store to the layout that this program writes; opening it does so as well.
    ///
    /// Each step is a transaction: what a crash cuts off is as it was before.
    ///
    /// - Throws: `storeMissing`, `storeTooNew`, `storeNotOwned`, `permissionDenied`, `diskFull`.
    public static func migrate(at path: String) throws -> StoreMigration {
        do {
            let folder = StoreFolder(path)
            let before = try EventLog.layout(at: folder.log)
            _ = try Migrations.openLog(at: folder.log, by: StateFold())
            return StoreMigration(from: before, to: try EventLog.layout(at: folder.log))
        } catch {
            throw DaybookError.from(error)
        }
    }
}

/// What bringing a store up to date has changed.
public struct StoreMigration: Equatable, Sendable {
    /// The layout that the store had.
    public let from: UInt64
    /// The layout that it has.
    public let to: UInt64
}

/// Something that was looked at in a store, and how it was found.
public struct StoreFinding: Equatable, Sendable {
    /// How it is.
    public enum Status: String, Sendable {
        /// As it should be.
        case ok
        /// It works, and should be mended.
        case warning
        /// It does not work, or is not safe.
        case problem
    }

    /// What was looked at, such as `log`, `keys` or `disk`.
    public let about: String
    /// How it is.
    public let status: Status
    /// What was found, in one sentence.
    public let message: String
    /// What to do about it; nil where there is nothing to do.
    public let advice: String?

    init(_ about: String, _ status: Status, _ message: String, advice: String? = nil) {
        self.about = about
        self.status = status
        self.message = message
        self.advice = advice
    }
}
