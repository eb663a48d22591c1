import DaybookEncoding
import DaybookSystem
import Foundation
import TestSupport
import Testing

/// A store with a Dash, an Axe and an ICON wallet that have coins, for one test alone.
///
/// Making one costs a second, so each is a copy of the same.
final class Scene: Sendable {
    static let passphrase = "correct horse battery staple"
    /// BIP 39's first test vector.
    static let words = String(repeating: "abandon ", count: 11) + "about"
    /// The address of the private key 1.
    static let icon = "hx0502987e630ea7ebb2bf1d84a65a727109385bcf"
    static let payee = "XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa"

    let folder: String
    /// The store's folder.
    let home: String

    /// A copy of the store with the wallets; or no store yet.
    init(empty: Bool = false) throws {
        folder = try Files.createTemporaryDirectory()
        home = "\(folder)/store"
        if !empty {
            try FileManager.default.copyItem(atPath: try Self.template.get().home, toPath: home)
        }
        try write("passphrase", Self.passphrase + "\n")
    }

    deinit {
        try? Files.removeTree(folder)
    }

    private static let template = Result { try made() }

    private static func made() throws -> Scene {
        let scene = try Scene(empty: true)
        try scene.done("init")
        try scene.write("words", words)
        try scene.write("key", String(repeating: "0", count: 63) + "1")
        for chain in ["dash", "axe"] {
            try scene.done(
                "wallet", "add", "--chain", chain, "--mnemonic-file", scene.path("words"),
                "--label", "my-\(chain)", "--passphrase-file", scene.path("passphrase"))
            try scene.done("sandbox", "fund", "my-\(chain)", "10")
        }
        try scene.done(
            "wallet", "add", "--chain", "icon", "--key-file", scene.path("key"), "--label",
            "my-icon", "--passphrase-file", scene.path("passphrase"))
        try scene.done("sandbox", "fund", "my-icon", "10")
        try scene.done("sandbox", "mine", "6")
        try CheapSealing.apply(toStore: scene.home, passphrase: passphrase)
        // A static value is never released.
        atexit {
            if case .success(let scene) = Scene.template { try? Files.removeTree(scene.folder) }
        }
        return scene
    }

    // MARK: - Files

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    @discardableResult
    func write(_ name: String, _ text: String) throws -> String {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
        // As a file of secrets has to be.
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: path(name))
        return path(name)
    }

    // MARK: - Calling

    /// Runs `daybook` on the store.
    func daybook(_ words: String..., input: String = "") throws -> ProgramRun {
        try Programs.run(
            [Programs.daybook] + words, input: Array(input.utf8),
            environment: ["DAYBOOK_HOME": home])
    }

    /// Runs `daybook` on the store; it must succeed.
    @discardableResult
    func done(
        _ words: String..., at place: SourceLocation = #_sourceLocation
    ) throws -> ProgramRun {
        let answer = try Programs.run(
            [Programs.daybook] + words, environment: ["DAYBOOK_HOME": home])
        #expect(answer.status == 0, "\(words): \(answer.error)", sourceLocation: place)
        return answer
    }

    /// Runs `daybook-replay`.
    func replay(_ words: String...) throws -> ProgramRun {
        try Programs.run(["\(Programs.folder)/daybook-replay"] + words)
    }

    /// Opens a URL that must become a pending request; returns its number as text.
    func pending(_ url: String) throws -> String {
        let request = try daybook("open", url, "--json").object
        #expect(request["status"] == .string("pending"), "\(request.text())")
        return try #require(request["request"]?.numberLiteral)
    }

    func approve(_ request: String, _ words: String...) throws -> ProgramRun {
        try Programs.run(
            [
                Programs.daybook, "approve", request, "--passphrase-file",
                path("passphrase"),
            ] + words, environment: ["DAYBOOK_HOME": home])
    }

    /// Checks that the whole log still follows from its inputs.
    func expectCleanReplay(at place: SourceLocation = #_sourceLocation) throws {
        let answer = try replay("replay", home)
        #expect(answer.status == 0, "\(answer.output)", sourceLocation: place)
        #expect(answer.output.contains(" 0 divergences"), sourceLocation: place)
    }

    /// The URL of an ICONex Connect request.
    static func connect(_ json: String) -> String {
        let data = Base64.encode(Array(json.utf8)).replacing("=", with: "%3D")
        return "iconex://?data=\(data)&caller=my-app://"
    }

    /// A link of Connect's second form that asks for a transaction with these parameters.
    static func sendTransaction(_ params: String) -> String {
        let now = Clock.nowMicroseconds()
        let json =
            #"{"redirect":"my-app://","payload":{"jsonrpc":"2.0","method":"icx_sendTransaction","#
            + #""id":1,"params":{"version":"0x3","from":"\#(icon)","nid":"0x3","#
            + #""timestamp":"0x\#(String(now, radix: 16))",\#(params)}}}"#
        let data = Base64.encode(Array(json.utf8)).replacing("=", with: "%3D")
        return "iconex://JSON-RPC?data=\(data)"
    }
}

extension JSON {
    /// The amount or the detail of a prompt with this name.
    func shown(_ name: String) -> String? {
        func line(_ list: String, _ member: String) -> String? {
            let line = self[list]?.arrayValue?.first { $0["name"]?.stringValue == name }
            return line?[member]?.stringValue
        }
        return line("amounts", "amount") ?? line("details", "text")
    }
}
