import DaybookCrypto
package import DaybookEncoding

/// A signed text, in the format of https://c2sp.org/signed-note.
///
/// The text ends with a line break; a blank line and the signature lines follow. A note that is
/// parsed and written again has the same bytes. Parsing verifies nothing: `verified(by:)` says who
/// signed the text.
package struct SignedNote: Hashable, Sendable {
    /// The signed text, with its last line break.
    package let text: Bytes
    /// The signatures, in the order of their lines.
    package let signatures: [NoteSignature]

    /// A note of a text and its signatures.
    package init(text: Bytes, signatures: [NoteSignature]) {
        self.text = text
        self.signatures = signatures
    }

    /// Parses a note.
    package init(_ bytes: Bytes) throws(NoteError) {
        try Self.check(bytes)
        // The last blank line ends the text, which may contain blank lines itself.
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

    /// Parses a file of notes, one after another.
    ///
    /// A note ends where a line that is not a signature follows a signature.
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

    /// The encoded note.
    package var bytes: Bytes {
        signatures.reduce(into: text + [0x0a]) { $0 += $1.line }
    }

    /// The keys among `keys` that signed the text, in the order of their signatures.
    ///
    /// Signatures of other keys are ignored, and a key that signed more than once counts once. A
    /// wrong signature of a known key makes the note invalid, and so does the absence of any.
    package func verified(by keys: [NoteVerifierKey]) throws(NoteError) -> [NoteVerifierKey] {
        var verified: [NoteVerifierKey] = []
        for signature in signatures {
            guard let key = keys.first(where: { $0.claims(signature) }) else { continue }
            guard key.publicKey.verify(message: text, signature: signature.signature) else {
                throw .wrongSignature(keyID: key.id)
            }
            if !verified.contains(key) { verified.append(key) }
        }
        if verified.isEmpty { throw .noKnownSignature }
        return verified
    }

    /// Whether a blank line ends at an index.
    private static func isBlank(_ bytes: Bytes, _ index: Int) -> Bool {
        bytes[index] == 0x0a && bytes[index - 1] == 0x0a
    }

    private static func check(_ bytes: Bytes) throws(NoteError) {
        let limit = NoteLimits.noteBytes
        if bytes.count > limit { throw .tooLong(bytes: bytes.count, limit: limit) }
        guard bytes.last == 0x0a, bytes.allSatisfy({ $0 >= 0x20 || $0 == 0x0a }),
            Text.isUTF8(bytes.span)
        else { throw .notText }
    }
}

/// Reads the lines of a text one by one.
struct NoteLines {
    private(set) var rest: ArraySlice<UInt8>
    /// How many lines were asked for.
    private(set) var count = 0

    init(_ bytes: Bytes) {
        rest = bytes[...]
    }

    /// The next line without its line break; nil where no line break is left.
    mutating func next() -> ArraySlice<UInt8>? {
        count += 1
        guard let end = rest.firstIndex(of: 0x0a) else { return nil }
        defer { rest = rest[(end + 1)...] }
        return rest[..<end]
    }
}

/// Parses the numbers and hashes in checkpoints and proofs, each of which has one spelling.
enum NoteText {
    /// A number in decimal digits, without leading zeros.
    static func number(_ line: ArraySlice<UInt8>) -> UInt64? {
        guard let text = Text.utf8String(Bytes(line)), let number = UInt64(text),
            Text.equal(String(number), text)
        else { return nil }
        return number
    }

    /// A hash in base 64.
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
    /// A line after the blank one is not a signature; lines count from 1.
    case malformedSignature(line: Int)
    /// The signature of a known key does not verify.
    case wrongSignature(keyID: UInt32)
    /// No key that is known has signed.
    case noKnownSignature
    /// The text is not a key: a name, an id and the key's bytes, separated by pluses.
    case malformedKey
    /// A key of another type than the one that is needed.
    case otherKeyType(found: UInt8, expected: UInt8)
    /// A name is empty or has a space, a plus or a control character.
    case malformedName
    /// A line of a checkpoint is malformed; lines count from 1.
    case malformedCheckpoint(line: Int)
    /// The checkpoint is another log's.
    case otherOrigin
    /// A line of a proof is malformed; lines count from 1.
    case malformedProof(line: Int)
    /// A line of a request to a witness is malformed; lines count from 1.
    case malformedRequest(line: Int)
    /// The proof and the checkpoint do not show that the log has the event.
    case notProven
}

extension NoteError: CustomStringConvertible {
    /// One line in lower case.
    package var description: String {
        switch self {
        case .tooLong(let bytes, let limit): "\(bytes) bytes of text, more than \(limit)"
        case .notText: "not lines of utf-8 text"
        case .unsigned: "a note without a blank line and signatures"
        case .tooManySignatures(let limit): "a note with more than \(limit) signatures"
        case .malformedSignature(let line): "line \(line) of the note is no signature"
        case .wrongSignature(let id): "the signature of key \(Self.hex(id)) is wrong"
        case .noKnownSignature: "no signature of a known key"
        case .malformedKey: "not a verifier key"
        case .otherKeyType(let found, let expected):
            "a verifier key of type \(found), where one of type \(expected) is needed"
        case .malformedName: "not the name of a key"
        case .malformedCheckpoint(let line): "line \(line) of the checkpoint is malformed"
        case .otherOrigin: "a checkpoint of another log"
        case .malformedProof(let line): "line \(line) of the proof is malformed"
        case .malformedRequest(let line): "line \(line) of the request is malformed"
        case .notProven: "the proof does not lead from the event to the checkpoint"
        }
    }

    private static func hex(_ id: UInt32) -> String {
        let digits = String(id, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}

/// The limits of notes and proofs.
package enum NoteLimits {
    /// The bytes of a note: room for 16 signatures of five thousand bytes, and more.
    package static let noteBytes = 256 * 1024
    /// The bytes of a key as text.
    package static let keyBytes = 1024
    /// The signatures of a note.
    package static let signatures = 100
    /// The hashes of a proof: one for each bit of an index.
    package static let hashes = 64
    /// The bytes of a proof's extra data.
    package static let extraBytes = 64 * 1024
}
