import DaybookCommands
import DaybookEncoding
import DaybookLog
import DaybookReplay
import DaybookSystem

/// What an auditor brings along: checkpoints kept from earlier or given by others, and keys.
struct TrustedNotes {
    /// The heads of the checkpoints that `--checkpoint` names.
    let heads: [TreeHead]
    /// The keys that `--key` names: one, or one a line where the log changed its key.
    let keys: [NoteVerifierKey]

    /// The checkpoints must be of the log and signed by one of the keys, if there are any.
    init(_ invocation: Invocation, _ logID: Bytes) throws {
        do {
            let keys = try invocation.value("--key").map { try Self.keys($0) } ?? []
            let notes = try invocation.value("--checkpoint").map {
                try SignedNote.sequence(try Files.read($0, limit: NoteLimits.noteBytes))
            }
            heads = try (notes ?? []).map { note in
                let checkpoint = try Checkpoint(text: note.text)
                if checkpoint.origin != .ofLog(logID) { throw NoteError.otherOrigin }
                if !keys.isEmpty { _ = try note.verified(by: keys) }
                return checkpoint.head
            }
            self.keys = keys
        } catch let error as NoteError {
            throw CommandFailure("invalidCheckpoint", .refused, quoting: "\(error)")
        }
    }

    private static func keys(_ path: String) throws -> [NoteVerifierKey] {
        let text = try Files.read(path, limit: NoteLimits.noteBytes)
        return try text.split(separator: 0x0a).map { line in
            guard let key = Text.utf8String(Bytes(line)) else { throw NoteError.malformedKey }
            return try NoteVerifierKey(key)
        }
    }

    /// Throws unless there is something that one of the keys has signed.
    func check(_ found: CheckpointTally) throws {
        if keys.isEmpty || !heads.isEmpty || found.signed > 0 { return }
        if found.count == 0 {
            throw CommandFailure(
                "noCheckpoint", .refused, "there is no checkpoint that the key could have signed")
        }
        throw CommandFailure(
            "checkpointUnknownKey", .refused,
            "the key has signed none of the \(found.count) checkpoints")
    }

    /// The last checkpoint that was brought along.
    var json: JSON? {
        heads.max { $0.size < $1.size }.map { head in
            .record([
                "size": .int(head.size), "root": .string(Hex.encode(head.root.bytes)),
                "signed": .bool(!keys.isEmpty),
            ])
        }
    }

    var lines: [TerminalText] {
        heads.map { head in
            "checkpoint of \(head.size) events: "
                + (keys.isEmpty
                    ? "its signature was not checked, for want of a key" : "signed by the key")
        }
    }
}
