import DaybookChains
import DaybookCrypto
import DaybookEncoding
import DaybookSystem
import Foundation
import Testing
import TestSupport

@testable import DaybookSigner

@Suite struct KeystoreTests {
    private let folder: TemporaryFolder
    private let keystore: Keystore
    private let name: String
    private var file: String { keystore.folder + "/\(name).key" }

    static let salt = Bytes(repeating: 0xa5, count: 16)
    static let nonce = Bytes(repeating: 0x3c, count: 12)
    static let words = "legal winner thank year wave sausage worth useful legal winner thank yellow"
    init() throws {
        folder = try TemporaryFolder()
        keystore = Keystore(folder: folder.path + "/keys", parameters: .cheap)
        name = try Self.material().fingerprint
    }

    @Test func `each sort of secret comes back`() throws {
        let path = try #require(DerivationPath("m/44'/5'/0'/0/0"))
        try seal()
        let words = try keystore.unlock(name: name, passphrase: secret("open"))
        let expected = UnlockedKeys(.mnemonic(try Mnemonic(parsing: secret(Self.words))))!
        let (found, wanted) = (try words.keys.publicKey(at: path), try expected.publicKey(at: path))
        #expect(found == wanted)
        var names = [name]
        for isCompressed in [true, false] {
            let key = PrivateKey(SecretBytes(copying: Bytes(repeating: 9, count: 32)))!
            let wanted = key.publicKey
            let single = WalletSecret.key(SingleKey(key, isCompressed: isCompressed))
            let material = try #require(try single.publicMaterial(.axe, .testnet))
            try keystore.seal(
                single, of: material, passphrase: secret("open"), salt: Self.salt,
                nonce: Self.nonce)
            let wallet = try keystore.unlock(
                name: material.fingerprint, passphrase: secret("open"))
            let found = try wallet.keys.publicKey(at: .master)
            #expect(found == wanted)
            #expect(try keystore.material(of: material.fingerprint) == material)
            names.append(material.fingerprint)
        }
        #expect(try keystore.names() == names.sorted())
    }

    @Test func `the public part is read without the passphrase, as it was sealed`() throws {
        let material = try Self.material(accounts: [0, 1, 7])
        try seal(material)
        #expect(try keystore.material(of: material.fingerprint) == material)
        #expect(throws: KeystoreError.missing(name)) { try keystore.material(of: name) }
        let many = try Self.material(accounts: (0..<100).map { UInt32($0) })
        try seal(many)
        #expect(try keystore.material(of: many.fingerprint) == many)
    }

    @Test func `other public keys than those of the secret are not sealed`() throws {
        let own = try Self.material()
        // The first three are what the same words are elsewhere.
        for other in Self.forgeries(of: own).dropFirst(3) {
            #expect(throws: KeystoreError.invalid("public material")) { try seal(other) }
        }
        #expect(try keystore.names().isEmpty)
    }

    /// An attacker who can write the header, its checksum and the name, but has no passphrase.
    @Test func `a header with other public keys is another wallet's, and does not open`() throws {
        try seal()
        let honest = try SealedFile.decode(try Files.read(file, limit: SealedFile.maximumSize))
        for other in Self.forgeries(of: honest.header.material) {
            var forged = honest
            forged.header.material = other
            try Files.writeAtomically(file, forged.encoded(), mode: 0o600)
            let another = KeystoreError.damaged(reason: "it is another wallet's")
            #expect(throws: another) { try keystore.material(of: name) }
            #expect(throws: another) { try unlock("open") }
            let path = keystore.folder + "/\(other.fingerprint).key"
            try Files.writeAtomically(path, forged.encoded(), mode: 0o600)
            #expect(throws: KeystoreError.damaged(reason: "the sealed bytes were changed")) {
                try unlock("open", name: other.fingerprint)
            }
        }
    }

    /// A file with a false header that was sealed under its passphrase, as a faulty program would.
    @Test func `public keys that do not follow from the secret are damage`() throws {
        let other = try Self.material(accounts: [1])
        let keys = try PassphraseKeys(
            passphrase: secret("open"), salt: Self.salt, parameters: .cheap)
        let header = SealedFile.Header(
            material: other, parameters: .cheap, salt: Self.salt, nonce: Self.nonce,
            check: keys.check)
        let key = WalletSecret.key(
            SingleKey(PrivateKey(SecretBytes(copying: Bytes(repeating: 9, count: 32)))!))
        let sealed = ChaCha20Poly1305.seal(
            key.encoded(), key: keys.key, nonce: Self.nonce, associatedData: header.encoded())!
        try Files.createDirectories(keystore.folder, mode: 0o700)
        try Files.writeAtomically(
            keystore.folder + "/\(other.fingerprint).key",
            SealedFile(header: header, sealed: sealed).encoded(), mode: 0o600)
        #expect(
            throws: KeystoreError.damaged(reason: "its public keys are not those of its secret")
        ) { try unlock("open", name: other.fingerprint) }
    }

    /// The material with each of its values altered.
    private static func forgeries(of own: PublicMaterial) -> [PublicMaterial] {
        guard case .accounts(let accounts) = own.keys, let first = accounts.first else { return [] }
        func changed(_ account: PublicMaterial.Account) -> PublicMaterial {
            PublicMaterial(
                chain: own.chain, network: own.network, networkID: nil, keys: .accounts([account]))
        }
        func account(
            number: UInt32? = nil, bip32: String? = nil, bip44: String? = nil,
            coinType: UInt32? = nil
        ) -> PublicMaterial.Account {
            .init(
                number: number ?? first.number, bip32: bip32 ?? first.bip32,
                bip44: bip44 ?? first.bip44, coinType: coinType ?? first.coinType)
        }
        return [
            PublicMaterial(chain: .axe, network: own.network, networkID: nil, keys: own.keys),
            PublicMaterial(chain: own.chain, network: .sandbox, networkID: nil, keys: own.keys),
            PublicMaterial(chain: own.chain, network: own.network, networkID: 1, keys: own.keys),
            changed(account(number: 1)), changed(account(bip32: first.bip44)),
            changed(account(bip44: first.bip32)), changed(account(coinType: 1)),
        ]
    }

    @Test func `a wallet sealed again opens with its new passphrase only`() throws {
        try seal()
        let before = try SealedFile.decode(try Files.read(file, limit: SealedFile.maximumSize))
        let (salt, nonce) = (Bytes(repeating: 7, count: 32), Bytes(repeating: 8, count: 12))
        let stronger = Keystore(folder: keystore.folder, parameters: .init(n: 32, r: 2, p: 1))
        #expect(throws: KeystoreError.wrongPassphrase) {
            try stronger.reseal(
                name: name, from: secret("wrong"), to: secret("new"), salt: salt, nonce: nonce)
        }
        #expect(throws: KeystoreError.invalid("salt")) {
            try stronger.reseal(
                name: name, from: secret("open"), to: secret("new"), salt: [], nonce: nonce)
        }
        try unlock("open")
        try stronger.reseal(
            name: name, from: secret("open"), to: secret("new"), salt: salt, nonce: nonce)
        try unlock("new")
        #expect(throws: KeystoreError.wrongPassphrase) { try unlock("open") }
        let after = try SealedFile.decode(try Files.read(file, limit: SealedFile.maximumSize))
        #expect(after.header.material == before.header.material)
        #expect(after.header.parameters == stronger.parameters)
        #expect((after.header.salt, after.header.nonce) == (salt, nonce))
        #expect(try Files.information(file)?.mode == 0o600)
        #expect(try keystore.names() == [name])
        #expect(throws: KeystoreError.missing("none")) {
            try stronger.reseal(
                name: "none", from: secret("open"), to: secret("new"), salt: salt, nonce: nonce)
        }
    }

    @Test func `the file is the owner's alone, and so is the folder`() throws {
        try seal()
        #expect(try Files.information(file)?.mode == 0o600)
        #expect(try Files.information(keystore.folder)?.mode == 0o700)
        #expect(try Files.list(keystore.folder) == ["\(name).key"])
    }

    @Test func `a wrong passphrase is named so`() throws {
        try seal()
        for passphrase in ["", "Open", "open "] {
            #expect(throws: KeystoreError.wrongPassphrase) { try unlock(passphrase) }
        }
    }

    @Test func `an empty passphrase is a passphrase`() throws {
        try seal(passphrase: "")
        try unlock("")
        #expect(throws: KeystoreError.wrongPassphrase) { try unlock("open") }
    }

    @Test func `every flipped bit is damage, never a wrong passphrase`() throws {
        try seal()
        let bytes = try Files.read(file, limit: SealedFile.maximumSize)
        let unnoticed = (0..<(bytes.count * 8)).filter { bit in
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            do throws(KeystoreError) {
                _ = try SealedFile.decode(changed)
                return true
            } catch .damaged, .unknownFormat {
                // The number's own bits make it an unknown one.
                return false
            } catch {
                return true
            }
        }
        #expect(unnoticed == [])
    }

    @Test func `a cut file is damaged`() throws {
        try seal()
        let bytes = try Files.read(file, limit: SealedFile.maximumSize)
        for count in 0..<bytes.count {
            #expect {
                _ = try SealedFile.decode(Bytes(bytes.prefix(count)))
            } throws: { error in
                if case KeystoreError.damaged = error { true } else { false }
            }
        }
        try Files.writeAtomically(file, [], mode: 0o600)
        let empty = KeystoreError.damaged(reason: "cbor at byte 0: ends in the middle of an item")
        #expect(throws: empty) { try unlock("open") }
        try Files.writeAtomically(file, bytes + [0], mode: 0o600)
        let longer = KeystoreError.damaged(
            reason: "cbor at byte \(bytes.count): has bytes after the value")
        #expect(throws: longer) { try unlock("open") }
        let tooMuch = Bytes(repeating: 0, count: SealedFile.maximumSize + 1)
        try Files.writeAtomically(file, tooMuch, mode: 0o600)
        let large = KeystoreError.damaged(reason: "it is no file of at most 65536 bytes")
        #expect(throws: large) { try unlock("open") }
    }

    @Test func `sealed bytes changed with care are damage, as the right passphrase shows`() throws {
        try seal()
        var content = try SealedFile.decode(try Files.read(file, limit: SealedFile.maximumSize))
        content.sealed[0] ^= 1
        try Files.writeAtomically(file, content.encoded(), mode: 0o600)
        #expect(throws: KeystoreError.damaged(reason: "the sealed bytes were changed")) {
            try unlock("open")
        }
        #expect(throws: KeystoreError.wrongPassphrase) { try unlock("closed") }
    }

    @Test func `a changed header that keeps its checksum does not open`() throws {
        try seal()
        let content = try SealedFile.decode(try Files.read(file, limit: SealedFile.maximumSize))
        var nonce = content
        nonce.header.nonce[0] ^= 1
        try Files.writeAtomically(file, nonce.encoded(), mode: 0o600)
        #expect(throws: KeystoreError.damaged(reason: "the sealed bytes were changed")) {
            try unlock("open")
        }
        var salt = content
        salt.header.salt[0] ^= 1
        try Files.writeAtomically(file, salt.encoded(), mode: 0o600)
        #expect(throws: KeystoreError.wrongPassphrase) { try unlock("open") }
    }

    @Test func `a file renamed to another wallet's is refused`() throws {
        try seal()
        try Files.renameDurably(file, to: keystore.folder + "/axe.key")
        #expect(throws: KeystoreError.damaged(reason: "it is another wallet's")) {
            _ = try keystore.unlock(name: "axe", passphrase: secret("open"))
                .keys.publicKey(at: .master)
        }
    }

    @Test func `parameters that would stop the machine are refused at once`() throws {
        try seal()
        var content = try SealedFile.decode(try Files.read(file, limit: SealedFile.maximumSize))
        content.header.parameters = Scrypt.Parameters(n: 1 << 40, r: 8, p: 1)
        try Files.writeAtomically(file, content.encoded(), mode: 0o600)
        let reason = "key derivation beyond the limit: scrypt n 1099511627776, r 8, p 1"
        #expect(throws: KeystoreError.damaged(reason: reason)) { try unlock("open") }
    }

    @Test(arguments: [(11, false), (1, true), (0, true)] as [(UInt64, Bool)])
    func `a file of another program is named so`(number: UInt64, isOld: Bool) throws {
        try seal()
        let other = CBOR.array([.text("daybook key"), .unsigned(number), .map([])]).encoded()
        try Files.writeAtomically(file, other, mode: 0o600)
        let expected = isOld
            ? "the format of the sealed key file \(number) was written by a development version "
                + "before 1.0; restore the wallet from its words"
            : "the format of the sealed key file 11 is newer than 10, the last one known; use the "
                + "program that wrote it"
        let error = #expect(throws: KeystoreError.self) { try unlock("open") }
        #expect(error?.description == expected)
    }

    @Test func `a file that others may use is refused`() throws {
        try seal()
        for mode in [0o640, 0o604, 0o620, 0o601] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
            #expect(
                throws: KeystoreError.permission(
                    reason: "others than its owner may use it (chmod 600)")
            ) { try unlock("open") }
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: file)
        try unlock("open")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o777], ofItemAtPath: keystore.folder)
        #expect(
            throws: KeystoreError.permission(reason: "others may use its folder (chmod 700)")
        ) { try unlock("open") }
    }

    @Test(arguments: [0o750, 0o720, 0o701, 0o705])
    func `a folder that others may use is refused, the store's too`(mode: Int) throws {
        let keystore = Keystore(
            folder: self.keystore.folder, of: folder.path, parameters: .cheap)
        try seal()
        for (path, name) in [(keystore.folder, "its folder"), (folder.path, "the store's folder")] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            let refused = KeystoreError.permission(
                reason: "others may use \(name) (chmod 700)")
            #expect(throws: refused) {
                _ = try keystore.unlock(name: self.name, passphrase: secret("open"))
                    .keys.publicKey(at: .master)
            }
            #expect(throws: refused) { _ = try keystore.material(of: self.name) }
            #expect(throws: refused) {
                try keystore.seal(
                    .mnemonic(try Mnemonic(parsing: secret(Self.words))),
                    of: try Self.material(accounts: [3]), passphrase: secret("open"),
                    salt: Self.salt, nonce: Self.nonce)
            }
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        }
    }

    @Test func `a missing file is named, and one of the same secret gets a new passphrase`()
        throws
    {
        #expect(throws: KeystoreError.missing(name)) { try unlock("open") }
        #expect(throws: KeystoreError.missing(name)) { try keystore.remove(name) }
        #expect(try keystore.names().isEmpty)
        try seal()
        try seal(passphrase: "other")
        #expect(throws: KeystoreError.wrongPassphrase) { try unlock("open") }
        try unlock("other")
        try keystore.remove(name)
        #expect(try !keystore.exists(name))
    }

    @Test(
        arguments: ["", "../dash", "a/b", "a.b", "Dash", "a\0b", String(repeating: "a", count: 65)])
    func `a name that is no plain file name is refused`(name: String) {
        #expect(throws: KeystoreError.invalid("name")) { _ = try keystore.material(of: name) }
        #expect(throws: KeystoreError.invalid("name")) { try unlock("open", name: name) }
        #expect(throws: KeystoreError.invalid("name")) { _ = try keystore.exists(name) }
    }

    @Test func `a salt or nonce of another length is refused`() {
        for (salt, nonce, what) in [
            (Bytes(repeating: 1, count: 15), Self.nonce, "salt"),
            (Bytes(repeating: 1, count: 65), Self.nonce, "salt"),
            (Self.salt, Bytes(repeating: 1, count: 11), "nonce"),
        ] {
            #expect(throws: KeystoreError.invalid(what)) {
                try keystore.seal(
                    .mnemonic(try Mnemonic(parsing: secret(Self.words))),
                    of: try Self.material(), passphrase: secret("open"), salt: salt,
                    nonce: nonce)
            }
            #expect((try? keystore.exists(name)) == false)
        }
    }

    @Test func `a file of number 10 opens for ever`() throws {
        let golden = try Fixture.data("keys/sealed-10.hex")
        let hex = String(decoding: golden, as: UTF8.self).filter { !$0.isWhitespace }
        try Files.createDirectories(keystore.folder, mode: 0o700)
        try Files.writeAtomically(file, Hex.decode(hex)!, mode: 0o600)
        let wallet = try keystore.unlock(name: name, passphrase: secret("open"))
        let path = try #require(DerivationPath("m/44'/5'/0'/0/0"))
        let expected = UnlockedKeys(.mnemonic(try Mnemonic(parsing: secret(Self.words))))!
        let found = try wallet.keys.publicKey(at: path) == (try expected.publicKey(at: path))
        #expect(found)
        try keystore.remove(name)
        try seal()
        #expect(try Hex.encode(Files.read(file, limit: SealedFile.maximumSize)) == hex)
    }

    @Test func `the standard parameters cost 128 MiB, and are within the limits`() throws {
        let parameters = Keystore(folder: "keys").parameters
        #expect(128 * parameters.n * parameters.r == 128 << 20)
        _ = try Scrypt.derive(
            passphrase: secret("open"), salt: Self.salt, parameters: parameters, length: 64)
    }

    @Test func `a file sealed with other parameters opens`() throws {
        let old = Keystore(folder: keystore.folder, parameters: .init(n: 1 << 15, r: 8, p: 1))
        try old.seal(
            .mnemonic(try Mnemonic(parsing: secret(Self.words))), of: try Self.material(),
            passphrase: secret("open"), salt: Self.salt, nonce: Self.nonce)
        try unlock("open")
    }

    private func seal(
        _ material: PublicMaterial? = nil, passphrase: String = "open"
    ) throws {
        try keystore.seal(
            .mnemonic(try Mnemonic(parsing: secret(Self.words))),
            of: try material ?? Self.material(), passphrase: secret(passphrase), salt: Self.salt,
            nonce: Self.nonce)
    }

    private func unlock(_ passphrase: String, name: String? = nil) throws {
        _ = try keystore.unlock(name: name ?? self.name, passphrase: secret(passphrase))
            .keys.publicKey(at: .master)
    }
}
