import DaybookEncoding
import DaybookSystem
import Foundation
import Testing
import TestSupport

/// ICON keystore files as other wallets write them, and as attackers would.
struct KeystoreFileTests {
    private let scene: Scene
    private let file: String
    private let password: String
    private let address: String

    init() throws {
        scene = try Scene()
        let json = try Fixture.json("icon/icon.json")
        let entry = try #require(json["keystores"]?.arrayValue?.first)
        file = try #require(entry["keystore"]).text()
        password = try #require(entry["password"]?.stringValue)
        address = try #require(entry["address"]?.stringValue)
    }

    private func add(_ text: String, own: String? = nil) throws -> ProgramRun {
        let keystore = try scene.write("keystore", text)
        let options =
            try own.map { ["--keystore-passphrase-file", try scene.write("own", $0)] } ?? []
        return try Programs.run(
            [
                Programs.daybook, "wallet", "add", "--chain", "icon", "--keystore",
                keystore, "--passphrase-file", scene.path("passphrase"), "--json",
            ] + options, environment: ["DAYBOOK_HOME": scene.home])
    }

    @Test func `it opens with its own password`() throws {
        #expect(try add(file, own: password + "\n").object["address"]?.stringValue == address)
    }

    @Test func `without a password of its own the wallet's passphrase is tried`() throws {
        try add(file).expectFailure(4, "wrongPassphrase", of: "wallet add")
        try scene.write("passphrase", password)
        #expect(try add(file).status == 0)
    }

    @Test func `a wrong MAC can't be told from a wrong password`() throws {
        let mac = try #require(JSON.parse(Array(file.utf8))["crypto"]?["mac"]?.stringValue)
        let wrong = file.replacing(mac, with: String(mac.reversed()))
        try add(wrong, own: password).expectFailure(4, "wrongPassphrase", of: "wallet add")
    }

    @Test(arguments: ["1073741824", "16385", "0", "-1", "1e9"])
    func `absurd scrypt parameters are refused`(cost: String) throws {
        let absurd = file.replacing(#""n":16384"#, with: #""n":\#(cost)"#)
        #expect(absurd != file)
        try add(absurd, own: password).expectFailure(2, "invalidKeystore", of: "wallet add")
    }

    @Test(arguments: [("Crypto", ""), ("CRYPTO", "0x"), ("crypto", "hx")])
    func `it opens as other programs spell it`(crypto: String, prefix: String) throws {
        let named = try #require(JSON.parse(Array(file.utf8))["address"]?.stringValue)
        let other = "\(prefix)\(named.dropFirst(2).uppercased())"
        let spelled = file.replacing(#""crypto""#, with: "\"\(crypto)\"")
            .replacing("\"\(named)\"", with: "\"\(other)\"")
        #expect(try add(spelled, own: password).object["address"]?.stringValue == address)
    }

    @Test func `a counter that lacks bytes is completed only where the address confirms the key`()
        throws
    {
        let json = try JSON.parse(Array(file.utf8))
        let named = try #require(json["address"]?.stringValue)
        let iv = try #require(json["crypto"]?["cipherparams"]?["iv"]?.stringValue)
        let short = file.replacing(iv, with: String(iv.dropFirst(2)))
        #expect(short != file)
        // Another key comes out, which is not the address's.
        try add(short, own: password).expectFailure(2, "invalidKeystore", of: "wallet add")
        let nameless = short.replacing("\"\(named)\"", with: "null")
        try add(nameless, own: password).expectFailure(2, "invalidKeystore", of: "wallet add")
        let whole = file.replacing("\"\(named)\"", with: "null")
        #expect(try add(whole, own: password).object["address"]?.stringValue == address)
    }

    private func exported(
        _ wallet: String = "my-icon", passphrase: String = Scene.passphrase,
        new: String = "another one", to name: String = "out.json"
    ) throws -> ProgramRun {
        try scene.daybook(
            "wallet", "export-keystore", wallet, scene.path(name), "--passphrase-file",
            scene.write("own", passphrase), "--new-passphrase-file", scene.write("new", new),
            "--json")
    }

    @Test func `a wallet's key goes into a keystore file, and from there into another store`()
        throws
    {
        let answer = try exported().object
        #expect(answer["file"]?.stringValue == scene.path("out.json"))
        let mode = try #require(try Files.information(scene.path("out.json"))?.mode)
        #expect(mode & 0o777 == 0o600)
        let other = try Scene(empty: true)
        try other.done("init")
        let added = try other.done(
            "wallet", "add", "--chain", "icon", "--keystore", scene.path("out.json"),
            "--keystore-passphrase-file", scene.path("new"), "--passphrase-file",
            other.path("passphrase"), "--json")
        let address = try added.object["address"]?.stringValue
        #expect(address == Scene.icon)
    }

    @Test func `a key leaves only for its passphrase, as an ICON key, and over no file`() throws {
        let command = "wallet export-keystore"
        let wrong = try exported(passphrase: "not the passphrase")
        wrong.expectFailure(4, "wrongPassphrase", of: command)
        try exported("my-dash").expectFailure(2, "wrongChain", of: command)
        try exported(new: "short").expectFailure(2, "passphraseWeak", of: command)
        try scene.write("taken", "mine")
        try exported(to: "taken").expectFailure(2, "fileExists", of: command)
        let isThere = try Files.exists(scene.path("out.json"))
        #expect(!isThere)
        try scene.expectCleanReplay()
    }

    @Test func `wrong passphrases for an export lock the wallet as others do`() throws {
        for _ in 0..<10 {
            let answer = try exported(passphrase: "not the passphrase")
            if answer.error.contains("lockedOut") { return }
        }
        Issue.record("ten wrong passphrases were taken")
    }

    @Test(arguments: [0, 1, 100, 400])
    func `a truncated one is refused`(length: Int) throws {
        try add(String(file.prefix(length)), own: password)
            .expectFailure(2, "invalidKeystore", of: "wallet add")
        try scene.expectCleanReplay()
    }
}
