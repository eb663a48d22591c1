import DaybookEncoding
import DaybookLog
import DaybookSystem

/// A witness that a store asks to cosign its checkpoints.
struct KnownWitness: Equatable, Sendable {
    /// The address to which the paths of https://c2sp.org/tlog-witness are added.
    let url: String
    let key: WitnessKey

    /// A witness at an address, in its canonical spelling.
    ///
    /// - Throws: `invalidWitnessURL`, `invalidWitnessKey`.
    init(url: String, key: String) throws(DaybookError) {
        let address = try NodeURL(parsing: url, of: "witness's", or: .invalidWitnessURL)
        self.url = Self.withoutSlash(address.text)
        self.key = try Self.key(key)
    }

    /// Parses a witness's key.
    ///
    /// - Throws: `invalidWitnessKey`.
    static func key(_ text: String) throws(DaybookError) -> WitnessKey {
        do throws(NoteError) {
            return try WitnessKey(text)
        } catch {
            throw DaybookError(
                .invalidWitnessKey, .usage,
                "this is no witness's key: \(error); it is name+hash+base64, of type 4")
        }
    }

    private static func withoutSlash(_ text: String) -> String {
        text.hasSuffix("/") ? String(text.dropLast()) : text
    }
}

/// The witnesses of a store, which `settings.json` lists, and the problems of those that failed.
///
/// The file is read each time, because another process may change it.
struct WitnessSettings: Sendable {
    let folder: StoreFolder

    static let member = "witnesses"
    /// How many witnesses a store has at most.
    private static let limit = 16
    private static let problemBytes = 65_536

    /// The witnesses, in the order in which they were added.
    func witnesses() throws -> [KnownWitness] {
        try witnesses(in: try folder.readSettingsFile())
    }

    /// Adds a witness; one with the same key is replaced.
    func add(_ witness: KnownWitness) throws {
        try change { witnesses in
            if let index = witnesses.firstIndex(where: { $0.key == witness.key }) {
                witnesses[index] = witness
            } else {
                witnesses.append(witness)
            }
            guard witnesses.count <= Self.limit else {
                throw DaybookError(
                    .tooManyWitnesses, .usage, "a store has at most \(Self.limit) witnesses")
            }
        }
        try note([:], forgetting: [witness.key])
    }

    /// Removes the witness with a key; false if there is none.
    func remove(_ key: WitnessKey) throws -> Bool {
        var isKnown = false
        try change { witnesses in
            isKnown = witnesses.contains { $0.key == key }
            witnesses.removeAll { $0.key == key }
        }
        try note([:], forgetting: [key])
        return isKnown
    }

    private func change(_ body: (inout [KnownWitness]) throws -> Void) throws {
        try folder.changeSettingsFile { members in
            let before = try witnesses(in: .object(members))
            var witnesses = before
            try body(&witnesses)
            guard witnesses != before else { return }
            let list = witnesses.map {
                JSON.record(["url": .string($0.url), "key": .string($0.key.text)])
            }
            members.set(Self.member, to: .array(list))
        }
    }

    private func witnesses(in settings: JSON) throws -> [KnownWitness] {
        guard let member = settings[Self.member] else { return [] }
        guard let entries = member.arrayValue, entries.count <= Self.limit else {
            throw invalid("witnesses is not a list of at most \(Self.limit) witnesses")
        }
        return try entries.map { entry in
            guard let url = entry["url"]?.stringValue, let key = entry["key"]?.stringValue else {
                throw invalid("a witness lacks a url or a key")
            }
            do throws(DaybookError) {
                return try KnownWitness(url: url, key: key)
            } catch {
                throw invalid(error.message)
            }
        }
    }

    private func invalid(_ reason: String) -> DaybookError {
        DaybookError("settingsInvalid", .store, "\(folder.settings): \(reason)")
    }
}

/// The problems are a note for people, which nothing depends on: a file that is lost or damaged
/// has none.
extension WitnessSettings {
    /// Why the last request to a witness failed, by the text of its key.
    func problems() throws -> [String: DaybookError] {
        guard let content = try? Files.read(folder.witnessProblems, limit: Self.problemBytes),
            let members = (try? JSON.parse(content))?.objectValue
        else { return [:] }
        var problems: [String: DaybookError] = [:]
        for member in members {
            guard let code = member.value["code"]?.stringValue,
                let message = member.value["message"]?.stringValue
            else { continue }
            problems[member.name] = DaybookError(DaybookError.Code(code), .node, message)
        }
        return problems
    }

    /// Notes the problems of witnesses that failed, and forgets those of others.
    func note(_ failed: [String: DaybookError], forgetting others: [WitnessKey]) throws {
        let before = try problems()
        var problems = before
        for key in others { problems[key.text] = nil }
        for (key, problem) in failed { problems[key] = problem }
        if problems == before { return }
        let file = JSON.object(
            problems.sorted { $0.key < $1.key }.map { key, problem in
                .init(
                    name: key,
                    value: .record([
                        "code": .string(problem.code.rawValue), "message": .string(problem.message),
                    ]))
            })
        try Files.createDirectories(folder.cache, mode: 0o700)
        try Files.writeAtomically(folder.witnessProblems, Bytes(file.text().utf8), mode: 0o600)
    }
}
