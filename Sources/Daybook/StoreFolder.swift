import DaybookCrypto
import DaybookEncoding
import DaybookLog
import DaybookMigrations
import DaybookPostgres
import DaybookSigner
import DaybookSystem

/// The folder of a store: `log/` or `log.json`, `log.key`, `keys/`, `sandbox/`, `cache/`,
/// `settings.json`, `credentials.json`, `sending.lock`, `keys.lock`.
struct StoreFolder: Sendable {
    let path: String

    init(_ path: String) {
        self.path = path
    }

    var log: String { path + "/log" }
    /// Where the log lies: in `log/`, or in the database that `log.json` names.
    func logPlace() throws -> LogLocation { try LogLocation(ofStore: path) }
    /// The key that signs the log's checkpoints; beside `log/`, which can be copied without it.
    var logKey: String { path + "/log.key" }
    var keys: String { path + "/keys" }
    var sandbox: String { path + "/sandbox" }
    var settings: String { path + "/settings.json" }
    var cache: String { path + "/cache" }
    /// Why witnesses did not cosign the last checkpoint, for people.
    var witnessProblems: String { cache + "/witnesses.json" }
    /// A cache of transactions that nodes returned.
    var transactionCache: String { cache + "/transactions" }
    /// The users and passwords of nodes; missing if no node has any.
    var credentials: String { path + "/credentials.json" }

    /// Holds the send locks; has no content.
    var sendingLock: String { path + "/sending.lock" }

    /// Creates a store.
    ///
    /// The log is created last, in one step: a crash leaves either a whole store or parts of one,
    /// which the next creation completes.
    static func create(_ path: String, logID: Bytes? = nil) throws {
        let folder = try prepare(path)
        _ = try Migrations.createLog(at: folder.log, id: logID)
    }

    /// Makes the parts of a store but its log.
    static func prepare(_ path: String) throws -> StoreFolder {
        let folder = StoreFolder(path)
        try Files.createDirectories(path, mode: 0o700)
        let parts = [
            "keys", "keys.lock", "derived", "sandbox", "cache", "settings.json",
            "credentials.json", "sending.lock",
        ]
        for name in try Files.list(path) where name != "log" {
            let isOurs = parts.contains(name) || isLeftover(name) || name.hasPrefix("log.")
                || name.hasPrefix(".")
            guard isOurs else {
                throw DaybookError("folderNotEmpty", .store, "\(path) is not empty")
            }
        }
        if try Files.exists(folder.log) || Files.exists(LogLocation.file(in: path)) {
            throw DaybookError("storeExists", .store, "\(path) holds a store already")
        }
        // Keys are sealed only in a folder for its owner alone, and this one may be made by hand.
        if try Files.information(path)?.owner == Files.currentUser {
            try Files.setMode(0o700, of: path)
        }
        try Files.createDirectories(folder.keys, mode: 0o700)
        guard try Files.list(folder.keys).isEmpty else {
            throw DaybookError(
                "folderNotEmpty", .store, "\(folder.keys) holds keys of an earlier store")
        }
        folder.removeLeftovers()
        try Files.createDirectories(folder.sandbox, mode: 0o700)
        try Files.writeAtomically(
            folder.settings, Bytes(standardSettings.utf8), mode: 0o600)
        _ = try folder.makeLogKey()
        return folder
    }

    /// Removes temporary files that a crash left behind.
    func removeLeftovers() {
        for file in [settings, credentials, logKey] { NewFile.removeLeftovers(of: file) }
    }

    private static func isLeftover(_ name: String) -> Bool {
        name.hasSuffix(".new")
            && ["settings.json.", "credentials.json.", "log.key."].contains(
                where: name.hasPrefix)
    }
}

extension StoreFolder {
    /// The log's key, created if it is missing.
    func makeLogKey() throws -> Ed25519PrivateKey {
        // Of two processes at once, the second one waits and finds the first one's key.
        let lock = try FileLock(directory: path)
        let file = LogKeyFile(path: logKey)
        if try file.exists() {
            _ = consume lock
            return try Self.key(in: file)
        }
        var seed = try Entropy.bytes(Ed25519PrivateKey.length)
        let key = try file.make(from: &seed)
        _ = consume lock
        return key
    }

    private static func key(in file: LogKeyFile) throws -> Ed25519PrivateKey {
        do throws(KeystoreError) {
            return try file.read()
        } catch .damaged {
            throw DaybookError(
                "logKeyDamaged", .store,
                "\(file.path) is not as it was written; put it back from a backup")
        } catch {
            throw error
        }
    }

    /// The public part of the log's key; nil if there is none.
    func logVerifierKey(ofLog logID: [UInt8]) throws -> NoteVerifierKey? {
        let file = LogKeyFile(path: logKey)
        guard try file.exists() else { return nil }
        return NoteVerifierKey(name: .ofLog(logID), publicKey: try Self.key(in: file).publicKey)
    }
}
