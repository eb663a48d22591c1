package import Daybook
import DaybookChains
import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookLinks
import DaybookLog
import DaybookReplay
import DaybookSystem
import TestSupport
package import NodeServer

/// A store whose only node is far away, with a wallet of the test words or of key 1.
package struct DistantStore: Sendable {
    package let server: NodeServer
    package let store: Store
    package let wallet: Wallet
    private let folder: TemporaryFolder

    /// A new store; each answer of its node is so long on its way, there and back.
    package init(_ chain: ChainName, latencyMilliseconds: UInt32 = 0) async throws {
        server = try NodeServer(chain == .icon ? .icon : chain == .dash ? .dash : .axe)
        server.mine(3)
        folder = try TemporaryFolder()
        let path = folder.path + "/store"
        try Store.create(at: path)
        var options = StoreOptions()
        options.scrypt = .cheap
        store = try Store(opening: path, frontEnd: "distance", options: options)
        let words = Array(repeating: "abandon", count: 11) + ["about"]
        let source: WalletSource =
            chain == .icon
            ? .hexKey(Self.secret(String(repeating: "0", count: 63) + "1"))
            : .mnemonic(Self.secret(words.joined(separator: " ")))
        wallet = try await store.addWallet(
            source, chain: chain, network: .regtest, sealedBy: Self.passphrase
        ).wallet
        try await store.setNode(chain, .regtest, url: server.url)
        server.settings.latencyMilliseconds = latencyMilliseconds
    }

    /// The cost of a piece of work for the node.
    package func cost<Value: Sendable>(
        of body: () async throws -> Value
    ) async throws -> (Value, Cost) {
        server.forgetRequests()
        let start = Clock.monotonicMicroseconds()
        let value = try await body()
        return (
            value,
            Cost(
                trips: server.roundTrips, calls: server.requests.count,
                milliseconds: Int(Clock.monotonicMicroseconds() - start) / 1000)
        )
    }

    /// The first addresses of each of the wallet's branches.
    package func addresses(_ count: UInt32) async throws -> [String] {
        // A process opens a log once.
        let copy = folder.path + "/copy"
        _ = try await store.backup(to: copy)
        let log = try EventLog(readingAt: copy + "/log")
        var replayer = Replayer(scope: .all, decide: Links.decider.decide)
        for record in try log.read({ try $0.records(from: 0, limit: .max) }) {
            replayer.feed(record)
        }
        let question = ChainQuery(server.chain, server.network, in: replayer.state)
        return question.branches.flatMap { branch in
            (0..<count).compactMap { branch.address(at: $0)?.address }
        }
    }

    /// Approves what a request shows.
    @discardableResult
    package func approve(_ request: WalletRequest) async throws -> WalletRequest {
        let shown = try await store.prompt(for: request.id)
        return try await store.approve(request.id, shown: shown, unlockedBy: Self.passphrase)
    }

    /// Receives a request for a payment; each number has another amount.
    package func request(_ number: Int) async throws -> WalletRequest {
        try await store.receive(
            "dashwallet://pay=yT3FCKMxCNqZhdGNjLzk6fRNH2skQa4xXf&amount=0.0\(1000 + number)"
                + "&sender=myapp")
    }

    private static var passphrase: Passphrase { secret("correct horse") }

    private static func secret(_ text: String) -> Passphrase {
        var bytes = Bytes(text.utf8)
        return Passphrase(wiping: &bytes)
    }
}
