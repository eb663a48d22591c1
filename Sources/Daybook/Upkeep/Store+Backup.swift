import DaybookEncoding
import DaybookLMDB
import DaybookLog
import DaybookPostgres
import DaybookSystem

extension Store {
    /// Copies this store, while it is in use, to a new folder; see `backup(of:to:)`.
    ///
    /// The store answers other calls meanwhile. `progress` gets the numbers of verified events and
    /// of all. If the task is cancelled, nothing remains of the copy.
    ///
    /// - Throws: what `backup(of:to:)` throws, and `callCancelled`.
    public nonisolated func backup(
        to target: String, progress: WorkProgress? = nil
    ) async throws(DaybookError) -> StoreBackup {
        try await LongWork.run(reporting: progress) { [self] work in
            let count = try log.count()
            let folder = StoreFolder(path)
            return try Self.backup(folder, to: target) {
                try folder.logPlace().copy(log, to: $0)
                try work.check()
            } progress: { table, entries in
                if Text.equal(table, "events") {
                    try work.report(min(entries, count), of: count)
                } else {
                    try work.check()
                }
            }
        }
    }

    /// Copies a store, which may be in use, to a new folder, and verifies the copy.
    ///
    /// The copy is built under another name and renamed once `verify` has found no problem. It
    /// holds the log, the sealed keys, the log's key, the settings and the sandbox, but not
    /// `credentials.json`: the nodes' passwords can be set again. Protect it like the store: its
    /// log key can sign for the log. `progress` is called as `verify` of the copy calls it.
    ///
    /// - Throws: `backupExists`, `backupInside`, `backupNotWhole`, `storeMissing`, `diskFull`.
    public static func backup(
        of path: String, to target: String,
        progress: @escaping (_ table: String, _ entries: UInt64) -> Void = { _, _ in }
    ) throws(DaybookError) -> StoreBackup {
        let folder = StoreFolder(path)
        return try backup(folder, to: target, copyingLog: { building in
            let place = try folder.logPlace()
            try place.copy(try place.openReading(), to: building)
        }, progress: progress)
    }

    private static func backup(
        _ folder: StoreFolder, to target: String, copyingLog copyLog: (String) throws -> Void,
        progress: @escaping (_ table: String, _ entries: UInt64) throws -> Void
    ) throws(DaybookError) -> StoreBackup {
        do {
            var target = target[...]
            while target.count > 1, target.last == "/" { target.removeLast() }
            return try folder.backUp(
                to: String(target), copyingLog: copyLog, progress: progress)
        } catch {
            throw DaybookError.from(error)
        }
    }
}

extension StoreFolder {
    fileprivate func backUp(
        to target: String, copyingLog copyLog: (String) throws -> Void,
        progress: @escaping (_ table: String, _ entries: UInt64) throws -> Void
    ) throws -> StoreBackup {
        if case .folder(let log) = try logPlace(), try !Files.exists(log) {
            throw LogError.missing(path: log)
        }
        let parent = Files.parent(of: target)
        try Files.createDirectories(parent, mode: 0o700)
        let resolved = try Files.resolved(parent) + "/"
        if resolved.hasPrefix(try Files.resolved(path) + "/") {
            throw DaybookError("backupInside", .usage, "\(target) lies in the store itself")
        }
        // Of two backups at once, the second one waits and finds the first one's folder.
        let lock = try FileLock(directory: parent)
        if try Files.exists(target) {
            throw DaybookError("backupExists", .refused, "something exists at \(target) already")
        }
        let building = StoreFolder(target + ".creating")
        if try Files.exists(building.path) { try Files.removeTree(building.path) }
        do {
            try copy(to: building, copyLog)
            let found = try Store.verification(of: building, nil, progress)
            if let problem = found.problems.first {
                throw DaybookError(
                    "backupNotWhole", .refused,
                    "the store is damaged, and its copy was removed: \(problem.message) in "
                        + "'\(problem.table)'; `verify` says more", position: problem.position)
            }
            try Files.renameDurably(building.path, to: target)
            _ = consume lock
            return StoreBackup(
                events: found.events, root: found.root, path: try Files.resolved(target))
        } catch {
            // If this fails, the next backup removes the rest.
            try? Files.removeTree(building.path)
            throw error
        }
    }

    /// Copies the parts of a store, the log before the keys.
    ///
    /// A wallet's key is sealed before the wallet is recorded, so that no wallet lacks its key.
    private func copy(
        to copy: StoreFolder, _ copyLog: (String) throws -> Void
    ) throws {
        try Files.createDirectory(copy.path, mode: 0o700)
        try copyLog(copy.log)
        for (from, to) in [(logKey, copy.logKey), (settings, copy.settings)]
        where try Files.exists(from) {
            try copyFile(from, to: to)
        }
        try Files.createDirectory(copy.keys, mode: 0o700)
        for name in try Files.exists(keys) ? Files.list(keys) : []
        where name.hasSuffix(".key") || name.hasSuffix(".watch") {
            try copyFile("\(keys)/\(name)", to: "\(copy.keys)/\(name)")
        }
        try Files.syncDirectory(copy.keys)
        try Files.createDirectory(copy.sandbox, mode: 0o700)
        if try Files.exists(sandbox + "/data.mdb") {
            try Environment.copyFile(of: sandbox, to: copy.sandbox)
        }
        try Files.syncDirectory(copy.path)
    }

    private func copyFile(_ path: String, to new: String) throws {
        try Files.copy(path, to: new, mode: 0o600)
        try Files.syncFile(new)
    }
}

/// A verified copy of a store.
public struct StoreBackup: Codable, Hashable, Sendable {
    /// The number of events.
    public let events: UInt64
    /// The root of the tree over them, in hex.
    public let root: String
    /// The new folder.
    public let path: String

    /// A result for previews and tests of a front end.
    public init(events: UInt64, root: String, path: String) {
        (self.events, self.root, self.path) = (events, root, path)
    }
}
