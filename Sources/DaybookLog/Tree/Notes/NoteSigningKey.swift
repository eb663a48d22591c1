package import DaybookCrypto
import DaybookEncoding

/// A private key under a name, which signs notes: a log's own, never a wallet's.
package struct NoteSigningKey: ~Copyable, Sendable {
    private let privateKey: Ed25519PrivateKey
    /// The public half, for whoever verifies.
    package let verifierKey: NoteVerifierKey

    /// A key under a name.
    package init(name: NoteKeyName, privateKey: consuming Ed25519PrivateKey) {
        verifierKey = NoteVerifierKey(name: name, publicKey: privateKey.publicKey)
        self.privateKey = privateKey
    }

    /// The log's signed checkpoint of a head, whose origin is the key's name.
    ///
    /// A log must never sign two heads of which neither tree begins with the other.
    package func sign(_ head: TreeHead) -> SignedNote {
        let text = Checkpoint(origin: verifierKey.name, head: head).text
        return SignedNote(text: text, signatures: [signature(of: text)])
    }

    /// The signature of a text's bytes.
    func signature(of text: Bytes) -> NoteSignature {
        NoteSignature(
            name: verifierKey.name, keyID: verifierKey.id,
            signature: privateKey.sign(message: text))
    }
}
