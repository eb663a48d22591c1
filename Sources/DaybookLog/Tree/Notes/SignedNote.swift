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
