import DaybookChains
import DaybookEncoding
import Foundation
import Testing

@testable import Daybook

struct NodeSettingsTests {
    static let canary = "zeppelin-Marmalade 53 ärger"
    private let temporary: TemporaryStore
    private let store: Store

    init() throws {
        temporary = try TemporaryStore()
        store = try temporary.open()
    }

    private var settings: NodeSettings { NodeSettings(folder: StoreFolder(temporary.path)) }
    private var settingsFile: String { temporary.path + "/settings.json" }
    private var credentials: String { temporary.path + "/credentials.json" }

    private func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    private func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    }

    private func setMode(_ mode: Int, _ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    private func setDash(password: String = canary) async throws {
        try await store.setNode(
            .dash, .testnet, url: "http://127.0.0.1:1", user: "bob",
            password: Passphrase(password))
    }

    private func login(_ chain: ChainName, _ network: NetworkName) throws -> NodeLogin? {
        let node = try #require(try settings.nodes(of: ChainID(named: chain, network)).first)
        guard case .login(let login) = try settings.access(to: node) else { return nil }
        return login
    }

    /// The code of the error that a call ends with, in which no password stands.
    private func code(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch {
            #expect(!"\(error)".contains("zeppelin"))
            return (error as? DaybookError)?.code.rawValue
        }
    }

    @Test func `nodes are kept, each with its login, and can be forgotten`() async throws {
        try await setDash()
        try await store.setNode(
            .axe, .mainnet, url: "https://node.example", password: Passphrase("__cookie__:a:b"))
        try await store.setNode(.icon, .mainnet, url: "https://icon.example")
        #expect(
            try await store.nodes().map(\.url) == [
                "http://127.0.0.1:1/", "https://node.example/", "https://icon.example/api/v3",
            ])
        try #expect(login(.dash, .testnet)?.user == "bob")
        try #expect(login(.dash, .testnet)?.password == Bytes(Self.canary.utf8))
        try #expect(login(.axe, .mainnet)?.user == "__cookie__")
        try #expect(login(.axe, .mainnet)?.password == Bytes("a:b".utf8))
        try #expect(login(.icon, .mainnet) == nil)
        try await store.removeNode(.dash, .testnet)
        #expect(try await store.nodes().map(\.chain) == [.axe, .icon])
        #expect(try !text(credentials).contains(Self.canary))
        #expect(await code { try await store.removeNode(.dash, .testnet) } == "unknownNode")
    }

    @Test func `unknown settings stay as they were written`() async throws {
        let before = #"""
            {"note":"\u00e9 / \\ \"x\"","expirySeconds":77,"big":12345678901234567890.50e+2,
             "nodes":[{"chain":"axe","network":"mainnet","url":"HTTP://node.example","mine":[1.0]}],
             "nested":{"b":null,"a":[true,{}]}}
            """#
        try write(before, to: settingsFile)
        try await setDash()
        try await store.removeNode(.dash, .testnet)
        let numbered = #"{"version":10,"# + before.dropFirst()
        #expect(try JSON.parse(Array(text(settingsFile).utf8)) == JSON.parse(Array(numbered.utf8)))
        // A node is set without a look at the settings, which have names that nobody knows.
        #expect(await code { _ = try await store.settings() } == "settingsInvalid")
    }

    @Test func `a login is never for another address than the one that it was set for`()
        async throws
    {
        try await setDash()
        let moved = try text(settingsFile).replacing("127.0.0.1:1/", with: "node.example/")
        try write(moved, to: settingsFile)
        try #expect(login(.dash, .testnet) == nil)
        try await setDash()
        try await store.setNode(.dash, .testnet, url: "http://node.example")
        try #expect(login(.dash, .testnet) == nil)
        #expect(try !text(credentials).contains(Self.canary))
    }

    @Test func `the file of logins is for its owner alone, or is not read`() async throws {
        try await setDash()
        let mode = try FileManager.default.attributesOfItem(atPath: credentials)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        for mode in [0o640, 0o604, 0o620, 0o666] {
            try setMode(mode, credentials)
            #expect(throws: DaybookError.self) { try login(.dash, .testnet) }
            #expect(await code { try await setDash() } == "credentialsExposed")
            let status = try await store.checkNodes(.dash, .testnet)[0]
            #expect(status.problem?.code == "credentialsExposed")
        }
        try setMode(0o600, credentials)
        try #expect(login(.dash, .testnet)?.user == "bob")
    }

    @Test(arguments: [
        "", "{", "[]", "null", #"{"nodes":{}}"#, #"{"nodes":["zeppelin"]}"#,
        #"{"nodes":[{"chain":"dash","network":"testnet","url":"u","user":"zeppelin"}]}"#,
        #"{"nodes":[{"chain":"dash","network":"testnet","url":"u","user":"u","password":""}]}"#,
        #"{"nodes":[],"nodes":[]}"#, #"{"nodes":[]} zeppelin"#,
        String(repeating: " ", count: 262_145),
    ])
    func `a damaged file of logins is named, and nothing of it is told`(damage: String)
        async throws
    {
        try await setDash()
        try write(damage, to: credentials)
        try setMode(0o600, credentials)
        do {
            _ = try login(.dash, .testnet)
            Issue.record("read")
        } catch let error as DaybookError {
            #expect(error.code == "credentialsDamaged")
            #expect(error.message.contains(credentials))
            #expect(!error.message.contains("zeppelin"))
        }
        #expect(await code { try await setDash() } == "credentialsDamaged")
        #expect(try text(credentials) == damage)
    }

    @Test(arguments: [
        #"{"nodes":{}}"#, #"{"nodes":[1]}"#, #"{"nodes":[{"chain":"doge"}]}"#,
        #"{"nodes":[{"chain":"dash","network":"sandbox","url":"http://a"}]}"#,
        #"{"nodes":[{"chain":"dash","network":"mainnet","url":"http://u:zeppelin@a"}]}"#,
        #"{"nodes":[{"chain":"dash","network":"mainnet","url":"http://a","debugURL":"http://a"}]}"#,
    ])
    func `settings whose nodes make no sense are named when a node is needed`(text: String)
        async throws
    {
        try write(text, to: settingsFile)
        #expect(await code { _ = try await store.nodes() } == "settingsInvalid")
        #expect(await code { try await setDash() } == "settingsInvalid")
        let wallet = try await store.addTestWallet(.dash)
        _ = try await store.fundFromFaucet(wallet.id, amount: "100000000")
    }

    @Test func `a login that no node could be sent is refused`() async throws {
        let cases: [(String?, String?, String)] = [
            ("bob", nil, "invalidLogin"), ("bob", "", "invalidLogin"),
            ("bo:b", Self.canary, "invalidLogin"), ("", Self.canary, "invalidLogin"),
            ("bob\r\nHost: a", Self.canary, "invalidLogin"), (nil, Self.canary, "invalidLogin"),
            ("bob", Self.canary + "\nHost: a", "invalidLogin"), (nil, ":a", "invalidLogin"),
            ("bob", String(repeating: "a", count: 1025), "invalidLogin"),
        ]
        for (user, password, expected) in cases {
            let code = await code {
                let secret: Passphrase? = if let password { Passphrase(password) } else { nil }
                try await store.setNode(
                    .dash, .testnet, url: "http://127.0.0.1:1", user: user, password: secret)
            }
            #expect(code == expected, "\(user ?? "no user")")
        }
        #expect(try await store.nodes() == [])
    }

    @Test func `a node that can't be is refused`() async throws {
        func set(
            _ chain: ChainName, _ network: NetworkName, _ url: String, debug: String? = nil,
            certificates: String? = nil
        ) async -> String? {
            await code {
                try await store.setNode(
                    chain, network, url: url, debugURL: debug, certificates: certificates)
            }
        }
        #expect(await set(.dash, .sandbox, "http://a") == "invalidNode")
        #expect(await set(.dash, .mainnet, "http://a", debug: "http://a") == "invalidNode")
        #expect(await set(.dash, .mainnet, "http://a", certificates: settingsFile) == "invalidNode")
        #expect(await set(.dash, .mainnet, "https://a", certificates: "/none") == "unreadableFile")
        #expect(await set(.dash, .mainnet, "https://a", certificates: "/tmp") == "unreadableFile")
        #expect(await set(.icon, .mainnet, "https://a", debug: "ftp://a") == "invalidNodeURL")
        #expect(try await store.nodes() == [])
        #expect(await set(.dash, .mainnet, "https://a", certificates: settingsFile) == nil)
        #expect(try await store.nodes()[0].certificates?.hasPrefix("/") == true)
    }

    @Test func `a crash's rest of a replaced file is cleared away`()
        async throws
    {
        let leftover = credentials + ".0123456789abcdef.new"
        try write(Self.canary, to: leftover)
        try await setDash()
        #expect(!FileManager.default.fileExists(atPath: leftover))
        #expect(FileManager.default.fileExists(atPath: credentials))
    }
}
