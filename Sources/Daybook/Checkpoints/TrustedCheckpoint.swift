import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookKeystore
import DaybookLog
import DaybookReplay
import DaybookTree

/// A checkpoint that somebody kept outside the store, signed by a key of this log.
struct TrustedCheckpoint {
    let note: SignedNote
    let key: NoteVerifierKey
    let head: TreeHead

    /// Reads a note and finds the key of this log that signed it: the one in the file, or one that
    /// an earlier checkpoint in the log names.
    init(_ bytes: Bytes, of log: LogSnapshot, keyFile: String) throws {
        let text: Checkpoint
        do {
            note = try SignedNote(bytes)
            text = try Checkpoint(text: note.text)
        } catch {
            throw Self.invalid(error)
        }
        guard text.origin == .ofLog(log.logID) else {
            throw DaybookError("otherLog", .refused, "the checkpoint is another log's")
        }
        for key in try Self.keys(of: log, keyFile) {
            do {
                _ = try Checkpoint(note, signedBy: key)
            } catch NoteError.noKnownSignature {
                continue
            } catch {
                throw Self.invalid(error)
            }
            self.key = key
            head = text.head
            return
        }
        throw DaybookError(
            "checkpointUnknownKey", .refused, "no key of this log has signed the checkpoint")
    }

    private static func invalid(_ error: any Error) -> DaybookError {
        DaybookError("checkpointInvalid", .refused, "this is no checkpoint: \(error)")
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
                ofStream: Recording.checkpoints, after: after, limit: 256)
            for position in positions {
                guard let record = try log.record(at: position),
                    case .checkpointMade(let data) = try Recording.event(record)?.payload
                else { continue }
                if try !body(data, position) { return }
            }
            guard positions.count == 256 else { return }
            after = positions.last
        }
    }

    /// Throws the alarm unless the log still begins as the checkpoint says.
    func check(_ log: LogSnapshot) throws {
        if head.size > log.count {
            throw DaybookError(
                "rolledBack", .refused,
                "the checkpoint has \(head.size) events, the store only \(log.count): it was set "
                    + "back to an older one", position: log.count)
        }
        if try log.head(at: head.size) == head { return }
        throw DaybookError(
            "forked", .refused,
            "the first \(head.size) events are not those that the checkpoint signed: the store "
                + "parted from it at or before event \(head.size - 1)", position: head.size - 1)
    }
}
