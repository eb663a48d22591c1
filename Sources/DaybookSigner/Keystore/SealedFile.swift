package import DaybookChains
package import DaybookCrypto
package import DaybookEncoding

/// The bytes of a sealed wallet file and what they mean (`docs/THREAT_MODEL.md` says why so).
///
/// A file is a CBOR array: a name, the version, the header's bytes, the sealed bytes and a SHA-256
/// over the four before it. The header's bytes are the associated data of the sealed bytes.
struct SealedFile: Equatable {
    var header: Header
    var sealed: Bytes

    /// What must be known before the passphrase is.
    struct Header: Equatable {
        /// Whose secret it is; its fingerprint is the file's name.
        var material: PublicMaterial
        var parameters: Scrypt.Parameters
        var salt: Bytes
        var nonce: Bytes
        /// Tells a wrong passphrase from damage; `PassphraseKeys` makes it.
        var check: Bytes
    }

    static let name = "daybook key"
    static let version: UInt64 = 1
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
        guard found <= version else { throw .tooNew(found: found, known: version) }
        guard found == version, fields.count == 5, let header = fields[2].bytesValue,
            let sealed = fields[3].bytesValue, let checksum = fields[4].bytesValue
        else { throw .damaged(reason: "a part is missing") }
        guard checksum == Self.checksum(Self.parts(header, sealed)) else {
            throw .damaged(reason: "its checksum is wrong")
        }
        return SealedFile(header: try Header(decoding: header), sealed: sealed)
    }

    private static func parts(_ header: Bytes, _ sealed: Bytes) -> [CBOR] {
        [.text(name), .unsigned(version), .bytes(header), .bytes(sealed)]
    }

    /// Notices accidental damage without the passphrase; against intent there is the AEAD's tag.
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
        // One spelling: the same header written again is the same bytes.
        guard encoded() == bytes, SealedFile.saltLengths.contains(salt.count),
            nonce.count == ChaCha20Poly1305.nonceLength, check.count == SealedFile.checkLength
        else { throw .damaged(reason: "its header has a field too many or of a wrong length") }
    }
}

/// Where wallets' secrets are sealed: the files of a `Keystore`, or a simulation's memory.
///
/// The name of what is sealed is its public material's fingerprint.
package protocol KeyVault: Sendable {
    /// Seals a secret under a passphrase, durably, with the public material that follows from it.
    ///
    /// Throws `exists` where a wallet of the same material is sealed already.
    func seal(
        _ secret: borrowing WalletSecret, of material: PublicMaterial,
        passphrase: borrowing SecretBytes, salt: Bytes, nonce: Bytes
    ) throws(KeystoreError)

    /// Keeps the public material of a wallet whose secret is elsewhere, durably.
    func watch(_ material: PublicMaterial) throws(KeystoreError)

    /// What was sealed with the secret of that name, or is watched: read without a passphrase.
    func material(of name: String) throws(KeystoreError) -> PublicMaterial

    /// Opens what was sealed under a name; its public material follows from the secret.
    func unlock(
        name: String, passphrase: borrowing SecretBytes
    ) throws(KeystoreError) -> Signer

    /// Seals a wallet's secret again, under another passphrase; durable on return.
    func reseal(
        name: String, from old: borrowing SecretBytes, to new: borrowing SecretBytes,
        salt: Bytes, nonce: Bytes
    ) throws(KeystoreError)
}

/// What scrypt makes of a passphrase: the key of the AEAD, and a value to check the passphrase by.
///
/// The check value is safe to store beside the sealed bytes. It comes from bytes of scrypt's
/// output that nothing else uses, so that it says nothing about the key, and it goes through a
/// hash. Whoever guesses passphrases by it pays scrypt's price for each guess, as with the AEAD's
/// own tag, which is just such a check: the value gives them nothing that they did not have.
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

/// The bytes of the file that a watched wallet has in place of a sealed one: all in the clear.
///
/// A CBOR array: a name, the version and the public material.
struct WatchFile: Equatable {
    let material: PublicMaterial

    init(material: PublicMaterial) {
        self.material = material
    }

    /// What bytes spell that `encoded` wrote; nil for all others.
    init?(decoding bytes: Bytes) {
        guard let fields = (try? CBOR.decode(bytes))?.arrayValue, fields.count == 3,
            fields[0].textValue == Self.name, fields[1].uintValue == Self.version,
            let material = PublicMaterial(fields[2])
        else { return nil }
        self.material = material
        guard encoded() == bytes else { return nil }
    }

    func encoded() -> Bytes {
        CBOR.array([.text(Self.name), .unsigned(Self.version), material.coded]).encoded()
    }

    private static let name = "daybook watch"
    private static let version: UInt64 = 1
}
