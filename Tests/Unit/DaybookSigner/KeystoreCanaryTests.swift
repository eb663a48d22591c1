import DaybookChains
import DaybookCrypto
import DaybookEncoding
import DaybookSystem
import Foundation
import Testing
import TestSupport

@testable import DaybookSigner

/// Plants secrets, uses the keystore in every way, also in vain, and searches for leaks.
@Suite struct KeystoreCanaryTests {
    private let folder: TemporaryFolder
    private let keystore: Keystore
    private let dash = UTXOParameters.of(.dash, .mainnet)!

    static let passphrase = "quince-Lantern 77 überfluss"
    static let words =
        "ozone drill grab fiber curtain grace pudding thank cruise elder eight picnic"
    static let key = Bytes((0..<32).map { UInt8($0 * 5 + 77) })
    static let wif = Base58Check.encode([204] + key + [1])

    init() throws {
        folder = try TemporaryFolder()
        keystore = Keystore(
            folder: folder.path + "/keys", parameters: .cheap)
    }

    @Test func `no planted secret appears in a file or an error`() throws {
        let canary = try Canary(planted())
        var traces = try useTheKeystore()
        traces += try misuseTheKeystore()
        traces += misuseImports()
        #expect(traces.count > 25)
        for name in try Files.list(keystore.folder) {
            traces.append(Bytes(name.utf8))
            traces.append(try Files.read("\(keystore.folder)/\(name)", limit: 1 << 20))
        }
        for trace in traces {
            #expect(canary.found(in: trace) == nil)
        }
    }

    @Test func `a secret that leaks in any form is found`() throws {
        let canary = try Canary(planted())
        for (name, secret) in try planted() {
            for leak in [
                secret, Bytes(Hex.encode(secret).utf8), Bytes(Hex.encode(secret).uppercased().utf8),
                Bytes(Base58.encode(secret).utf8), Bytes(Base64.encode(secret).utf8),
                Bytes(Base64.encode([1] + secret).utf8), Bytes(Base64.encode([1, 2] + secret).utf8),
                Bytes(secret.prefix(12)), Bytes(secret.suffix(12)),
            ] {
                #expect(canary.found(in: [1, 2] + leak + [3]) != nil, "\(name)")
            }
        }
        #expect(canary.found(in: Bytes("an innocent text about a wallet".utf8)) == nil)
    }

    /// Every secret that one of the wallets has, by name.
    private func planted() throws -> [(String, Bytes)] {
        let mnemonic = try Mnemonic(parsing: secret(Self.words))
        let seed = try mnemonic.seed().plain()
        let path = try #require(DerivationPath("m/44'/5'/0'/0/0"))
        let account = try #require(DerivationPath("m/44'/5'/0'"))
        let child = ExtendedPrivateKey(seed: SecretBytes(copying: seed))?
            .descendant(path)?.key.plain()
        let xprv = ExtendedPrivateKey(seed: SecretBytes(copying: seed))?
            .descendant(account)?.xprv(.main)
        let master = ExtendedPrivateKey(seed: SecretBytes(copying: seed))?.key.plain()
        return [
            ("passphrase", Bytes(Self.passphrase.utf8)), ("words", Bytes(Self.words.utf8)),
            ("entropy", mnemonic.entropy.plain()), ("seed", seed), ("master key", master!),
            ("account", Bytes(xprv!.utf8)), ("child key", child!), ("key", Self.key),
            ("wif", Bytes(Self.wif.utf8)),
        ]
    }

    private func useTheKeystore() throws -> [Bytes] {
        var traces: [Bytes] = []
        for isKey in [false, true] {
            let secret = try planted(isKey: isKey)
            let material = try #require(try secret.publicMaterial(.dash, .mainnet))
            traces.append(Canary.trace(of: material as Any))
            try seal(secret)
            let wallet = try keystore.unlock(
                name: material.fingerprint, passphrase: DaybookSignerTests.secret(Self.passphrase))
            let path = isKey ? DerivationPath.master : .legacyAccount
            traces.append(Canary.trace(of: wallet.material))
            traces.append(Canary.trace(of: try wallet.keys.publicKey(at: path)))
        }
        return traces
    }

    private func misuseTheKeystore() throws -> [Bytes] {
        let file = try keystore.folder + "/\(name(isKey: false)).key"
        let intact = try Files.read(file, limit: 4096)
        var traces = [
            error {
                try keystore.seal(
                    planted(isKey: false), of: KeystoreTests.material(accounts: [9]),
                    passphrase: secret(Self.passphrase), salt: KeystoreTests.salt,
                    nonce: KeystoreTests.nonce)
            },
            error {
                try keystore.reseal(
                    name: name(isKey: false), from: secret(Self.passphrase),
                    to: secret(Self.passphrase + "y"), salt: [], nonce: KeystoreTests.nonce)
            },
            error { try unlock(Self.passphrase + "x") },
            error { try unlock(String(Self.passphrase.dropLast())) },
            error { try unlock(Self.passphrase, name: "none") },
            error {
                let wallet = try keystore.unlock(
                    name: name(isKey: true), passphrase: secret(Self.passphrase))
                _ = try wallet.key(at: .legacyAccount)
            },
        ]
        for index in stride(from: 0, to: intact.count, by: 20) {
            var changed = intact
            changed[index] ^= 0x11
            try Files.writeAtomically(file, changed, mode: 0o600)
            traces.append(error { try unlock(Self.passphrase) })
        }
        try Files.writeAtomically(file, intact, mode: 0o644)
        traces.append(error { try unlock(Self.passphrase) })
        try Files.writeAtomically(file, intact, mode: 0o600)
        return traces
    }

    private func misuseImports() -> [Bytes] {
        let hex = Hex.encode(Self.key)
        return [
            error { _ = try Mnemonic(parsing: secret(Self.words + " above")).entropy.count },
            error {
                _ = try Mnemonic(parsing: secret(String(Self.words.dropLast()))).entropy.count
            },
            error {
                let turned = Self.words.split(separator: " ").reversed().joined(separator: " ")
                _ = try Mnemonic(parsing: secret(turned)).entropy.count
            },
            error { try importing(.wif(secret(Self.wif + "1"), dash)) },
            error { try importing(.wif(secret(Self.wif.dropLast() + "z"), dash)) },
            error { try importing(.wif(secret(Self.wif.dropLast() + "0"), dash)) },
            error { try importing(.wif(secret(Self.wif), UTXOParameters.of(.axe, .testnet)!)) },
            error { try importing(.hexadecimal(secret(hex.dropLast() + "g"))) },
            error { try importing(.hexadecimal(secret(hex + "00"))) },
            error { _ = try ICONKeystoreFile(Bytes(hex.utf8)) },
            error { _ = try ICONKeystoreFile(Bytes("{\"version\":\"\(hex)\"}".utf8)) },
            error {
                _ = try ICONKeystoreFile(
                    Bytes("{\"version\":3,\"crypto\":{\"cipher\":\"\(Self.passphrase)\"}}".utf8))
            },
        ]
    }

    private func planted(isKey: Bool) throws -> WalletSecret {
        isKey
            ? try .wif(secret(Self.wif), dash)
            : .mnemonic(try Mnemonic(parsing: secret(Self.words)))
    }

    private func name(isKey: Bool) throws -> String {
        try #require(try planted(isKey: isKey).publicMaterial(.dash, .mainnet)).fingerprint
    }

    private func seal(_ sealed: consuming WalletSecret) throws {
        try keystore.seal(
            sealed, of: #require(try sealed.publicMaterial(.dash, .mainnet)),
            passphrase: secret(Self.passphrase), salt: KeystoreTests.salt,
            nonce: KeystoreTests.nonce)
    }

    private func unlock(_ passphrase: String, name: String? = nil) throws {
        _ = try keystore.unlock(
            name: name ?? self.name(isKey: false), passphrase: secret(passphrase)
        ).keys.publicKey(at: .master)
    }

    private func importing(_ imported: consuming WalletSecret) throws {
        _ = UnlockedKeys(imported) == nil
    }

    /// All that an error shows, to people and to a debugger; a call that works is a failed test.
    private func error(_ body: () throws -> Void) -> Bytes {
        do {
            try body()
            Issue.record("this was to fail")
            return []
        } catch {
            return Canary.trace(of: error)
        }
    }
}
