/// Why a note, a checkpoint or a proof as text is refused.
package enum NoteError: Error, Hashable, Sendable {
    /// The text is longer than a text of its kind may be.
    case tooLong(bytes: Int, limit: Int)
    /// The text is not UTF-8, has control characters or does not end with a line break.
    case notText
    /// No blank line is followed by signatures.
    case unsigned
    /// There are more signatures than a note may have.
    case tooManySignatures(limit: Int)
    /// A line behind the blank one is no signature; lines count from 1.
    case malformedSignature(line: Int)
    /// A key is known under the name and id, and the signature is not its own.
    case wrongSignature(keyID: UInt32)
    /// A known key has signed more than once.
    case repeatedSignature(keyID: UInt32)
    /// No key that is known has signed.
    case noKnownSignature
    /// The text is no key: a name, an id and the key's bytes, with a plus between them.
    case malformedKey
    /// A name is empty or has a space, a plus or a control character.
    case malformedName
    /// A line of a checkpoint is not what its place asks for; lines count from 1.
    case malformedCheckpoint(line: Int)
    /// The checkpoint is another log's.
    case otherOrigin
    /// A line of a proof is not what its place asks for; lines count from 1.
    case malformedProof(line: Int)
    /// The proof and the checkpoint do not show that the log has the event.
    case notProven
}

extension NoteError: CustomStringConvertible {
    /// What is wrong, for people.
    package var description: String {
        switch self {
        case .tooLong(let bytes, let limit): "\(bytes) bytes of text, more than \(limit)"
        case .notText: "not lines of utf-8 text"
        case .unsigned: "a note without a blank line and signatures"
        case .tooManySignatures(let limit): "a note with more than \(limit) signatures"
        case .malformedSignature(let line): "line \(line) of the note is no signature"
        case .wrongSignature(let id): "the signature of key \(Self.hex(id)) is wrong"
        case .repeatedSignature(let id): "two signatures of key \(Self.hex(id))"
        case .noKnownSignature: "no signature of a known key"
        case .malformedKey: "not a verifier key"
        case .malformedName: "not the name of a key"
        case .malformedCheckpoint(let line): "line \(line) of the checkpoint is malformed"
        case .otherOrigin: "a checkpoint of another log"
        case .malformedProof(let line): "line \(line) of the proof is malformed"
        case .notProven: "the proof does not lead from the event to the checkpoint"
        }
    }

    private static func hex(_ id: UInt32) -> String {
        let digits = String(id, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
