import DaybookChains
import DaybookCrypto
import DaybookEncoding
import DaybookSystem
import Foundation
import Testing

@testable import DaybookSigner

@Suite struct KeystoreTests {
    private let folder: TemporaryFolder
    private let keystore: Keystore
    private var file: String { keystore.folder + "/dash.key" }

    static let salt = Bytes(repeating: 0xa5, count: 16)
    static let nonce = Bytes(repeating: 0x3c, count: 12)
    static let words = "legal winner thank year wave sausage worth useful legal winner thank yellow"
    static let cheap = Scrypt.Parameters(n: 16, r: 1, p: 1)

    init() throws {
        folder = try TemporaryFolder()
        keystore = Keystore(folder: folder.path + "/keys", parameters: Self.cheap)
    }

    @Test func `each sort of secret comes back`() throws {
        let path = try #require(DerivationPath("m/44'/5'/0'/0/0"))
        try seal("words")
        let words = try keystore.unlock(name: "words", passphrase: secret("open"))
        let expected = UnlockedWallet(.mnemonic(try Mnemonic(parsing: secret(Self.words))))!
        let (found, wanted) = (try words.publicKey(at: path), try expected.publicKey(at: path))
        #expect(found == wanted)
        for isCompressed in [true, false] {
            let name = isCompressed ? "compressed" : "uncompressed"
            let key = PrivateKey(SecretBytes(copying: Bytes(repeating: 9, count: 32)))!
            let wanted = key.publicKey
            try keystore.seal(
                .key(SingleKey(key, isCompressed: isCompressed)), name: name,
                passphrase: secret("open"), salt: Self.salt, nonce: Self.nonce)
            let wallet = try keystore.unlock(name: name, passphrase: secret("open"))
            let found = try wallet.publicKey(at: .master)
            #expect(found == wanted)
        }
        #expect(try keystore.names() == ["compressed", "uncompressed", "words"])
    }

    @Test func `the file is the owner's alone, and so is the folder`() throws {
        try seal("dash")
        #expect(try Files.information(file)?.mode == 0o600)
        #expect(try Files.information(keystore.folder)?.mode == 0o700)
        #expect(try Files.list(keystore.folder) == ["dash.key"])
    }

    @Test func `a wrong passphrase is named so`() throws {
        try seal("dash")
        for passphrase in ["", "Open", "open "] {
            #expect(throws: KeystoreError.wrongPassphrase) { try unlock(passphrase) }
        }
    }

    @Test func `an empty passphrase is a passphrase`() throws {
        try seal("dash", passphrase: "")
        try unlock("")
        #expect(throws: KeystoreError.wrongPassphrase) { try unlock("open") }
    }

    @Test func `every flipped bit is damage, never a wrong passphrase`() throws {
        try seal("dash")
        let bytes = try Files.read(file, limit: 4096)
        let unnoticed = (0..<(bytes.count * 8)).filter { bit in
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            do throws(KeystoreError) {
                _ = try SealedFile.decode(changed)
                return true
            } catch .damaged, .tooNew {
                // The version's own bits make the file too new.
                return false
            } catch {
                return true
            }
        }
        #expect(unnoticed == [])
    }

    @Test func `a cut file is damaged`() throws {
        try seal("dash")
        let bytes = try Files.read(file, limit: 4096)
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
        try Files.writeAtomically(file, Bytes(repeating: 0, count: 4097), mode: 0o600)
        let large = KeystoreError.damaged(reason: "it is no file of at most 4096 bytes")
        #expect(throws: large) { try unlock("open") }
    }

    @Test func `sealed bytes changed with care are damage, as the right passphrase shows`() throws {
        try seal("dash")
        var content = try SealedFile.decode(try Files.read(file, limit: 4096))
        content.sealed[0] ^= 1
        try Files.writeAtomically(file, content.encoded(), mode: 0o600)
        #expect(throws: KeystoreError.damaged(reason: "the sealed bytes were changed")) {
            try unlock("open")
        }
        #expect(throws: KeystoreError.wrongPassphrase) { try unlock("closed") }
    }

    @Test func `a changed header that keeps its checksum does not open`() throws {
        try seal("dash")
        let content = try SealedFile.decode(try Files.read(file, limit: 4096))
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
        try seal("dash")
        try Files.renameDurably(file, to: keystore.folder + "/axe.key")
        #expect(throws: KeystoreError.damaged(reason: "it is another wallet's")) {
            _ = try keystore.unlock(name: "axe", passphrase: secret("open")).publicKey(at: .master)
        }
    }

    @Test func `parameters that would stop the machine are refused at once`() throws {
        try seal("dash")
        var content = try SealedFile.decode(try Files.read(file, limit: 4096))
        content.header.parameters = Scrypt.Parameters(n: 1 << 40, r: 8, p: 1)
        try Files.writeAtomically(file, content.encoded(), mode: 0o600)
        let reason = "key derivation beyond the limit: scrypt n 1099511627776, r 8, p 1"
        #expect(throws: KeystoreError.damaged(reason: reason)) { try unlock("open") }
    }

    @Test func `a file of a later version is named so`() throws {
        try seal("dash")
        let later = CBOR.array([.text("daybook key"), .unsigned(2), .map([])]).encoded()
        try Files.writeAtomically(file, later, mode: 0o600)
        #expect(throws: KeystoreError.tooNew(found: 2, known: 1)) { try unlock("open") }
    }

    @Test func `a file that others may use is refused`() throws {
        try seal("dash")
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
            throws: KeystoreError.permission(reason: "others may change its folder (chmod 700)")
        ) { try unlock("open") }
    }

    @Test func `a missing file is named, and one that is there is not overwritten`() throws {
        #expect(throws: KeystoreError.missing("dash")) { try unlock("open") }
        #expect(throws: KeystoreError.missing("dash")) { try keystore.remove("dash") }
        #expect(try keystore.names().isEmpty)
        try seal("dash")
        let bytes = try Files.read(file, limit: 4096)
        #expect(throws: KeystoreError.exists("dash")) { try seal("dash", passphrase: "other") }
        #expect(try Files.read(file, limit: 4096) == bytes)
        try keystore.remove("dash")
        #expect(try !keystore.exists("dash"))
    }

    @Test(
        arguments: ["", "../dash", "a/b", "a.b", "Dash", "a\0b", String(repeating: "a", count: 65)])
    func `a name that is no plain file name is refused`(name: String) {
        #expect(throws: KeystoreError.invalid("name")) { try seal(name) }
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
                    .hexadecimal(secret(String(repeating: "1", count: 64))), name: "dash",
                    passphrase: secret("open"), salt: salt, nonce: nonce)
            }
            #expect((try? keystore.exists("dash")) == false)
        }
    }

    @Test func `a file of version 1 opens for ever`() throws {
        let golden = try Fixture.data("keys/sealed-v1.hex")
        let hex = String(decoding: golden, as: UTF8.self).filter { !$0.isWhitespace }
        try Files.createDirectories(keystore.folder, mode: 0o700)
        try Files.writeAtomically(file, Hex.decode(hex)!, mode: 0o600)
        let wallet = try keystore.unlock(name: "dash", passphrase: secret("open"))
        let path = try #require(DerivationPath("m/44'/5'/0'/0/0"))
        let expected = UnlockedWallet(.mnemonic(try Mnemonic(parsing: secret(Self.words))))!
        let (found, wanted) = (try wallet.publicKey(at: path), try expected.publicKey(at: path))
        #expect(found == wanted)
        try keystore.remove("dash")
        try seal("dash")
        #expect(try Hex.encode(Files.read(file, limit: 4096)) == hex)
    }

    @Test func `the standard parameters cost 32 MiB`() {
        let parameters = Keystore(folder: "keys").parameters
        #expect(128 * parameters.n * parameters.r == 32 << 20)
    }

    private func seal(_ name: String, passphrase: String = "open") throws {
        try keystore.seal(
            .mnemonic(try Mnemonic(parsing: secret(Self.words))), name: name,
            passphrase: secret(passphrase), salt: Self.salt, nonce: Self.nonce)
    }

    private func unlock(_ passphrase: String) throws {
        _ = try keystore.unlock(name: "dash", passphrase: secret(passphrase))
            .publicKey(at: .master)
    }
}
