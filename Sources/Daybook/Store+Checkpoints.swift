import DaybookCrypto
import DaybookDomain
public import DaybookEncoding
import DaybookLog
import DaybookReplay
import DaybookSigner

extension Store {
    /// Signs the log's tree head, records it with digests of the state, and returns the checkpoint.
    ///
    /// For example, keep `try store.checkpoint().note` on another machine: `verify` can then tell
    /// whether the store was rolled back or has forked. The whole state is read for it, while other
    /// writers wait.
    ///
    /// The witnesses that were added are asked to cosign it; the result says who failed.
    ///
    /// The key is the log's own, in `log.key`. If another key signed earlier checkpoints, as in an
    /// imported log, `withNewKey` must confirm the change; tell everyone who trusts the old key.
    ///
    /// - Throws: `logKeyMissing`, `logKeyChanged`, `logKeyDamaged`, `permissionDenied`, `diskFull`.
    public func checkpoint(withNewKey: Bool = false) async throws(DaybookError) -> LogCheckpoint {
        try await convertingErrors {
            try await cosigned(try await ownCheckpoint(withNewKey: withNewKey))
        }
    }

    /// A checkpoint that no witness is asked about.
    func ownCheckpoint(withNewKey: Bool = false) async throws -> LogCheckpoint {
        let logID = try journal.log.id
        let key = NoteSigningKey(
            name: .ofLog(logID), privateKey: try signingKey(orNew: withNewKey))
        let events = try await journal.record(.init(checkpointBy: key))
        for event in events {
            if case .checkpointMade(let data) = event.payload {
                return LogCheckpoint(data, at: event.position)
            }
        }
        preconditionFailure("what was recorded is among the events that were recorded")
    }

    /// The last recorded checkpoint; nil before the first.
    public func lastCheckpoint() throws(DaybookError) -> LogCheckpoint? {
        try convertingErrors {
            try journal.log.read { log in
                try log.lastCheckpoint().map { LogCheckpoint($0.data, at: $0.position) }
            }
        }
    }

    /// Makes a proof that the log has an event; it can be verified without the log.
    ///
    /// The format is https://c2sp.org/tlog-proof. The proof is against the checkpoint in `note`, or
    /// against a new one, and has been verified before it is returned.
    ///
    /// - Throws: `unknownPosition`, `checkpointInvalid`, `checkpointUnknownKey`, `otherLog`,
    ///   `rolledBack`, `forked`, and what `checkpoint` throws.
    public func proof(
        of position: Position, in note: String? = nil
    ) async throws(DaybookError) -> LogEventProof {
        let count = try convertingErrors { try journal.log.read { $0.count } }
        guard position.number < count else {
            throw DaybookError(
                "unknownPosition", .refused, "the log has only \(count) events",
                position: position)
        }
        let text =
            if let note { note } else {
                try await convertingErrors { try await ownCheckpoint() }.note
            }
        let bytes = Bytes(text.utf8)
        return try convertingErrors {
            try journal.log.read { log in
                let trusted = try TrustedCheckpoint.read(
                    bytes, of: log, keyFile: StoreFolder(path).logKey)
                try TrustedCheckpoint.check(trusted, log)
                // Of several notes, the last one has the most events.
                guard let last = trusted.last else {
                    preconditionFailure("what is no note is refused")
                }
                return try LogEventProof(position, last, log)
            }
        }
    }

    private func signingKey(orNew: Bool) throws -> Ed25519PrivateKey {
        let folder = StoreFolder(path)
        let (logID, last) = try journal.log.read(.asWriter) { ($0.logID, try $0.lastCheckpoint()) }
        let exists = try LogKeyFile(path: folder.logKey).exists()
        if last != nil, !exists, !orNew {
            throw DaybookError(
                "logKeyMissing", .store,
                "\(folder.logKey) is gone, and earlier checkpoints were signed with it; put it "
                    + "back from a backup, or ask for a new key")
        }
        let key = try folder.makeLogKey()
        let text = NoteVerifierKey(name: .ofLog(logID), publicKey: key.publicKey).text
        if let last, !orNew, !Text.equal(text, last.data.key) {
            throw DaybookError(
                "logKeyChanged", .store,
                "\(folder.logKey) is not the key that signed the last checkpoint; put that one "
                    + "back, or ask for a new key")
        }
        return key
    }
}

extension LogSnapshot {
    /// The last recorded checkpoint and its position; nil before the first.
    func lastCheckpoint() throws -> (position: Position, data: CheckpointMade)? {
        guard let position = try lastPosition(ofStream: StreamName.checkpoints),
            let record = try record(at: position),
            case .checkpointMade(let data) = try record.event()?.payload
        else { return nil }
        return (Position(position), data)
    }
}

/// A signed statement of the log's size and root.
///
/// Kept outside the store, it shows later whether the store still has all of these events.
public struct LogCheckpoint: Codable, Hashable, Sendable, Identifiable {
    /// The number of events in the log.
    public let size: UInt64
    /// The root of the tree over them, 32 bytes in hex.
    public let root: String
    /// The signed note, in the format https://c2sp.org/tlog-checkpoint.
    public let note: String
    /// The key that verifies the note, in the format https://c2sp.org/signed-note.
    public let key: String
    /// The event that records the checkpoint and the digests of the state.
    public let position: Position
    /// Why witnesses have not cosigned it: one error for each that failed.
    public let problems: [DaybookError]

    /// The position.
    public var id: Position { position }

    /// A checkpoint for previews and tests of a front end.
    public init(
        size: UInt64, root: String, note: String, key: String, position: Position,
        problems: [DaybookError] = []
    ) {
        (self.size, self.root, self.note) = (size, root, note)
        (self.key, self.position, self.problems) = (key, position, problems)
    }

    /// The same with the signatures of witnesses, and with the problems of others.
    func adding(note: String, problems: [DaybookError]) -> LogCheckpoint {
        LogCheckpoint(
            size: size, root: root, note: note, key: key, position: position, problems: problems)
    }

    init(_ data: CheckpointMade, at position: Position) {
        self.init(
            size: data.size, root: Hex.encode(data.root),
            note: String(decoding: data.note, as: UTF8.self), key: data.key, position: position)
    }
}

/// A proof that the log has an event; it can be verified without the log.
public struct LogEventProof: Codable, Hashable, Sendable, Identifiable {
    /// The event's place in the log.
    public let position: Position
    /// The number of events that the checkpoint signs.
    public let size: UInt64
    /// The proof in the format https://c2sp.org/tlog-proof, with the checkpoint.
    public let text: String
    /// The key that verifies the checkpoint.
    public let key: String
    /// The bytes of the proven event.
    public let event: [UInt8]

    /// The position.
    public var id: Position { position }

    /// A proof for previews and tests of a front end.
    public init(position: Position, size: UInt64, text: String, key: String, event: [UInt8]) {
        (self.position, self.size, self.text) = (position, size, text)
        (self.key, self.event) = (key, event)
    }

    /// A verified proof against a checkpoint that was compared with the log.
    init(_ position: Position, _ checkpoint: TrustedCheckpoint, _ log: LogSnapshot) throws {
        let size = checkpoint.head.size
        guard position.number < size, let event = try log.bytes(at: position.number) else {
            throw DaybookError(
                "unknownPosition", .refused, "the checkpoint has only \(size) events",
                position: position)
        }
        let inclusion = try log.inclusionProof(of: position.number, at: size)
        let proof = try LogProof(inclusion: inclusion, note: checkpoint.note)
        do {
            _ = try LogProof(proof.bytes).checkpoint(proving: event, signedBy: checkpoint.key)
        } catch {
            // The tree and the events contradict each other.
            throw LogError.damaged(position: position.number, reason: "\(error)")
        }
        self.position = position
        self.size = size
        text = String(decoding: proof.bytes, as: UTF8.self)
        key = checkpoint.key.text
        self.event = event
    }
}
