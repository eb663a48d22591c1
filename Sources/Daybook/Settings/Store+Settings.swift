import DaybookDomain
import DaybookEncoding

extension Store {
    /// The settings that decisions depend on, as `settings.json` has them.
    ///
    /// For example:
    ///
    ///     for setting in try await store.settings() {
    ///         show(setting.key, setting.value, setting.help)
    ///     }
    ///
    /// - Throws: `settingsInvalid`.
    public func settings() throws(DaybookError) -> StoreSettings {
        try convertingErrors {
            let settings = try StoreFolder(path).readSettings()
            return KnownSetting.all.map { StoreSetting($0, in: settings) }
        }
    }

    /// One of the settings.
    ///
    /// - Throws: `unknownSetting`, `settingsInvalid`.
    public func setting(_ key: String) throws(DaybookError) -> StoreSetting {
        try convertingErrors {
            StoreSetting(try Self.known(key), in: try StoreFolder(path).readSettings())
        }
    }

    /// Changes a setting durably; nil gives it its standard value again.
    ///
    /// A list is written with commas. Every process that uses the store follows from its next
    /// commit on, which begins a session and records all settings. For example:
    ///
    ///     try await store.set("expirySeconds", to: "900")
    ///     try await store.set("blockedSenders", to: "spammer,impostor")
    ///     try await store.set("expirySeconds", to: nil)
    ///
    /// - Throws: `unknownSetting` and `invalidSetting` for the call, `settingsInvalid` if something
    ///   else in the file is wrong, `permissionDenied`, `diskFull`.
    @discardableResult
    public func set(_ key: String, to value: String?) throws(DaybookError) -> StoreSetting {
        try convertingErrors {
            let known = try Self.known(key)
            let json = value.map(known.parse)
            var trial = Settings()
            if let json, !known.write(&trial, json) {
                throw DaybookError(.invalidSetting, .usage, "\(known.key) is \(known.values)")
            }
            try checkFolder()
            let settings = try StoreFolder(path).changeSetting(known, to: json)
            return StoreSetting(known, in: settings)
        }
    }

    private static func known(_ key: String) throws -> KnownSetting {
        guard let known = KnownSetting.named(key) else {
            throw DaybookError(.unknownSetting, .usage, KnownSetting.unknown(key))
        }
        return known
    }
}

/// All settings of a store, in the order in which the documents list them.
public typealias StoreSettings = [StoreSetting]

/// A setting of a store, with its value.
public struct StoreSetting: Codable, Hashable, Sendable, Identifiable {
    /// The key in `settings.json`, such as `expirySeconds`.
    public let key: String
    /// The value as text; a list has commas.
    public let value: String
    /// The value of a store that does not set it.
    public let standard: String
    /// The values that it takes, in words.
    public let values: String
    /// Its effect, in one line.
    public let help: String
    /// Whether it is a list of texts, else a number.
    public let isList: Bool

    /// The key.
    public var id: String { key }

    /// A setting for previews and tests of a front end.
    public init(
        key: String, value: String, standard: String, values: String, help: String,
        isList: Bool = false
    ) {
        (self.key, self.value, self.standard) = (key, value, standard)
        (self.values, self.help, self.isList) = (values, help, isList)
    }

    init(_ known: KnownSetting, in settings: Settings) {
        let json = known.read(settings)
        key = known.key
        value = Self.text(json)
        standard = Self.text(known.read(Settings()))
        values = known.values
        help = known.help
        isList = json.arrayValue != nil
    }

    private static func text(_ json: JSON) -> String {
        json.arrayValue?.compactMap(\.stringValue).joined(separator: ",") ?? json.text()
    }
}
