import DaybookEncoding
import DaybookSystem
import Foundation
import Testing

/// ICON keystore files as other wallets write them, and as attackers would.
struct KeystoreFileTests {
    private let scene: Scene
    private let file: String
    private let password: String
    private let address: String

    init() throws {
        scene = try Scene()
        let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Fixtures/icon/icon.json")
        let json = try JSON.parse(Array(try Data(contentsOf: fixtures)))
        let entry = try #require(json["keystores"]?.arrayValue?.first)
        file = try #require(entry["keystore"]).text()
        password = try #require(entry["password"]?.stringValue)
        address = try #require(entry["address"]?.stringValue)
    }

    private func add(_ text: String, own: String? = nil) throws -> Answer {
        let keystore = try scene.write("keystore", text)
        let options =
            try own.map { ["--keystore-passphrase-file", try scene.write("own", $0)] } ?? []
        return try Call.run(
            [
                "\(Call.folder)/daybook", "wallet", "add", "--chain", "icon", "--keystore",
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

    @Test(arguments: [0, 1, 100, 400])
    func `a truncated one is refused`(length: Int) throws {
        try add(String(file.prefix(length)), own: password)
            .expectFailure(2, "invalidKeystore", of: "wallet add")
        try scene.expectCleanReplay()
    }
}
