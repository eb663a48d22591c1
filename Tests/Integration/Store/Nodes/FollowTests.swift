import DaybookChains
import DaybookEncoding
import NodeServer
import Synchronization
import Testing

@testable import Daybook

struct FollowTests {
    private let temporary: TemporaryStore
    private let server: NodeServer

    init() throws {
        temporary = try TemporaryStore()
        server = try NodeServer(.icon)
        server.settings.time = temporary.now.withLock { $0 }
        server.mine()
    }

    @Test func `a failure is told once, and later inputs are recorded afterwards`()
        async throws
    {
        let rounds = Mutex(0)
        let server = server
        let store = try temporary.open(pause: { seconds in
            #expect(seconds == 7)
            switch rounds.withLock({ $0 += 1; return $0 }) {
            case 1: server.misbehave(.closes)
            case 6:
                server.behave()
                try server.fund(Flow.key1, loop: UInt256(5))
            case 20: throw CancellationError()
            default: break
            }
        })
        let wallet = try await store.addTestWallet(.icon, network: .regtest)
        try await store.setNode(.icon, .regtest, url: server.url)
        let heard = Mutex<[SyncRound]>([])
        try await store.follow(everySeconds: 7) { round in heard.withLock { $0.append(round) } }
        let told = heard.withLock { $0 }
        #expect(told.map { $0.problems.map(\.code) } == [[], ["nodeNoAnswer"], []])
        // The outage is recorded once, and its end.
        #expect(told.map(\.events)[1] == 1)
        #expect(told[2].events > 0)
        #expect(try await store.outages().isEmpty)
        #expect(try await store.balances(wallet: wallet.id).map(\.confirmed) == ["5"])
        try await store.expectCleanReplay()
    }

    @Test func `following ends without an error when its task is cancelled`() async throws {
        let (waits, waiting) = AsyncStream.makeStream(of: Void.self)
        let store = try temporary.open(pause: { _ in
            waiting.yield()
            try await Task.sleep(for: .seconds(3600))
        })
        _ = try await store.addTestWallet(.icon, network: .regtest)
        try await store.setNode(.icon, .regtest, url: server.url)
        let following = Task { try await store.follow { _ in } }
        for await _ in waits { break }
        following.cancel()
        try await following.value
    }

    @Test func `one node's failure does not keep the others' news`() async throws {
        let store = try temporary.open()
        let other = try await store.addTestWallet(.dash, network: .regtest)
        let wallet = try await store.addTestWallet(.icon, network: .regtest)
        try await store.setNode(.icon, .regtest, url: server.url)
        try server.fund(Flow.key1, loop: UInt256(5))
        await #expect(throws: DaybookError.self) { try await store.sync() }
        #expect(try await store.balances(wallet: wallet.id).map(\.confirmed) == ["5"])
        #expect(try await store.balances(wallet: other.id).allSatisfy { $0.confirmed == "0" })
        do {
            _ = try await store.sync()
        } catch {
            #expect(error.code == "nodeMissing" && error.kind == .node)
            #expect(error.message.hasPrefix("dash regtest: "))
        }
    }

    @Test func `a node is asked over one connection, and only when it is needed`() async throws {
        let store = try temporary.open()
        _ = try await store.addTestWallet(.icon, network: .regtest)
        try await store.setNode(.icon, .regtest, url: server.url)
        #expect(try await store.nodes().count == 1)
        #expect(server.connections == 0)
        for _ in 0..<3 { _ = try await store.sync() }
        #expect(try await store.checkNodes().map(\.isOK) == [true])
        #expect(server.connections == 1)
        #expect(server.requests.count > 3)
    }

    @Test func `a node that another process sets is asked from then on`() async throws {
        let store = try temporary.open()
        _ = try await store.addTestWallet(.icon, network: .regtest)
        try await store.setNode(.icon, .regtest, url: "http://127.0.0.1:1")
        await #expect(throws: DaybookError.self) { try await store.sync() }
        let node = try Node(
            ChainID(named: .icon, .regtest), url: server.url, debugURL: nil, certificates: nil)
        try NodeSettings(folder: StoreFolder(temporary.path)).set(
            [node], of: node.chainID, access: nil, keepingOthers: false)
        _ = try await store.sync()
        #expect(server.connections == 1)
    }
}
