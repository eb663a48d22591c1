import DaybookCommands
import DaybookEncoding
import DaybookSystem
import DaybookTree

/// A checkpoint that an auditor kept from earlier, or was given by somebody else.
struct CheckpointFile {
    let head: TreeHead
    /// Whether a key was given, and has signed it.
    let isSigned: Bool

    /// The checkpoint that `--checkpoint` names, checked with the key that `--key` names.
    init?(_ invocation: Invocation, _ logID: Bytes) throws {
        let keyPath = invocation.value("--key")
        guard let path = invocation.value("--checkpoint") else {
            if keyPath == nil { return nil }
            throw CommandFailure.usage("--key goes with --checkpoint")
        }
        let bytes = try Files.read(path, limit: NoteLimits.noteBytes)
        do {
            let note = try SignedNote(bytes)
            let checkpoint = if let keyPath {
                try Checkpoint(note, signedBy: try Self.key(keyPath))
            } else {
                try Checkpoint(text: note.text)
            }
            if checkpoint.origin != .ofLog(logID) { throw NoteError.otherOrigin }
            head = checkpoint.head
            isSigned = keyPath != nil
        } catch let error as NoteError {
            throw CommandFailure("invalidCheckpoint", .refused, quoting: "\(error)")
        }
    }

    private static func key(_ path: String) throws -> NoteVerifierKey {
        let text = try Files.read(path, limit: NoteLimits.noteBytes)
        guard let key = Text.utf8String(text.last == 0x0a ? text.dropLast() : text) else {
            throw NoteError.malformedKey
        }
        return try NoteVerifierKey(key)
    }

    var json: JSON {
        .record([
            "size": .int(head.size), "root": .string(Hex.encode(head.root.bytes)),
            "signed": .bool(isSigned),
        ])
    }

    var words: String {
        "checkpoint of \(head.size) events: "
            + (isSigned ? "signed by the key" : "its signature was not checked, for want of a key")
    }
}
