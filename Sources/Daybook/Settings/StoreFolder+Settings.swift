import DaybookDomain
import DaybookEncoding
import DaybookSystem

extension StoreFolder {
    private static let settingsLimit = 65_536

    /// The text of a new store's file: every setting with its standard value.
    static var standardSettings: String {
        let settings = Settings()
        return JSON.object(KnownSetting.all.map { .init(name: $0.key, value: $0.read(settings)) })
            .text(pretty: true) + "\n"
    }

    /// Reads the settings again whenever the file has changed.
    ///
    /// So every process that uses a store follows what another one sets, from its next commit on.
    var presentSettings: @Sendable () throws -> Settings {
        let kept = KeptFiles<Settings>(capacity: 1)
        return {
            let file = try Files.information(settings)
            return try kept.content(of: settings, file) { try readSettings() }
        }
    }

    /// The settings of the file; a missing one has its standard value.
    func readSettings() throws -> Settings { try checked(try readSettingsFile()) }

    /// The settings in the content of a file, every member of which must be known and valid.
    private func checked(_ file: JSON) throws -> Settings {
        var settings = Settings()
        for member in file.objectValue ?? [] {
            if KnownSetting.otherMembers.contains(where: { Text.equal($0, member.name) }) {
                continue
            }
            guard let known = KnownSetting.named(member.name) else {
                throw invalid(KnownSetting.unknown(member.name))
            }
            guard known.write(&settings, member.value) else {
                throw invalid("\(known.key) is not \(known.values)")
            }
        }
        return settings
    }

    /// Changes one setting and leaves the rest of the file as it is; nil removes it.
    ///
    /// Returns all settings as they are then. Two processes that change settings at once wait for
    /// each other, so that neither change is lost.
    func changeSetting(_ known: KnownSetting, to value: JSON?) throws -> Settings {
        let lock = try FileLock(directory: path)
        removeLeftovers()
        var members = try readSettingsFile().objectValue ?? []
        let index = members.firstIndex { Text.equal($0.name, known.key) }
        switch (index, value) {
        case (let index?, let value?): members[index].value = value
        case (nil, let value?): members.append(.init(name: known.key, value: value))
        case (let index?, nil): members.remove(at: index)
        case (nil, nil): break
        }
        let changed = JSON.object(members)
        let settings = try checked(changed)
        try writeSettingsFile(changed)
        _ = consume lock
        return settings
    }

    /// The content of `settings.json`; an empty object if the file is missing.
    func readSettingsFile() throws -> JSON {
        guard try Files.exists(settings) else { return .object([]) }
        let json: JSON
        do {
            json = try JSON.parse(try Files.read(settings, limit: Self.settingsLimit))
        } catch let error as JSONError {
            throw invalid("\(error)")
        } catch let error as SystemError where error.code == .invalidArgument {
            throw invalid("it is a pipe or a device")
        }
        guard case .object = json else { throw invalid("this is no JSON object") }
        return json
    }

    /// Replaces `settings.json`; throws if the settings are too long to be read again.
    func writeSettingsFile(_ json: JSON) throws {
        let bytes = Bytes((json.text(pretty: true) + "\n").utf8)
        guard bytes.count <= Self.settingsLimit else {
            throw DaybookError(
                "settingsInvalid", .store,
                "\(settings) would have more than \(Self.settingsLimit) bytes")
        }
        try Files.writeAtomically(settings, bytes, mode: 0o600)
    }

    private func invalid(_ reason: String) -> DaybookError {
        DaybookError("settingsInvalid", .store, "\(settings): \(reason)")
    }
}
