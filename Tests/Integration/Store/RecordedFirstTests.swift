import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookNodes
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Daybook

/// A link that arrives while nodes hang: it is recorded before any node is asked.
struct RecordedFirstTests {
    private static let links = [
        "dashwallet://pay=\(Flow.dash)&amount=0.25&sender=shop",
        "dashwallet://request=address&sender=shop",
        connect(
            #"{"id":2,"method":"sendICX","params":{"from":"\#(Flow.key1)","#
                + #""to":"\#(Flow.key2)","value":"0x1"}}"#),
    ]

    @Test(arguments: links)
    func `a link is durable and listed though every node hangs, and a crash keeps it`(link: String)
        async throws
    {
        let scene = try await Scene()
        let last = try #require(try scene.store.lastPosition())
        scene.nodes.hang(scene.chains)
        let receiving = Task { try await scene.store.receive(link) }
        await waitUntil { !scene.nodes.asks.isEmpty || scene.nodes.events > last.number + 1 }
        try #require(scene.nodes.asks.allSatisfy { $0.events > last.number + 1 })
        var changes = scene.store.changes(after: last).makeAsyncIterator()
        let change = try #require(try await changes.next())
        let request = try #require(change.changes.first { $0.what == .request }?.request)
        let crashed = try await scene.crashed()
        #expect(try await crashed.text(of: request) == link)
        let isDeferred = link.hasPrefix("iconex")
        #expect(try await crashed.request(request).status == (isDeferred ? .deferred : .pending))

        scene.nodes.answer()
        #expect(try await receiving.value.status == .pending)
        // The next start asks the node that answers now.
        try await crashed.resume()
        let pending = try await crashed.request(request)
        #expect(pending.status == .pending && pending.prompt != nil)
        try await crashed.expectCleanReplay()
    }

    @Test(arguments: [false, true])
    func `a link waits for no node but its own`(hangs: Bool) async throws {
        let scene = try await Scene()
        // A payment on Dash waits to be sent again.
        if hangs { scene.nodes.hang([.dash]) }
        let done = try await scene.store.receive(Self.links[2])
        #expect(done.status == .pending && done.prompt != nil)
        #expect(try await scene.store.approve(done.id).status == .completed)
        #expect(Set(scene.nodes.asks.map(\.chain)) == [.icon])
        scene.nodes.answer()
        #expect(try await scene.store.request(scene.unsent).status == .signed)
        try await scene.store.resume()
        #expect(try await scene.store.request(scene.unsent).status == .completed)
        try await scene.store.expectCleanReplay()
    }

    /// A store with wallets on two chains and a signed payment that no node has answered.
    private final class Scene: Sendable {
        let chains: [Chain] = [.dash, .icon]
        let temporary: TemporaryStore
        let store: Store
        let nodes = Nodes()
        let unsent: RequestID

        init() async throws {
            temporary = try TemporaryStore()
            store = try Self.open(temporary, at: temporary.path, asking: nodes)
            try await store.addFundedWallet(.dash)
            try await store.addFundedWallet(.icon)
            try await store.mine(6)
            try await store.setFault(.loseNextAnswer, on: .dash)
            let payment = try await store.receive(Flow.all[0].text)
            unsent = payment.id
            #expect(try await store.approve(payment.id).status == .signed)
            nodes.forget()
        }

        /// The store as a crash leaves it at this moment, opened by a program whose nodes answer.
        func crashed() async throws -> Store {
            let path = temporary.path + "/crashed"
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false)
            for name in ["keys", "log", "log.key", "sandbox", "settings.json"] {
                try FileManager.default.copyItem(
                    atPath: temporary.path + "/" + name, toPath: path + "/" + name)
            }
            return try temporary.open(at: path)
        }

        private static func open(
            _ temporary: TemporaryStore, at path: String, asking nodes: Nodes
        ) throws -> Store {
            let store = try temporary.open(at: path) { parts in
                parts.client = { chain, _, embedded in
                    Node(chain: chain, embedded: embedded, nodes: nodes)
                }
            }
            nodes.watch { [weak store] in
                (try? store?.lastPosition()).map { $0.number + 1 } ?? 0
            }
            return store
        }
    }

    /// The questions to the nodes of a scene, some of which hang.
    private final class Nodes: Sendable {
        struct Ask: Sendable {
            let chain: Chain
            /// The number of events in the log at that time.
            let events: UInt64
        }

        private struct State {
            var hanging: [Chain] = []
            var waiting: [CheckedContinuation<Void, Never>] = []
            var asks: [Ask] = []
            var count: @Sendable () -> UInt64 = { 0 }
        }

        private let state = Mutex(State())

        var asks: [Ask] { state.withLock { $0.asks } }

        /// The number of events in the log.
        var events: UInt64 { state.withLock { $0.count }() }

        func watch(_ count: @escaping @Sendable () -> UInt64) {
            state.withLock { $0.count = count }
        }

        func hang(_ chains: [Chain]) { state.withLock { $0.hanging = chains } }

        func forget() { state.withLock { $0.asks = [] } }

        func answer() {
            let waiting = state.withLock { state in
                defer { (state.hanging, state.waiting) = ([], []) }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }

        /// Returns when the chain's node would answer.
        func wait(for chain: Chain) async {
            let events = events
            state.withLock { $0.asks.append(Ask(chain: chain, events: events)) }
            await withCheckedContinuation { continuation in
                let hangs = state.withLock { state in
                    guard state.hanging.contains(chain) else { return false }
                    state.waiting.append(continuation)
                    return true
                }
                if !hangs { continuation.resume() }
            }
        }
    }

    private struct Node: ChainClient {
        let chain: Chain
        let embedded: any ChainClient
        let nodes: Nodes

        func observe(
            _ query: ChainQuery, progress: ChainProgress?
        ) async throws(ChainFailure) -> ChainSnapshot {
            await nodes.wait(for: chain)
            return try await embedded.observe(query, progress: progress)
        }

        func transactions(_ ids: [Bytes]) async throws(ChainFailure) -> [Bytes] {
            await nodes.wait(for: chain)
            return try await embedded.transactions(ids)
        }

        func times(
            of blocks: [NamedBlock], below tip: ChainQuery.Tip
        ) async throws(ChainFailure) -> BlockTimes {
            await nodes.wait(for: chain)
            return try await embedded.times(of: blocks, below: tip)
        }

        func broadcast(_ bytes: Bytes, txid: Bytes) async -> BroadcastAnswered {
            await nodes.wait(for: chain)
            return await embedded.broadcast(bytes, txid: txid)
        }
    }
}

extension Store {
    /// The text of a request as its first event has it.
    fileprivate func text(of request: RequestID) throws -> String? {
        let record = try allRecords().first { Position($0.position) == request.position }
        return record?.data["text"]?.bytesValue.map { String(decoding: $0, as: UTF8.self) }
    }
}
