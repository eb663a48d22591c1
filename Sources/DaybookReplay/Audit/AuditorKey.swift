package import DaybookCrypto
import DaybookEncoding
package import DaybookLog

/// An auditor's own key pair, which signs results of audits: never the log's key.
package final class AuditorKey: Sendable {
    private let key: NoteSigningKey

    /// The name of auditors' keys in signature lines; the key itself says whose it is.
    private static let name: NoteKeyName = {
        guard let name = try? NoteKeyName("daybook-auditor") else {
            preconditionFailure("letters and a hyphen are a name")
        }
        return name
    }()

    /// The key in a PEM file (PKCS#8); nil if there is no key of Ed25519 that is not encrypted.
    package init?(pem: borrowing SecretBytes) {
        guard let key = Ed25519PrivateKey(pem: pem) else { return nil }
        self.key = NoteSigningKey(name: Self.name, privateKey: key)
    }

    /// The public key that verifies its signatures.
    package var verifierKey: NoteVerifierKey { key.verifierKey }

    /// The public key in a PEM file; nil if there is no key of Ed25519.
    package static func verifierKey(pem: [UInt8]) -> NoteVerifierKey? {
        Ed25519PublicKey(pem: pem).map { NoteVerifierKey(name: name, publicKey: $0) }
    }

    func sign(_ text: [UInt8]) -> SignedNote { key.sign(text: text) }
}
