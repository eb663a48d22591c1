import DaybookDomain
public import DaybookEncoding
import DaybookLog
import DaybookReplay

extension Store {
    /// Adds a witness, which is asked to cosign each checkpoint; one with the same key is replaced.
    ///
    /// A witness keeps the last checkpoint of a log that it has seen, and cosigns another one only
    /// if its log continues it: so a log that was changed afterwards is found out, also by those
    /// who have kept nothing. `key` is its verifier key, `name+hash+base64`, of type 4.
    ///
    /// For example:
    ///
    ///     try await store.addWitness("https://witness.example", key: key)
    ///
    /// - Throws: `invalidWitnessURL`, `invalidWitnessKey`, `tooManyWitnesses`, `settingsInvalid`.
    @discardableResult
    public func addWitness(_ url: String, key: String) throws(DaybookError) -> LogWitness {
        try convertingErrors {
            let witness = try KnownWitness(url: url, key: key)
            try checkFolder()
            try witnessSettings.add(witness)
            return try journal.log.read { log in
                LogWitness(witness, try log.lastCosigned(by: [witness.key])[witness.key], nil)
            }
        }
    }

    /// Removes the witness with a key. Its cosignatures stay in the log.
    ///
    /// - Throws: `unknownWitness`, `invalidWitnessKey`, `settingsInvalid`.
    public func removeWitness(_ key: String) throws(DaybookError) {
        try convertingErrors {
            try checkFolder()
            guard try witnessSettings.remove(try KnownWitness.key(key)) else {
                throw DaybookError(.unknownWitness, .refused, "no witness with this key is set")
            }
        }
    }

    /// The witnesses in the order in which they were added, with what each of them covers.
    ///
    /// - Throws: `settingsInvalid`.
    public func witnesses() throws(DaybookError) -> [LogWitness] {
        try convertingErrors {
            let all = try witnessSettings.witnesses()
            let problems = try witnessSettings.problems()
            let covered = try journal.log.read { try $0.lastCosigned(by: all.map(\.key)) }
            return all.map { LogWitness($0, covered[$0.key], problems[$0.key.text]) }
        }
    }

    nonisolated var witnessSettings: WitnessSettings {
        WitnessSettings(folder: StoreFolder(path))
    }

    /// Asks all witnesses at the same time to cosign a checkpoint, and records their cosignatures.
    ///
    /// Other calls of the store go on meanwhile. A witness that fails is in the result; the
    /// checkpoint stands without it.
    func cosigned(_ made: LogCheckpoint) async throws -> LogCheckpoint {
        let witnesses = try witnessSettings.witnesses()
        if witnesses.isEmpty { return made }
        let note = try SignedNote(Bytes(made.note.utf8))
        let known = try journal.log.read { try $0.lastCosigned(by: witnesses.map(\.key)) }
        let answers = await withTaskGroup(of: (Int, Result<Cosignature, any Error>).self) { group in
            for (index, witness) in witnesses.enumerated() {
                let last = min(known[witness.key]?.size ?? 0, made.size)
                group.addTask {
                    (index, await self.answer(of: witness, to: note, made.size, after: last))
                }
            }
            var all: [(Int, Result<Cosignature, any Error>)] = []
            for await answer in group { all.append(answer) }
            return all.sorted { $0.0 < $1.0 }.map(\.1)
        }
        return try await record(Array(zip(witnesses, answers)), of: made, note)
    }

    private nonisolated func answer(
        of witness: KnownWitness, to note: SignedNote, _ size: UInt64, after last: UInt64
    ) async -> Result<Cosignature, any Error> {
        do {
            let client = WitnessClient(witness)
            let cosignature = try await client.cosignature(of: note, size: size, after: last) {
                try await self.consistency(from: $0, to: size)
            }
            let now = clock()
            let difference = max(now, cosignature.time) - min(now, cosignature.time)
            guard difference <= ClockCheck.tolerance else {
                throw client.failure(
                    .witnessClockOff,
                    "it signs at \(Timestamp.readable(cosignature.time)), and here it is "
                        + "\(Timestamp.readable(now)): set the clock that is wrong")
            }
            return .success(cosignature)
        } catch {
            return .failure(error)
        }
    }

    private func consistency(from old: UInt64, to new: UInt64) throws -> ConsistencyProof {
        // The empty tree begins every tree, and nothing proves it.
        if old == 0 { return ConsistencyProof(hashes: []) }
        return try journal.log.read { try $0.consistencyProof(from: old, to: new) }
    }

    private func record(
        _ answers: [(KnownWitness, Result<Cosignature, any Error>)], of made: LogCheckpoint,
        _ note: SignedNote
    ) async throws -> LogCheckpoint {
        var inputs: [Journal.Input] = []
        var lines: [NoteSignature] = []
        var problems: [String: DaybookError] = [:]
        for (witness, answer) in answers {
            switch answer {
            case .success(let cosignature):
                lines.append(witness.key.signature(cosignature))
                inputs.append(
                    .init(
                        .checkpointCosigned(
                            CheckpointCosigned(
                                checkpoint: made.position, key: witness.key.text,
                                line: cosignature.bytes))))
            case .failure(let error): problems[witness.key.text] = DaybookError.from(error)
            }
        }
        if !inputs.isEmpty {
            let inputs = inputs
            try await journal.record { _, _, _ in inputs }
        }
        try witnessSettings.note(
            problems, forgetting: answers.map(\.0.key).filter { problems[$0.text] == nil })
        return made.adding(
            note: String(decoding: note.adding(lines).bytes, as: UTF8.self),
            problems: answers.compactMap { problems[$0.0.key.text] })
    }
}

extension LogSnapshot {
    /// The largest checkpoints that witnesses have cosigned, by the recorded cosignatures.
    func lastCosigned(
        by keys: [WitnessKey]
    ) throws -> [WitnessKey: (size: UInt64, time: UInt64)] {
        var found: [WitnessKey: (size: UInt64, time: UInt64)] = [:]
        if keys.isEmpty { return found }
        let positions = try positions(ofStream: StreamName.cosignatures)
        // The last event of each witness is among the last ones, unless it is silent for long.
        for position in positions.reversed().prefix(Self.searched) {
            guard let record = try record(at: position),
                case .checkpointCosigned(let data) = try record.event()?.payload,
                let key = keys.first(where: { Text.equal($0.text, data.key) }),
                found[key] == nil, let cosignature = Cosignature(data.line)
            else { continue }
            found[key] = (data.checkpoint.number, cosignature.time)
            if found.count == keys.count { break }
        }
        return found
    }

    private static let searched = 10_000

    /// The positions that the witnesses cover, by the recorded cosignatures.
    func coverage(by keys: [WitnessKey]) throws -> Coverage {
        var coverage = Coverage()
        let found = try lastCosigned(by: keys)
        for key in keys {
            guard let last = found[key] else { continue }
            coverage.add(Coverage.Voucher(key), size: last.size, at: last.time)
        }
        return coverage
    }
}

/// A witness that is asked to cosign a store's checkpoints.
public struct LogWitness: Codable, Hashable, Sendable, Identifiable {
    /// Its name, by which nobody should trust it: the key counts.
    public let name: String
    /// The address at which it is asked.
    public let url: String
    /// Its public key, in the format https://c2sp.org/signed-note.
    public let key: String
    /// The last position that it has cosigned; nil if there is none.
    public let through: Position?
    /// Why it did not cosign the last checkpoint; nil if it did, or was not asked yet.
    public let problem: DaybookError?

    /// The key.
    public var id: String { key }

    /// Whether nobody else can read what it is asked, because it is on this machine.
    package var isOnThisMachine: Bool { (try? NodeURL(parsing: url))?.isLoopback ?? false }

    /// A witness for previews and tests of a front end.
    public init(
        name: String, url: String, key: String, through: Position? = nil,
        problem: DaybookError? = nil
    ) {
        (self.name, self.url, self.key) = (name, url, key)
        (self.through, self.problem) = (through, problem)
    }

    init(
        _ witness: KnownWitness, _ last: (size: UInt64, time: UInt64)?, _ problem: DaybookError?
    ) {
        self.init(
            name: witness.key.nameText, url: witness.url, key: witness.key.text,
            through: last.flatMap { $0.size > 0 ? Position($0.size - 1) : nil }, problem: problem)
    }
}
