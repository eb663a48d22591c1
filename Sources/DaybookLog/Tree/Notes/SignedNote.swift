import DaybookCrypto
package import DaybookEncoding

/// A text with signatures under it, as https://c2sp.org/signed-note lays down.
///
/// The text ends with a line break; a blank line and the signature lines follow. A note has one
/// spelling: reading and writing gives the same bytes. Nothing about a note that was only read
/// may be believed; `verified(by:)` says whose text it is.
package struct SignedNote: Hashable, Sendable {
    /// What is signed, with its last line break.
    package let text: Bytes
    /// The signatures, in the order of their lines.
    package let signatures: [NoteSignature]

    /// A note of its parts.
    init(text: Bytes, signatures: [NoteSignature]) {
        self.text = text
        self.signatures = signatures
    }

    /// The note that bytes spell.
    package init(_ bytes: Bytes) throws(NoteError) {
        try Self.check(bytes)
        // The last blank line ends the text, which may itself have some.
        guard let blank = bytes.indices.dropFirst().last(where: { Self.isBlank(bytes, $0) }) else {
            throw .unsigned
        }
        text = Bytes(bytes[..<blank])
        let lines = bytes[(blank + 1)...].dropLast()
            .split(separator: 0x0a, omittingEmptySubsequences: false)
        let limit = NoteLimits.signatures
        if bytes.count == blank + 1 { throw .unsigned }
        if lines.count > limit { throw .tooManySignatures(limit: limit) }
        var signatures: [NoteSignature] = []
        for line in lines {
            guard let signature = NoteSignature(line: line) else {
                let before = text.count { $0 == 0x0a } + 1
                throw .malformedSignature(line: before + signatures.count + 1)
            }
            signatures.append(signature)
        }
        self.signatures = signatures
    }

    /// The notes that bytes spell one after another, as somebody keeps them in one file.
    ///
    /// One ends where a line that is no signature follows one that is.
    package static func sequence(_ bytes: Bytes) throws(NoteError) -> [SignedNote] {
        var notes: [SignedNote] = []
        var (start, line) = (0, 0)
        var (isBehindText, isSignature) = (false, false)
        for end in bytes.indices where bytes[end] == 0x0a {
            let wasSignature = isSignature
            isSignature = isBehindText && NoteSignature.begins(bytes[line..<end])
            if wasSignature, !isSignature {
                notes.append(try SignedNote(Bytes(bytes[start..<line])))
                start = line
                isBehindText = false
            }
            if line == end { isBehindText = true }
            line = end + 1
        }
        return notes + [try SignedNote(Bytes(bytes[start...]))]
    }

    /// The note as it is written.
    package var bytes: Bytes {
        signatures.reduce(into: text + [0x0a]) { $0 += $1.line }
    }

    /// Those of the keys that have signed the text, in the order of their signatures.
    ///
    /// Signatures of other keys say nothing. A wrong one of a known key spoils the note, and so
    /// does a second one; and a note that no known key has signed is refused.
    package func verified(by keys: [NoteVerifierKey]) throws(NoteError) -> [NoteVerifierKey] {
        var verified: [NoteVerifierKey] = []
        for signature in signatures {
            guard let key = keys.first(where: { $0.claims(signature) }) else { continue }
            if verified.contains(key) { throw .repeatedSignature(keyID: key.id) }
            guard key.publicKey.verify(message: text, signature: signature.signature) else {
                throw .wrongSignature(keyID: key.id)
            }
            verified.append(key)
        }
        if verified.isEmpty { throw .noKnownSignature }
        return verified
    }

    /// Whether a line break follows another one, so that a blank line ends here.
    private static func isBlank(_ bytes: Bytes, _ index: Int) -> Bool {
        bytes[index] == 0x0a && bytes[index - 1] == 0x0a
    }

    private static func check(_ bytes: Bytes) throws(NoteError) {
        let limit = NoteLimits.noteBytes
        if bytes.count > limit { throw .tooLong(bytes: bytes.count, limit: limit) }
        guard bytes.last == 0x0a, bytes.allSatisfy({ $0 >= 0x20 || $0 == 0x0a }),
            Text.isValidUTF8(bytes)
        else { throw .notText }
    }
}

/// The numbers and hashes in the lines of checkpoints and proofs, which have one spelling each.
enum NoteText {
    /// The number that decimal digits spell, without leading zeros.
    static func number(_ line: ArraySlice<UInt8>) -> UInt64? {
        guard let text = Text.utf8String(Bytes(line)), let number = UInt64(text),
            Text.equal(String(number), text)
        else { return nil }
        return number
    }

    /// The hash that base 64 spells.
    static func hash(_ line: ArraySlice<UInt8>) -> TreeHash? {
        Base64.decode(line).flatMap { TreeHash($0) }
    }
}

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

/// How much a text from elsewhere may hold.
package enum NoteLimits {
    /// The bytes of a note: 16 signatures of five thousand bytes, and room to spare.
    package static let noteBytes = 256 * 1024
    /// The signatures of a note.
    package static let signatures = 100
    /// The hashes of a proof: one for each bit of an index.
    package static let hashes = 64
    /// The bytes of a proof's extra data.
    package static let extraBytes = 64 * 1024
}
