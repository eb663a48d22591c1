import DaybookDomain
import DaybookEncoding
import DaybookSystem

extension StoreFolder {
    private static let settingsLimit = 65_536

    /// The text of a new store's file: every setting with its standard value.
    static var standardSettings: String {
        let settings = Settings()
        let members = KnownSetting.all.map {
            JSON.Member(name: $0.key, value: $0.read(settings))
        }
        return numbered(members).text(pretty: true) + "\n"
    }

    /// The file's object with these members, and the number of its format.
    private static func numbered(_ members: [JSON.Member]) -> JSON {
        let number = JSON.int(FormatNumber.settings.current)
        return .object(
            [.init(name: versionMember, value: number)]
                + members.filter { !Text.equal($0.name, versionMember) })
    }

    /// The name of the member that has the format's number.
    static let versionMember = "version"

    /// Reads the settings again whenever the file has changed.
    ///
    /// So every process that uses a store follows what another one sets, from its next commit on.
    var presentSettings: @Sendable () throws -> Settings {
        let (kept, path) = (KeptFiles<Settings>(capacity: 1), settings)
        return {
            try kept.content(of: path, try Files.information(path)) { try readSettings() }
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
    /// Returns all settings as they are then.
    func changeSetting(_ known: KnownSetting, to value: JSON?) throws -> Settings {
        try changeSettingsFile { members in
            members.set(known.key, to: value)
            return try checked(.object(members))
        }
    }

    /// Changes members of `settings.json`; the file stays as it is if none of them changes.
    ///
    /// Two processes that change it at once wait for each other, so that neither change is lost.
    func changeSettingsFile<Result>(
        _ body: (inout [JSON.Member]) throws -> Result
    ) throws -> Result {
        let lock = try FileLock(directory: path)
        removeLeftovers()
        let before = try readSettingsFile().objectValue ?? []
        var members = before
        let result = try body(&members)
        if members != before { try writeSettingsFile(members) }
        _ = consume lock
        return result
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
        try checkNumber(of: json)
        return json
    }

    /// Refuses an unknown number; a file without one, as people write it, has the first.
    private func checkNumber(of file: JSON) throws {
        guard let member = file[Self.versionMember] else { return }
        guard let number = member.intValue.flatMap({ UInt64(exactly: $0) }) else {
            throw invalid("\(Self.versionMember) is no number")
        }
        try FormatNumber.settings.check(number) { DaybookError($0, in: "\(settings): ") }
    }

    /// Replaces `settings.json`; throws if the settings are too long to be read again.
    private func writeSettingsFile(_ members: [JSON.Member]) throws {
        let bytes = Bytes((Self.numbered(members).text(pretty: true) + "\n").utf8)
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

extension [JSON.Member] {
    /// Gives a member its value, in its place or at the end; nil removes it.
    mutating func set(_ name: String, to value: JSON?) {
        let index = firstIndex { Text.equal($0.name, name) }
        switch (index, value) {
        case (let index?, let value?): self[index].value = value
        case (nil, let value?): append(.init(name: name, value: value))
        case (let index?, nil): remove(at: index)
        case (nil, nil): break
        }
    }
}
