package import DaybookEncoding

/// A log's request to a witness: a checkpoint, and the proof that its log continues an older one.
///
/// https://c2sp.org/tlog-witness has the format: `old` and the size of the last checkpoint that the
/// witness cosigned, the hashes of the proof in base 64, one a line, a blank line, and the note.
package struct AddCheckpoint: Equatable, Sendable {
    /// The size of the last checkpoint that the witness cosigned; 0 if there is none.
    package let oldSize: UInt64
    /// The proof that the tree of that size begins the checkpoint's.
    package let proof: ConsistencyProof
    /// The checkpoint with its signatures.
    package let note: SignedNote

    /// The bytes that a request has at most.
    package static let limit = NoteLimits.noteBytes + 4096
    /// The hashes that a proof has at most.
    private static let mostHashes = 63
    private static let word = Bytes("old ".utf8)

    /// A request of its parts.
    package init(oldSize: UInt64, proof: ConsistencyProof, note: SignedNote) {
        (self.oldSize, self.proof, self.note) = (oldSize, proof, note)
    }

    /// Parses a request.
    ///
    /// - Throws: `malformedRequest`, and what makes the note none.
    package init(_ bytes: Bytes) throws(NoteError) {
        let limit = Self.limit
        if bytes.count > limit { throw .tooLong(bytes: bytes.count, limit: limit) }
        var lines = NoteLines(bytes)
        guard let first = lines.next(), first.starts(with: Self.word),
            let size = NoteText.number(first.dropFirst(Self.word.count))
        else { throw .malformedRequest(line: 1) }
        var hashes: [TreeHash] = []
        while true {
            guard let line = lines.next() else { throw .malformedRequest(line: lines.count) }
            if line.isEmpty { break }
            guard hashes.count < Self.mostHashes, let hash = NoteText.hash(line) else {
                throw .malformedRequest(line: lines.count)
            }
            hashes.append(hash)
        }
        oldSize = size
        proof = ConsistencyProof(hashes: hashes)
        note = try SignedNote(Bytes(lines.rest))
    }

    /// The encoded request.
    package var bytes: Bytes {
        let hashes = proof.hashes.map { Bytes(Base64.encode($0.bytes).utf8) }
        let lines = [Self.word + Bytes("\(oldSize)".utf8)] + hashes
        return lines.reduce(into: []) { $0 += $1 + [0x0a] } + [0x0a] + note.bytes
    }
}

extension AddCheckpoint {
    /// The size in the answer of a witness that has cosigned another one; nil for another text.
    package static func size(_ answer: Bytes) -> UInt64? {
        answer.last == 0x0a ? NoteText.number(answer.dropLast()) : nil
    }
}

extension SignedNote {
    /// The signature lines of a witness's answer; nil unless it has nothing but such lines.
    package static func signatures(_ answer: Bytes) -> [NoteSignature]? {
        guard answer.last == 0x0a, answer.count <= NoteLimits.noteBytes else { return nil }
        let lines = answer.dropLast().split(separator: 0x0a, omittingEmptySubsequences: false)
        guard lines.count <= NoteLimits.signatures else { return nil }
        let signatures = lines.compactMap { NoteSignature(line: $0) }
        return signatures.count == lines.count ? signatures : nil
    }

    /// The note with further signatures; those that it has already are not repeated.
    package func adding(_ more: [NoteSignature]) -> SignedNote {
        let new = more.filter { !signatures.contains($0) }
        let room = max(0, NoteLimits.signatures - signatures.count)
        return SignedNote(text: text, signatures: signatures + new.prefix(room))
    }
}
