package import Daybook
import DaybookEncoding
package import DaybookNodes
import DaybookSystem
import Foundation
import TestSupport

/// A store in a folder of its own that asks a running node, as its user set it up.
package struct StoreScene: Sendable {
    private let chain: ChainName
    private let target: HTTPTarget
    private let debug: HTTPTarget?
    /// The folder in which the programs are, `daybook-replay` among them.
    private let programs: String

    /// The nodes that stores ask, and the folder of the programs that were built.
    package init(
        _ chain: ChainName, _ target: HTTPTarget, debug: HTTPTarget? = nil, programs: String
    ) {
        self.chain = chain
        self.target = target
        self.debug = debug
        self.programs = programs
    }

    /// The id of ICON's regtest networks.
    var networkID: UInt64? { chain == .icon ? 3 : nil }

    /// Runs `body` on a new store with a new wallet; then its log must replay without the node.
    func use(
        networkID: UInt64? = nil, words: String? = nil,
        _ body: (Store, Wallet) async throws -> Void
    ) async throws {
        let folder = try Files.createTemporaryDirectory()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let home = folder + "/store"
        try Store.create(at: home)
        var options = StoreOptions()
        options.scrypt = .cheap
        let store = try Store(opening: home, frontEnd: "node-suite", options: options)
        let wallet = try await store.addWallet(
            words.map { .mnemonic(Passphrase(copying: Bytes($0.utf8))) } ?? .new, chain: chain,
            network: .regtest, networkID: networkID, sealedBy: Self.passphrase()
        ).wallet
        try await setNode(of: store)
        try await body(store, wallet)
        // Nothing listens there: a replay calls no node.
        try await store.setNode(chain, .regtest, url: "http://127.0.0.1:9/")
        try replay(home)
    }

    private func setNode(of store: Store) async throws {
        try await store.setNode(
            chain, .regtest, url: target.url, debugURL: debug?.url, user: target.user,
            password: target.password.map { Passphrase(copying: $0) })
    }

    /// Runs `body` while no node of the store answers.
    func withoutNode(of store: Store, _ body: () async throws -> Void) async throws {
        try await store.setNode(chain, .regtest, url: "http://127.0.0.1:9/")
        try await body()
        try await setNode(of: store)
    }

    /// Runs `body` on a store that takes the node's password from a cookie file.
    ///
    /// `check` asks the node, and has the code of what is wrong; `write` puts a text into the
    /// file, and the node's own user and password where it gets none.
    func useCookie(
        _ body: (
            _ check: () async throws -> String?, _ write: (String?) throws -> Void
        ) async throws -> Void
    ) async throws {
        guard let user = target.user, let password = target.password else {
            throw NotPossible("the node asks for no password")
        }
        let folder = try Files.createTemporaryDirectory()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Store.create(at: folder + "/store")
        let store = try Store(opening: folder + "/store", frontEnd: "node-suite")
        let cookie = folder + "/.cookie"
        func write(_ text: String?) throws {
            try Files.writeAtomically(
                cookie, text.map { Bytes($0.utf8) } ?? Bytes("\(user):".utf8) + password,
                mode: 0o600)
        }
        try write(nil)
        try await store.setNode(chain, .regtest, url: target.url, cookieFile: cookie)
        try await body(
            { try await store.checkNodes(chain, .regtest)[0].problem?.code.rawValue }, write)
    }

    /// Receives a request and approves what is shown.
    func approve(_ link: String, in store: Store) async throws -> WalletRequest {
        try await approve(store.receive(link), in: store)
    }

    /// Approves what is shown of a request that waits.
    func approve(_ received: WalletRequest, in store: Store) async throws -> WalletRequest {
        try expect("the request's status", received.status, is: .pending)
        let prompt = try require(received.prompt, "nothing is shown")
        return try await store.approve(
            received.id, shown: prompt, unlockedBy: Self.passphrase())
    }

    /// The balance of the only wallet in an asset, in minor units.
    func balance(_ asset: String, in store: Store) async throws -> Balance {
        try require(
            try await store.balances().first { Text.equal($0.asset, asset) },
            "there is no balance of \(asset)")
    }

    private func replay(_ home: String) throws {
        let (status, output) = try ExternalProgram(at: "\(programs)/daybook-replay")
            .run(["replay", home])
        let text = String(decoding: output, as: UTF8.self)
        try expect(status == 0, "replay ends with \(status): \(text)")
    }

    private static func passphrase() -> Passphrase {
        Passphrase(copying: Bytes("correct horse".utf8))
    }
}

extension Passphrase {
    fileprivate init(copying bytes: Bytes) {
        var bytes = bytes
        self.init(wiping: &bytes)
    }
}
