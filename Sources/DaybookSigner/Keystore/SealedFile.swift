package import DaybookChains
package import DaybookCrypto
package import DaybookEncoding

/// The format of a sealed wallet file; `docs/THREAT_MODEL.md` gives the reasons.
///
/// A file is a CBOR array: a name, the version, the header's bytes, the sealed bytes and a SHA-256
/// over the four before it. The header's bytes are the associated data of the sealed bytes.
struct SealedFile: Equatable {
    var header: Header
    var sealed: Bytes

    /// The part that is readable without the passphrase.
    struct Header: Equatable {
        /// The wallet's public material; its fingerprint is the file's name.
        var material: PublicMaterial
        var parameters: Scrypt.Parameters
        var salt: Bytes
        var nonce: Bytes
        /// Tells a wrong passphrase from damage; see `PassphraseKeys`.
        var check: Bytes
    }

    static let name = "daybook key"
    /// A hundred accounts need half of it.
    static let maximumSize = 65_536
    static let saltLengths = 16...64
    static let checkLength = 16

    func encoded() -> Bytes {
        let parts = Self.parts(header.encoded(), sealed)
        return CBOR.array(parts + [.bytes(Self.checksum(parts))]).encoded()
    }

    static func decode(_ bytes: Bytes) throws(KeystoreError) -> SealedFile {
        let content: CBOR
        do throws(CBORError) {
            content = try CBOR.decode(bytes)
        } catch {
            throw .damaged(reason: error.description)
        }
        guard let fields = content.arrayValue, fields.count >= 2,
            fields[0].textValue == name, let found = fields[1].uintValue
        else { throw .damaged(reason: "it does not begin like one") }
        try FormatNumber.sealedFile.check(found, orThrow: KeystoreError.unknownFormat)
        guard fields.count == 5, let header = fields[2].bytesValue,
            let sealed = fields[3].bytesValue, let checksum = fields[4].bytesValue
        else { throw .damaged(reason: "a part is missing") }
        guard checksum == Self.checksum(Self.parts(header, sealed)) else {
            throw .damaged(reason: "its checksum is wrong")
        }
        return SealedFile(header: try Header(decoding: header), sealed: sealed)
    }

    private static func parts(_ header: Bytes, _ sealed: Bytes) -> [CBOR] {
        [.text(name), .unsigned(FormatNumber.sealedFile.current), .bytes(header), .bytes(sealed)]
    }

    /// Detects accidental damage without the passphrase; the AEAD's tag detects intended changes.
    private static func checksum(_ parts: [CBOR]) -> Bytes {
        SHA256.hash(CBOR.array(parts).encoded())
    }
}

extension SealedFile.Header {
    func encoded() -> Bytes {
        CBOR.record([
            "wallet": material.coded,
            "kdf": .text("scrypt"),
            "n": .int(Int64(parameters.n)),
            "r": .int(Int64(parameters.r)),
            "p": .int(Int64(parameters.p)),
            "salt": .bytes(salt),
            "cipher": .text("chacha20-poly1305"),
            "nonce": .bytes(nonce),
            "check": .bytes(check),
        ]).encoded()
    }

    init(decoding bytes: Bytes) throws(KeystoreError) {
        guard let fields = try? CBOR.decode(bytes),
            fields["kdf"]?.textValue == "scrypt",
            fields["cipher"]?.textValue == "chacha20-poly1305",
            let material = fields["wallet"].flatMap({ PublicMaterial($0) }),
            let n = fields["n"]?.intValue, let r = fields["r"]?.intValue,
            let p = fields["p"]?.intValue, let salt = fields["salt"]?.bytesValue,
            let nonce = fields["nonce"]?.bytesValue, let check = fields["check"]?.bytesValue
        else { throw .damaged(reason: "its header lacks a field") }
        self.init(
            material: material, parameters: Scrypt.Parameters(n: Int(n), r: Int(r), p: Int(p)),
            salt: salt, nonce: nonce, check: check)
        // Only one encoding is accepted: the header must encode to the same bytes.
        guard encoded() == bytes, SealedFile.saltLengths.contains(salt.count),
            nonce.count == ChaCha20Poly1305.nonceLength, check.count == SealedFile.checkLength
        else { throw .damaged(reason: "its header has a field too many or of a wrong length") }
    }
}

/// A store of sealed secrets: the files of a `Keystore`, or a simulation's memory.
///
/// The name of a sealed secret is the fingerprint of its public material.
package protocol KeyVault: Sendable {
    /// Waits for the lock of a name, without which nothing may be sealed or unlocked under it.
    func lock(_ name: String) async throws(KeystoreError) -> KeyLock

    /// The present sealing of a secret, read without a passphrase.
    func sealing(of name: String) throws(KeystoreError) -> Sealing

    /// Seals a secret and its public material under a passphrase, durably.
    ///
    /// An earlier sealing of the same material is replaced: it holds the same secret.
    func seal(
        _ secret: borrowing WalletSecret, of material: PublicMaterial,
        passphrase: borrowing SecretBytes, salt: Bytes, nonce: Bytes
    ) throws(KeystoreError)

    /// Stores the public material of a watch-only wallet, durably.
    func watch(_ material: PublicMaterial) throws(KeystoreError)

    /// The public material of a sealed or watch-only wallet, read without a passphrase.
    func material(of name: String) throws(KeystoreError) -> PublicMaterial

    /// Unlocks a sealed secret, and checks that its public material follows from it.
    func unlock(
        name: String, passphrase: borrowing SecretBytes
    ) throws(KeystoreError) -> Signer

    /// Seals a wallet's secret again, under another passphrase; durable on return.
    func reseal(
        name: String, from old: borrowing SecretBytes, to new: borrowing SecretBytes,
        salt: Bytes, nonce: Bytes
    ) throws(KeystoreError)
}

/// Tells one sealing of a secret from the next: a changed passphrase makes another one.
package struct Sealing: Equatable, Sendable {
    private let mark: Bytes

    /// A sealing with bytes that no other one has.
    package init(mark: Bytes) { self.mark = mark }
}

/// The results of scrypt for a passphrase: the AEAD's key, and a check value.
///
/// The check value is safe to store beside the sealed bytes. It is a hash of bytes of scrypt's
/// output that nothing else uses, so it reveals nothing about the key. Each guess at the
/// passphrase costs a run of scrypt, with the check value as with the AEAD's own tag.
struct PassphraseKeys: ~Copyable {
    let key: SecretBytes
    let check: Bytes

    init(
        passphrase: borrowing SecretBytes, salt: Bytes, parameters: Scrypt.Parameters
    ) throws(KeyDerivationError) {
        let output = try Scrypt.derive(
            passphrase: passphrase, salt: salt, parameters: parameters, length: 64)
        key = output.withBytes { output in
            SecretBytes(copying: output.extracting(0..<ChaCha20Poly1305.keyLength))
        }
        let digest = output.withBytes { output in
            var hasher = SHA256Hasher()
            hasher.update(Bytes("daybook passphrase check".utf8))
            hasher.update(output.extracting(32..<64))
            return hasher.finish()
        }
        check = Bytes(digest.prefix(SealedFile.checkLength))
    }
}

/// The format of a watch-only wallet's file, which is not encrypted.
///
/// A CBOR array: a name, the version and the public material.
struct WatchFile: Equatable {
    let material: PublicMaterial

    init(material: PublicMaterial) {
        self.material = material
    }

    /// Decodes bytes that `encoded` wrote; nil for all others.
    init?(decoding bytes: Bytes) throws(KeystoreError) {
        guard let fields = (try? CBOR.decode(bytes))?.arrayValue, fields.count >= 2,
            fields[0].textValue == Self.name, let found = fields[1].uintValue
        else { return nil }
        try FormatNumber.watchFile.check(found, orThrow: KeystoreError.unknownFormat)
        guard fields.count == 3, let material = PublicMaterial(fields[2]) else { return nil }
        self.material = material
        guard encoded() == bytes else { return nil }
    }

    func encoded() -> Bytes {
        CBOR.array([
            .text(Self.name), .unsigned(FormatNumber.watchFile.current), material.coded,
        ]).encoded()
    }

    private static let name = "daybook watch"
}
