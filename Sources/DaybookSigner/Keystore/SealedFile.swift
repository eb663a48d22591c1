import DaybookChains
import DaybookCrypto
import DaybookEncoding

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
