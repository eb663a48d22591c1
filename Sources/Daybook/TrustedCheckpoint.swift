import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay
import DaybookSigner

/// A checkpoint that somebody kept outside the store, signed by a key of this log.
struct TrustedCheckpoint {
    let note: SignedNote
    let key: NoteVerifierKey
    let head: TreeHead

    /// Reads notes that stand one after another, and finds for each the key of this log that
    /// signed it: the one in the file, or one that an earlier checkpoint in the log names.
    ///
    /// The notes come back in the order of their sizes.
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

    /// The keys that the log signs or has signed with.
    private static func keys(of log: LogSnapshot, _ path: String) throws -> [NoteVerifierKey] {
        var keys: [NoteVerifierKey] = []
        // What is wrong with the file is told elsewhere: an alarm must not depend on it.
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

    /// The log's own checkpoints, oldest first, until `body` says no.
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

    /// Throws the alarm unless the log still begins as all of the checkpoints say.
    ///
    /// They are in the order of their sizes, so that the last that agrees says where to look.
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

    /// A root says that something before it differs; only one that agrees says what does not.
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
