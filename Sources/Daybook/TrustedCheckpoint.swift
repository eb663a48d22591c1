import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay
import DaybookSigner

/// A checkpoint that was kept outside the store, signed by a key of this log.
struct TrustedCheckpoint {
    let note: SignedNote
    let key: NoteVerifierKey
    let head: TreeHead

    /// Parses concatenated notes and verifies each with a key of this log; sorted by size.
    ///
    /// The log's keys are the one in the key file and those of checkpoints in the log.
    static func read(_ bytes: Bytes, of log: LogSnapshot, keyFile: String) throws -> [Self] {
        let keys = try Self.keys(of: log, keyFile)
        do {
            return try SignedNote.sequence(bytes).map { try Self($0, of: log, keys) }
                .sorted { $0.head.size < $1.head.size }
        } catch let error as NoteError {
            throw DaybookError("checkpointInvalid", .refused, "this is no checkpoint: \(error)")
        }
    }

    private init(_ note: SignedNote, of log: LogSnapshot, _ keys: [NoteVerifierKey]) throws {
        let text = try Checkpoint(text: note.text)
        guard text.origin == .ofLog(log.logID) else {
            throw DaybookError("otherLog", .refused, "the checkpoint is another log's")
        }
        do throws(NoteError) {
            guard let key = try note.verified(by: keys).first else { throw .noKnownSignature }
            self.key = key
        } catch .noKnownSignature {
            throw DaybookError(
                "checkpointUnknownKey", .refused, "no key of this log has signed the checkpoint")
        }
        self.note = note
        head = text.head
    }

    /// The key in the key file, and the keys of checkpoints in the log.
    private static func keys(of log: LogSnapshot, _ path: String) throws -> [NoteVerifierKey] {
        var keys: [NoteVerifierKey] = []
        // A damaged file is reported elsewhere: an alarm must not depend on it.
        if let privateKey = try? LogKeyFile(path: path).read() {
            keys.append(
                NoteVerifierKey(name: .ofLog(log.logID), publicKey: privateKey.publicKey))
        }
        try Self.each(of: log) { data, _ in
            if let key = try? NoteVerifierKey(data.key), !keys.contains(key) { keys.append(key) }
            return true
        }
        return keys
    }

    /// Calls `body` with the log's own checkpoints, oldest first, until it returns false.
    static func each(
        of log: LogSnapshot, _ body: (CheckpointMade, UInt64) throws -> Bool
    ) throws {
        var after: UInt64?
        while true {
            let positions = try log.positions(
                ofStream: StreamName.checkpoints, after: after, limit: 256)
            for position in positions {
                guard let record = try log.record(at: position),
                    case .checkpointMade(let data) = try record.event()?.payload
                else { continue }
                if try !body(data, position) { return }
            }
            guard positions.count == 256 else { return }
            after = positions.last
        }
    }

    /// Throws `rolledBack` or `forked` unless the log begins with what the checkpoints signed.
    ///
    /// They must be sorted by size, so that the last one that agrees bounds the difference.
    static func check(_ checkpoints: [TrustedCheckpoint], _ log: LogSnapshot) throws {
        var agreed: UInt64?
        for head in checkpoints.map(\.head) {
            guard head.size <= log.count else {
                throw DaybookError(
                    "rolledBack", .refused,
                    "the checkpoint has \(head.size) events, the store only \(log.count): it was "
                        + "set back to an older one", position: Position(log.count))
            }
            guard try log.head(at: head.size) == head else { throw forked(head.size, agreed) }
            agreed = head.size
        }
    }

    /// The error for a root that differs: the difference lies after the last root that agrees.
    private static func forked(_ size: UInt64, _ agreed: UInt64?) -> DaybookError {
        let last = size - 1
        let place =
            switch agreed {
            case nil: "at or before event \(last)"
            case last: "at event \(last)"
            case let agreed?: "after the \(agreed) that an earlier one signed, up to event \(last)"
            }
        return DaybookError(
            "forked", .refused,
            "the first \(size) events are not those that the checkpoint signed: the store parted "
                + "from it \(place)", position: Position(last))
    }
}
