import DaybookCrypto
import DaybookEncoding
import DaybookLog

extension Harness {
    /// Notes, checkpoints, their keys and proofs: what others sign and send.
    static let notes = Harness(
        "notes", longest: 1024,
        words: [
            "c2sp.org/tlog-proof@v1\n", "extra ", "index ", "— ", "\n\n", "daybook/",
            "+00000000+AQ",
        ]
    ) { bytes in
        let key = try keyOfNotes()
        if let note = try? SignedNote(bytes) {
            try law("a note has one spelling", note.bytes == bytes)
            _ = try? note.verified(by: [key])
            if let checkpoint = try? Checkpoint(text: note.text) {
                try law("a checkpoint has one spelling", checkpoint.text == note.text)
            }
            let isSigned = (try? Checkpoint(note, signedBy: key)) != nil
            try law("nobody signs but the key", !isSigned || bytes == sampleNote)
        }
        if let proof = try? LogProof(bytes) {
            try law("a proof has one spelling", proof.bytes == bytes)
            let isProven = (try? proof.checkpoint(proving: bytes, signedBy: key)) != nil
            try law("a proof does not prove itself", !isProven)
        }
        guard let text = Text.utf8String(bytes), let read = try? NoteVerifierKey(text) else {
            return
        }
        try law("a key has one spelling", Text.equal(read.text, text))
    }

    /// The note that the key of these inputs has signed: one head, and nothing else ever.
    private static let sampleNote: Bytes? = {
        guard let name = try? NoteKeyName("daybook/fuzz"),
            let key = Ed25519PrivateKey(SecretBytes(copying: Bytes(repeating: 7, count: 32)))
        else { return nil }
        let root = TreeHash(Bytes(repeating: 9, count: 32)) ?? .ofEmptyTree
        return NoteSigningKey(name: name, privateKey: key).sign(TreeHead(size: 5, root: root)).bytes
    }()

    private static func keyOfNotes() throws -> NoteVerifierKey {
        let name = try NoteKeyName("daybook/fuzz")
        guard let key = Ed25519PrivateKey(SecretBytes(copying: Bytes(repeating: 7, count: 32)))
        else { throw BrokenLaw(description: "any 32 bytes are a key") }
        return NoteVerifierKey(name: name, publicKey: key.publicKey)
    }
}
