package import DaybookEncoding

/// A log's word that its tree has a head: the text of a note, https://c2sp.org/tlog-checkpoint.
///
/// The lines are the log's origin, the size in decimal and the root in base 64; lines of any other
/// content may follow. The note is signed by a key whose name is the origin.
package struct Checkpoint: Equatable, Sendable {
    /// Which log it is: the name of the log's key.
    package let origin: NoteKeyName
    /// The size and the root of the log's tree.
    package let head: TreeHead
    /// Lines that follow, without their line breaks; none is empty.
    package let extensions: [Bytes]

    /// A checkpoint of a log's head.
    init(origin: NoteKeyName, head: TreeHead) {
        self.origin = origin
        self.head = head
        extensions = []
    }

    /// The checkpoint that a note's text spells.
    package init(text: Bytes) throws(NoteError) {
        let lines = text.split(separator: 0x0a, omittingEmptySubsequences: false)
        if let empty = lines.dropLast().firstIndex(where: \.isEmpty) {
            throw .malformedCheckpoint(line: empty + 1)
        }
        // What follows the last line break is empty.
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

    /// The checkpoint in a note that the log's key has signed.
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
