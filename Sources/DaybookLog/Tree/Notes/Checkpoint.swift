package import DaybookEncoding

/// A log's statement of its tree's head: the text of a note, https://c2sp.org/tlog-checkpoint.
///
/// The lines are the log's origin, the size in decimal and the root in base 64; other lines may
/// follow. The note is signed by a key whose name is the origin.
package struct Checkpoint: Equatable, Sendable {
    /// The origin: the name of the log's key.
    package let origin: NoteKeyName
    /// The size and the root of the log's tree.
    package let head: TreeHead
    /// The lines after the root, without their line breaks; none is empty.
    package let extensions: [Bytes]

    /// A checkpoint of a log's head.
    package init(origin: NoteKeyName, head: TreeHead) {
        self.origin = origin
        self.head = head
        extensions = []
    }

    /// Parses the text of a note.
    package init(text: Bytes) throws(NoteError) {
        let lines = text.split(separator: 0x0a, omittingEmptySubsequences: false)
        if let empty = lines.dropLast().firstIndex(where: \.isEmpty) {
            throw .malformedCheckpoint(line: empty + 1)
        }
        // After the last line break there is nothing.
        guard lines.count >= 4, lines.last?.isEmpty == true else {
            throw .malformedCheckpoint(line: lines.count)
        }
        guard let origin = try? NoteKeyName(utf8: Bytes(lines[0])) else {
            throw .malformedCheckpoint(line: 1)
        }
        guard let size = NoteText.number(lines[1]) else { throw .malformedCheckpoint(line: 2) }
        guard let root = NoteText.hash(lines[2]), size > 0 || root == .ofEmptyTree else {
            throw .malformedCheckpoint(line: 3)
        }
        self.origin = origin
        head = TreeHead(size: size, root: root)
        extensions = lines[3...].dropLast().map { Bytes($0) }
    }

    /// The checkpoint in a note, which the log's key must have signed.
    package init(_ note: SignedNote, signedBy key: NoteVerifierKey) throws(NoteError) {
        _ = try note.verified(by: [key])
        try self.init(text: note.text)
        guard origin == key.name else { throw .otherOrigin }
    }

    /// The text, which is what the log's key signs.
    package var text: Bytes {
        let lines = [
            origin.bytes, Bytes("\(head.size)".utf8), Bytes(Base64.encode(head.root.bytes).utf8),
        ]
        return (lines + extensions).reduce(into: []) { $0 += $1 + [0x0a] }
    }
}

/// A file that proves offline that a log has an event: https://c2sp.org/tlog-proof.
///
/// The first line names the format. Then come `extra` with data in base 64, if there is any;
/// `index` with the event's position; the hashes of the inclusion proof in base 64, one a line; a
/// blank line; and the signed checkpoint. The proof does not cover the extra data.
package struct LogProof: Equatable, Sendable {
    private static let format = Bytes("c2sp.org/tlog-proof@v1".utf8)
    private static let extraWord = Bytes("extra ".utf8)
    private static let indexWord = Bytes("index ".utf8)

    /// Extra data, which the proof does not cover; never empty.
    package let extra: Bytes?
    /// The inclusion proof, from the event to the checkpoint's root.
    package let inclusion: InclusionProof
    /// The checkpoint with its signatures.
    package let note: SignedNote

    /// A proof of its parts; empty extra data is none.
    package init(
        inclusion: InclusionProof, note: SignedNote, extra: Bytes = []
    ) throws(NoteError) {
        let limit = NoteLimits.extraBytes
        if extra.count > limit { throw .tooLong(bytes: extra.count, limit: limit) }
        self.inclusion = inclusion
        self.note = note
        self.extra = extra.isEmpty ? nil : extra
    }

    /// Parses a proof.
    package init(_ bytes: Bytes) throws(NoteError) {
        let limit = Self.limit
        if bytes.count > limit { throw .tooLong(bytes: bytes.count, limit: limit) }
        var lines = NoteLines(bytes)
        guard lines.next() == Self.format[...] else { throw .malformedProof(line: 1) }
        var line = lines.next()
        extra = try Self.extra(line)
        if extra != nil { line = lines.next() }
        guard let line, line.starts(with: Self.indexWord),
            let index = NoteText.number(line.dropFirst(Self.indexWord.count))
        else { throw .malformedProof(line: lines.count) }
        var hashes: [TreeHash] = []
        while let line = lines.next(), !line.isEmpty {
            guard hashes.count < NoteLimits.hashes, let hash = NoteText.hash(line) else {
                throw .malformedProof(line: lines.count)
            }
            hashes.append(hash)
        }
        inclusion = InclusionProof(index: index, hashes: hashes)
        note = try SignedNote(Bytes(lines.rest))
    }

    /// The encoded proof.
    package var bytes: Bytes {
        var lines = [Self.format]
        if let extra { lines.append(Self.extraWord + Bytes(Base64.encode(extra).utf8)) }
        lines.append(Self.indexWord + Bytes("\(inclusion.index)".utf8))
        lines += inclusion.hashes.map { Bytes(Base64.encode($0.bytes).utf8) }
        return Bytes(lines.joined(separator: [0x0a])) + [0x0a, 0x0a] + note.bytes
    }

    /// The checkpoint, after checking the log key's signature and the event's inclusion.
    package func checkpoint(
        proving event: Bytes, signedBy key: NoteVerifierKey
    ) throws(NoteError) -> Checkpoint {
        let checkpoint = try Checkpoint(note, signedBy: key)
        guard inclusion.proves(event, in: checkpoint.head) else { throw .notProven }
        return checkpoint
    }

    /// The bytes that a proof within all other limits can have, rounded up.
    private static var limit: Int {
        NoteLimits.noteBytes + NoteLimits.extraBytes * 4 / 3 + NoteLimits.hashes * 45 + 1024
    }

    private static func extra(_ line: ArraySlice<UInt8>?) throws(NoteError) -> Bytes? {
        guard let line, line.starts(with: extraWord) else { return nil }
        guard let extra = Base64.decode(line.dropFirst(extraWord.count)),
            (1...NoteLimits.extraBytes).contains(extra.count)
        else { throw .malformedProof(line: 2) }
        return extra
    }
}
