import DaybookChains
import DaybookCrypto
import DaybookEncoding
import DaybookSystem
import Foundation
import Testing

@testable import DaybookSigner

/// Reads what lies under `Tests/Fixtures`.
enum Fixture {
    static func data(_ path: String) throws -> Data {
        let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Fixtures")
        return try Data(contentsOf: fixtures.appending(path: path))
    }

    static func file(_ path: String) throws -> Data {
        try FileHandle(forReadingFrom: URL(filePath: path)).readToEnd() ?? Data()
    }

    static func randomBytes(_ count: Int) throws -> Bytes {
        try Entropy.bytes(count)
    }

    static func load<Content: Decodable>(_ path: String, as type: Content.Type) throws -> Content {
        try JSONDecoder().decode(type, from: data(path))
    }
}

/// A folder of its own for one test, removed with all it holds when the test is over.
final class TemporaryFolder {
    let path: String

    init() throws {
        let name = try Hex.encode(Entropy.bytes(8))
        path = FileManager.default.temporaryDirectory.path + "/daybook-keystore-" + name
        try Files.createDirectory(path, mode: 0o700)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}

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
    /// What is public of the words on Dash's main network.
    static func material(accounts: [UInt32] = [0]) throws -> PublicMaterial {
        let secret = WalletSecret.mnemonic(try Mnemonic(parsing: secret(words)))
        return try #require(try secret.publicMaterial(.dash, .mainnet, accounts: accounts))
    }
}
