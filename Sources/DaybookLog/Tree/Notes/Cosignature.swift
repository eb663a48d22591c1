package import DaybookCrypto
package import DaybookEncoding

/// A witness's statement that a checkpoint is of the longest log of its name that it has seen.
///
/// https://c2sp.org/tlog-cosignature has the format: it is the signature of a note's line, by a key
/// of type 4.
package struct Cosignature: Hashable, Sendable {
    /// The bytes of the time and the signature.
    package static let length = 8 + Ed25519PublicKey.signatureLength

    /// When the witness signed, in seconds since 1970.
    package let seconds: UInt64
    /// The signature by Ed25519.
    let signature: Bytes

    /// Reads the bytes behind the key's id in a signature line.
    ///
    /// Nil unless they have the length of a cosignature and a time within the specified limit.
    package init?(_ bytes: Bytes) {
        let seconds: UInt64 = BigEndian.number(bytes.prefix(8))
        guard bytes.count == Self.length, seconds <= UInt64(Int64.max) else { return nil }
        self.seconds = seconds
        signature = Bytes(bytes.dropFirst(8))
    }

    init(seconds: UInt64, signature: Bytes) {
        (self.seconds, self.signature) = (seconds, signature)
    }

    /// The bytes behind the key's id in a signature line.
    package var bytes: Bytes { BigEndian.bytes(seconds) + signature }

    /// When the witness signed, in microseconds since 1970; a time beyond that range is its end.
    package var time: UInt64 {
        let (time, isTooLate) = seconds.multipliedReportingOverflow(by: 1_000_000)
        return isTooLate ? .max : time
    }

    /// The signed message: two lines with the time before the note's text.
    static func message(_ text: Bytes, _ seconds: UInt64) -> Bytes {
        Bytes("cosignature/v1\ntime \(seconds)\n".utf8) + text
    }
}

/// A witness's public key: a named Ed25519 key of type 4, which verifies nothing but cosignatures.
///
/// Its text is `name+id+key` as a log's key has it (`NoteVerifierKey`), with another type.
package struct WitnessKey: Hashable, Sendable {
    /// The byte that stands for cosignatures by Ed25519 in ids and keys.
    static let kind: UInt8 = 4

    /// The witness's name in signature lines.
    package let name: NoteKeyName
    /// The key itself.
    package let publicKey: Ed25519PublicKey
    /// The first four bytes of the digest of name, type and key.
    package let id: UInt32

    /// A key under a name.
    package init(name: NoteKeyName, publicKey: Ed25519PublicKey) {
        (self.name, self.publicKey) = (name, publicKey)
        id = NoteKeyText.id(name, Self.kind, publicKey)
    }

    /// Parses a key; refuses one of another type, and an id that is not the key's own.
    package init(_ text: String) throws(NoteError) {
        let (name, publicKey) = try NoteKeyText.parse(text, Self.kind)
        self.init(name: name, publicKey: publicKey)
    }

    /// The key as text.
    package var text: String { NoteKeyText.text(name, Self.kind, publicKey) }

    /// The witness's name as text.
    package var nameText: String { String(decoding: name.bytes, as: UTF8.self) }

    /// Whether this key has cosigned a note's text.
    package func verifies(_ cosignature: Cosignature, of text: Bytes) -> Bool {
        publicKey.verify(
            message: Cosignature.message(text, cosignature.seconds),
            signature: cosignature.signature)
    }

    /// The cosignature of a note's text among some signatures; nil if none names this key.
    ///
    /// Of several valid ones the earliest counts.
    ///
    /// - Throws: `wrongSignature` if one names this key and is not its cosignature of the text.
    package func cosignature(
        of text: Bytes, among signatures: [NoteSignature]
    ) throws(NoteError) -> Cosignature? {
        var earliest: Cosignature?
        for signature in signatures where signature.keyID == id && signature.name == name {
            guard let found = Cosignature(signature.signature), verifies(found, of: text) else {
                throw .wrongSignature(keyID: id)
            }
            if earliest.map({ found.seconds < $0.seconds }) ?? true { earliest = found }
        }
        return earliest
    }

    /// The signature line of a cosignature.
    package func signature(_ cosignature: Cosignature) -> NoteSignature {
        NoteSignature(name: name, keyID: id, signature: cosignature.bytes)
    }
}

/// A witness's private key. It signs cosignatures and nothing else.
package struct WitnessSigningKey: ~Copyable, Sendable {
    private let privateKey: Ed25519PrivateKey
    /// The public key that verifies its cosignatures.
    package let key: WitnessKey

    /// A key under a name.
    package init(name: NoteKeyName, privateKey: consuming Ed25519PrivateKey) {
        key = WitnessKey(name: name, publicKey: privateKey.publicKey)
        self.privateKey = privateKey
    }

    /// The cosignature of a note's text at a time, in seconds since 1970.
    ///
    /// A witness must never cosign two heads unless one tree begins with the other.
    package func cosign(_ text: Bytes, at seconds: UInt64) -> Cosignature {
        Cosignature(
            seconds: seconds,
            signature: privateKey.sign(message: Cosignature.message(text, seconds)))
    }
}

/// The text of a verifier key, `name+id+key`, and its id: https://c2sp.org/signed-note.
enum NoteKeyText {
    /// The id: the first four bytes of SHA-256(name ‖ line break ‖ type ‖ key).
    static func id(_ name: NoteKeyName, _ kind: UInt8, _ publicKey: Ed25519PublicKey) -> UInt32 {
        let digest = SHA256.hash(name.bytes + [0x0a, kind] + publicKey.bytes)
        return BigEndian.number(digest.prefix(4))
    }

    static func text(
        _ name: NoteKeyName, _ kind: UInt8, _ publicKey: Ed25519PublicKey
    ) -> String {
        let id = Hex.encode(BigEndian.fourBytes(id(name, kind, publicKey)))
        let coded = Base64.encode([kind] + publicKey.bytes)
        return "\(String(decoding: name.bytes, as: UTF8.self))+\(id)+\(coded)"
    }

    /// Parses a key of a type; it has only one spelling.
    static func parse(
        _ text: String, _ kind: UInt8
    ) throws(NoteError) -> (NoteKeyName, Ed25519PublicKey) {
        let parts = Bytes(text.utf8).split(
            separator: UInt8(ascii: "+"), maxSplits: 2, omittingEmptySubsequences: false)
        // Longer texts are no keys.
        guard text.utf8.count <= NoteLimits.keyBytes, parts.count == 3,
            let coded = Base64.decode(parts[2]), let found = coded.first
        else { throw .malformedKey }
        let name = try NoteKeyName(utf8: Bytes(parts[0]))
        if found != kind { throw .otherKeyType(found: found, expected: kind) }
        guard let publicKey = Ed25519PublicKey(Bytes(coded.dropFirst())),
            Text.equal(self.text(name, kind, publicKey), text)
        else { throw .malformedKey }
        return (name, publicKey)
    }
}
