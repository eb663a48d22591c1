import DaybookEncoding
import DaybookSystem
import Foundation
import Testing

/// Secrets that are planted must be found nowhere afterwards, in no spelling.
struct PlantedSecretTests {
    private static let passphrase = "planted passphrase, to be found nowhere"
    private static let words =
        "legal winner thank year wave sausage worth useful legal winner thank yellow"
    private static let key = "8f2c1d7be4a05936c1f8e27a4b6d90f3527c6e1d0b94a83f61e5c2d7480b9a17"

    private let scene: Scene

    init() throws {
        scene = try Scene(empty: true)
        try scene.done("init")
        try scene.write("passphrase", Self.passphrase)
        try scene.write("words", Self.words)
        try scene.write("key", Self.key)
    }

    @Test func `passphrase, words and key stand in no file, output, event or error`() throws {
        var printed = ""
        func call(_ words: String...) throws {
            let answer = try Call.run(
                ["\(Call.folder)/daybook"] + words + [
                    "--passphrase-file", scene.path("passphrase"),
                ], environment: ["DAYBOOK_HOME": scene.home])
            printed += answer.output + answer.error
        }
        try call("wallet", "add", "--chain", "dash", "--mnemonic-file", scene.path("words"))
        try call("wallet", "add", "--chain", "icon", "--key-file", scene.path("key"))
        try call("wallet", "add", "--chain", "icon", "--mnemonic-file", scene.path("key"))
        try call("wallet", "add", "--chain", "dash", "--wif-file", scene.path("words"))
        try scene.done("sandbox", "fund", "1", "1")
        let request = try scene.pending("dashwallet://request=masterPublicKey&sender=myapp")
        try call("approve", request)
        let payment = try scene.pending(
            "dashwallet://pay=\(Scene.payee)&amount=0.5&sender=myapp")
        try call("approve", payment)
        try scene.write("passphrase", Self.passphrase + "!")
        try call("approve", try scene.pending("dashwallet://request=address&sender=myapp"))
        printed += try scene.done("log").output + scene.done("log", "--json").output
        for (name, bytes) in try files(below: scene.home) + [("output", Array(printed.utf8))] {
            for spelling in try Self.spellings() {
                #expect(!contains(bytes, spelling), "\(name): \(spelling.prefix(8))")
            }
        }
        #expect(printed.contains("wrongPassphrase") && printed.contains("payack"))
    }

    @Test func `the search finds what is planted`() throws {
        for spelling in try Self.spellings() {
            #expect(contains([1, 2] + spelling + [3], spelling))
        }
        #expect(try files(below: scene.home).count >= 2)
    }

    /// Raw, in hex of either case, in base 58 and in base 64 as it stands at each of three offsets.
    private static func spellings() throws -> [Bytes] {
        let key = try #require(Hex.decode(key))
        let seed = Bytes(words.split(separator: " ").prefix(6).joined(separator: " ").utf8)
        let secrets = [Bytes(passphrase.utf8), Bytes(words.utf8), seed, key]
        return secrets.flatMap { secret in
            let hex = Hex.encode(secret)
            let base64 = (0..<3).map { offset in
                // The characters that depend on the neighbours are left out.
                Base64.encode(Bytes(repeating: 0, count: offset) + secret)
                    .dropFirst(4).dropLast(4)
            }
            return [secret, Bytes(hex.utf8), Bytes(hex.uppercased().utf8)]
                + [Bytes(Base58.encode(secret).utf8)] + base64.map { Bytes($0.utf8) }
        }
    }

    private func files(below folder: String) throws -> [(String, Bytes)] {
        let names = try #require(FileManager.default.enumerator(atPath: folder))
        return try names.compactMap { $0 as? String }.compactMap { name in
            let path = "\(folder)/\(name)"
            guard try Files.information(path)?.kind == .file else { return nil }
            return (name, try Files.read(path, limit: 1 << 27))
        }
    }

    private func contains(_ bytes: Bytes, _ part: Bytes) -> Bool {
        Data(bytes).range(of: Data(part)) != nil
    }
}
