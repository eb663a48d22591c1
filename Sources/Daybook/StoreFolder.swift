import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookMigrations
import DaybookSystem

/// The folder of a store: `log/`, `keys/`, `sandbox/`, `settings.json`.
struct StoreFolder {
    let path: String

    init(_ path: String) {
        self.path = path
    }

    var log: String { path + "/log" }
    var keys: String { path + "/keys" }
    var sandbox: String { path + "/sandbox" }
    var settings: String { path + "/settings.json" }

    private static let settingsLimit = 65_536

    /// Makes a store. The log comes last and appears at once, so that whatever a crash leaves is
    /// either a whole store or parts of one, which the next creation completes.
    static func create(_ path: String, logID: Bytes? = nil) throws {
        let folder = StoreFolder(path)
        try Files.createDirectories(path, mode: 0o700)
        let parts = ["keys", "sandbox", "settings.json"]
        var leftovers: [String] = []
        for name in try Files.list(path) where name != "log" {
            if name.hasPrefix("settings.json."), name.hasSuffix(".new") {
                leftovers.append(path + "/" + name)
                continue
            }
            let isOurs = parts.contains(name) || name.hasPrefix("log.") || name.hasPrefix(".")
            guard isOurs else {
                throw DaybookError("folderNotEmpty", .store, "\(path) is not empty")
            }
        }
        if try Files.exists(folder.log) {
            throw DaybookError("storeExists", .store, "\(path) holds a store already")
        }
        try Files.createDirectories(folder.keys, mode: 0o700)
        guard try Files.list(folder.keys).isEmpty else {
            throw DaybookError(
                "folderNotEmpty", .store, "\(folder.keys) holds keys of an earlier store")
        }
        for leftover in leftovers { try Files.remove(leftover) }
        try Files.createDirectories(folder.sandbox, mode: 0o700)
        try Files.writeAtomically(
            folder.settings, Bytes(standardSettings.utf8), mode: 0o600)
        _ = try Migrations.createLog(at: folder.log, id: logID)
    }

    private static var standardSettings: String {
        let settings = Settings()
        return JSON.object([
            .init(name: "expirySeconds", value: .number(String(settings.expirySeconds))),
            .init(
                name: "freeUnlockFailures",
                value: .number(String(settings.freeUnlockFailures))),
        ]).text(pretty: true) + "\n"
    }

    /// The settings as the user left them; a name that is absent has its standard value.
    func readSettings() throws -> Settings {
        var settings = Settings()
        guard try Files.exists(self.settings) else { return settings }
        let json: JSON
        do {
            json = try JSON.parse(try Files.read(self.settings, limit: Self.settingsLimit))
        } catch let error as JSONError {
            throw DaybookError("settingsInvalid", .store, "\(self.settings): \(error)")
        }
        guard case .object = json else {
            throw DaybookError(
                "settingsInvalid", .store, "\(self.settings): this is no JSON object")
        }
        settings.expirySeconds = try number("expirySeconds", json, 1...86_400)
            ?? settings.expirySeconds
        settings.freeUnlockFailures = try number("freeUnlockFailures", json, 1...100)
            ?? settings.freeUnlockFailures
        return settings
    }

    private func number(_ name: String, _ json: JSON, _ range: ClosedRange<Int64>) throws
        -> UInt64?
    {
        guard let value = json[name] else { return nil }
        guard let number = value.intValue, range.contains(number) else {
            throw DaybookError(
                "settingsInvalid", .store,
                "\(settings): \(name) is not a number from \(range.lowerBound) "
                    + "to \(range.upperBound)")
        }
        return UInt64(number)
    }
}
