import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Testing

@testable import DaybookSigner

/// A secret of public test data.
func secret(_ text: String) -> SecretBytes {
    SecretBytes(copying: Bytes(text.utf8))
}

/// A secret of public test data in hexadecimal.
func secret(hex: String) -> SecretBytes {
    SecretBytes(copying: Hex.decode(hex)!)
}

extension SecretBytes {
    /// The bytes, for comparison: the secrets of tests are public.
    func plain() -> Bytes {
        withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }
}

extension PrivateKey {
    /// The bytes, for comparison: the keys of tests are public.
    func plain() -> Bytes {
        withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }
}

extension KeystoreTests {
    /// The public part of the mnemonic's wallet on Dash's main network.
    static func material(accounts: [UInt32] = [0]) throws -> PublicMaterial {
        let secret = WalletSecret.mnemonic(try Mnemonic(parsing: secret(words)))
        return try #require(try secret.publicMaterial(.dash, .mainnet, accounts: accounts))
    }
}
