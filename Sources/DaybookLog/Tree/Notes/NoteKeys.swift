package import DaybookCrypto
package import DaybookEncoding

/// A named public key that verifies the signatures of notes.
///
/// Its text is `name+id+key`: the id as eight digits, the key as base 64 of its kind (one byte, 1
/// for Ed25519) and its 32 bytes. https://c2sp.org/signed-note describes names, ids and kinds.
package struct NoteVerifierKey: Hashable, Sendable {
    /// The byte that stands for Ed25519 in ids and keys.
    private static let kind: UInt8 = 1

    /// The key's name in signature lines.
    package let name: NoteKeyName
    /// The key itself.
    package let publicKey: Ed25519PublicKey
    /// The first four bytes of SHA-256(name ‖ line break ‖ kind ‖ key), which identify the key.
    package let id: UInt32

    /// A key under a name.
    package init(name: NoteKeyName, publicKey: Ed25519PublicKey) {
        self.name = name
        self.publicKey = publicKey
        id = NoteKeyText.id(name, Self.kind, publicKey)
    }

    /// Parses a key; refuses an id that is not the key's own.
    package init(_ text: String) throws(NoteError) {
        let (name, publicKey) = try NoteKeyText.parse(text, Self.kind)
        self.init(name: name, publicKey: publicKey)
    }

    /// The key as text.
    package var text: String { NoteKeyText.text(name, Self.kind, publicKey) }

    /// Whether a signature names this key.
    func claims(_ signature: NoteSignature) -> Bool {
        signature.keyID == id && signature.name == name
    }
}

/// A named private key that signs notes. It is a key of the log, never of a wallet.
package struct NoteSigningKey: ~Copyable, Sendable {
    private let privateKey: Ed25519PrivateKey
    /// The public key that verifies its signatures.
    package let verifierKey: NoteVerifierKey

    /// A key under a name.
    package init(name: NoteKeyName, privateKey: consuming Ed25519PrivateKey) {
        verifierKey = NoteVerifierKey(name: name, publicKey: privateKey.publicKey)
        self.privateKey = privateKey
    }

    /// The log's signed checkpoint of a head, whose origin is the key's name.
    ///
    /// A log must never sign two heads unless one tree begins with the other.
    package func sign(_ head: TreeHead) -> SignedNote {
        sign(text: Checkpoint(origin: verifierKey.name, head: head).text)
    }

    /// A note of a text, which must end with a line break.
    package func sign(text: Bytes) -> SignedNote {
        SignedNote(text: text, signatures: [signature(of: text)])
    }

    /// The signature of a text's bytes.
    func signature(of text: Bytes) -> NoteSignature {
        NoteSignature(
            name: verifierKey.name, keyID: verifierKey.id,
            signature: privateKey.sign(message: text))
    }
}

/// A signature line of a note: the name and id of the key, and the signature.
///
/// The line is an em dash (U+2014), the key's name, and base 64 of the key's id (four bytes) and
/// the signature, with a space between them. The form of the signature depends on the key's kind.
package struct NoteSignature: Hashable, Sendable {
    private static let dash = Bytes("— ".utf8)

    /// The key's name.
    package let name: NoteKeyName
    /// The key's id.
    package let keyID: UInt32
    /// The signature itself, one byte at least.
    package let signature: Bytes

    /// A signature under a key's name and id.
    init(name: NoteKeyName, keyID: UInt32, signature: Bytes) {
        self.name = name
        self.keyID = keyID
        self.signature = signature
    }

    /// Parses a line without its line break; nil for a line that is not a signature.
    init?(line: ArraySlice<UInt8>) {
        guard line.starts(with: Self.dash) else { return nil }
        let parts = line.dropFirst(Self.dash.count).split(
            separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 2, let name = try? NoteKeyName(utf8: Bytes(parts[0])),
            let coded = Base64.decode(parts[1]), coded.count > 4
        else { return nil }
        self.init(
            name: name, keyID: BigEndian.number(coded.prefix(4)),
            signature: Bytes(coded.dropFirst(4)))
    }

    /// Whether a line begins like a signature.
    static func begins(_ line: ArraySlice<UInt8>) -> Bool { line.starts(with: dash) }

    /// The line, with its line break.
    package var line: Bytes {
        let coded = Base64.encode(BigEndian.fourBytes(keyID) + signature)
        return Self.dash + name.bytes + [UInt8(ascii: " ")] + Bytes(coded.utf8) + [0x0a]
    }
}

/// A key's name in notes: not empty, and without spaces, pluses and control characters.
package struct NoteKeyName: Hashable, Sendable {
    /// The name in UTF-8.
    package let bytes: Bytes

    /// A name of a text.
    package init(_ text: String) throws(NoteError) {
        let isName = text.unicodeScalars.allSatisfy { scalar in
            scalar.value >= 0x20 && scalar != "+" && !scalar.properties.isWhitespace
        }
        guard isName, !text.isEmpty else { throw .malformedName }
        bytes = Bytes(text.utf8)
    }

    /// A name of the UTF-8 of a text.
    init(utf8 bytes: Bytes) throws(NoteError) {
        guard let text = Text.utf8String(bytes) else { throw .malformedName }
        try self.init(text)
    }

    /// The name of the key that signs a log's checkpoints, and their origin: from the log's id.
    package static func ofLog(_ logID: Bytes) -> NoteKeyName {
        NoteKeyName(unchecked: Bytes("daybook/\(Hex.encode(logID))".utf8))
    }

    /// The name of a witness's key, from the key's digest.
    package static func ofWitness(_ digest: Bytes) -> NoteKeyName {
        NoteKeyName(unchecked: Bytes("daybook-witness/\(Hex.encode(digest.prefix(8)))".utf8))
    }

    private init(unchecked bytes: Bytes) {
        self.bytes = bytes
    }
}
