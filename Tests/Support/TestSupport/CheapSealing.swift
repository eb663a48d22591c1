package import DaybookCrypto
internal import DaybookEncoding
internal import DaybookSigner

extension Scrypt.Parameters {
    /// A key in microseconds: for the stores of tests alone.
    package static let cheap = Scrypt.Parameters(n: 16, r: 1, p: 1)
}

/// Sealed files whose passphrase is tried in microseconds.
///
/// The programs derive a key in 0.4 seconds and 128 MiB, as they must; a test that unlocks a
/// wallet several times would spend most of its time on that, and far more under valgrind.
public enum CheapSealing {
    /// Replaces the sealed file of each wallet in a store that no program has open.
    ///
    /// The passphrase stays. A file that a program seals later has the usual cost again.
    public static func apply(toStore home: String, passphrase: String) throws {
        let keystore = Keystore(folder: home + "/keys", parameters: .cheap)
        for name in try keystore.names() {
            var old = Array(passphrase.utf8)
            var new = old
            try keystore.reseal(
                name: name, from: SecretBytes(wiping: &old), to: SecretBytes(wiping: &new),
                salt: [UInt8](repeating: 1, count: 16), nonce: [UInt8](repeating: 2, count: 12))
        }
    }
}
