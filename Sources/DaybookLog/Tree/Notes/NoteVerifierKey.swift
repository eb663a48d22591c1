package import DaybookCrypto
import DaybookEncoding

/// A public key under a name, which signatures of notes are verified with.
///
/// Its text is `name+id+key`: the id as eight digits, the key as base 64 of its kind (one byte, 1
/// for Ed25519) and its 32 bytes. https://c2sp.org/signed-note describes names, ids and kinds.
package struct NoteVerifierKey: Hashable, Sendable {
    /// The byte that stands for Ed25519 in ids and keys.
    private static let kind: UInt8 = 1

    /// What the key is called in signature lines.
    package let name: NoteKeyName
    /// The key itself.
    package let publicKey: Ed25519PublicKey
    /// The first four bytes of SHA-256(name ‖ line break ‖ kind ‖ key), which tell keys apart.
    package let id: UInt32

    /// A key under a name.
    package init(name: NoteKeyName, publicKey: Ed25519PublicKey) {
        self.name = name
        self.publicKey = publicKey
        let digest = SHA256.hash(name.bytes + [0x0a, Self.kind] + publicKey.bytes)
        id = BigEndian.number(digest.prefix(4))
    }

    /// The key that a text spells; an id that is not the key's own is refused.
    package init(_ text: String) throws(NoteError) {
        let parts = Bytes(text.utf8).split(
            separator: UInt8(ascii: "+"), maxSplits: 2, omittingEmptySubsequences: false)
        // The text of a key is short; whatever is longer is none.
        guard text.utf8.count <= 1024, parts.count == 3,
            let coded = Base64.decode(parts[2]), coded.first == Self.kind,
            let publicKey = Ed25519PublicKey(Bytes(coded.dropFirst()))
        else { throw .malformedKey }
        self.init(name: try NoteKeyName(utf8: Bytes(parts[0])), publicKey: publicKey)
        guard Bytes(self.text.utf8) == Bytes(text.utf8) else { throw .malformedKey }
    }

    /// The key as text.
    package var text: String {
        let coded = Base64.encode([Self.kind] + publicKey.bytes)
        let name = String(decoding: name.bytes, as: UTF8.self)
        return "\(name)+\(Hex.encode(BigEndian.fourBytes(id)))+\(coded)"
    }

    /// Whether the signature says that this key made it.
    func claims(_ signature: NoteSignature) -> Bool {
        signature.keyID == id && signature.name == name
    }
}
