import DaybookChains
import DaybookEncoding
import NodeServer
import Synchronization
import Testing

@testable import Daybook

/// Two processes that look at one chain at once: the older answer comes last.
struct OvertakenScanTests {
    private static let payment =
        "dashwallet://pay=yT3FCKMxCNqZhdGNjLzk6fRNH2skQa4xXf&amount=1&sender=myapp"

    /// Runs something once, when a store that is told to has its answer and has not recorded it.
    private final class Meanwhile: Sendable {
        private let doing = Mutex<(@Sendable () throws -> Void)?>(nil)

        func next(_ body: @escaping @Sendable () throws -> Void) { doing.withLock { $0 = body } }

        func reach(_ place: String) {
            guard place == "scanned" || place == "asked" else { return }
            let body = doing.withLock { body in
                defer { body = nil }
                return body
            }
            guard let body else { return }
            #expect(throws: Never.self) { try body() }
        }
    }

    private func store(_ chain: ChainName, _ server: NodeServer, _ meanwhile: Meanwhile)
        async throws -> (home: SharedHome, store: Store, wallet: Wallet)
    {
        let home = try SharedHome()
        try Store.create(at: home.path)
        let store = try home.open(probe: { meanwhile.reach($0) })
        let wallet = try await store.addTestWallet(chain, network: .regtest)
        try await store.setNode(chain, .regtest, url: server.url)
        return (home, store, wallet)
    }

    /// A store whose Dash wallet was paid so many duffs, which it knows.
    private func paid(_ duffs: UInt64, _ server: NodeServer, _ meanwhile: Meanwhile)
        async throws -> (home: SharedHome, store: Store, wallet: Wallet)
    {
        let made = try await store(.dash, server, meanwhile)
        try server.fund(made.wallet.address, duffs)
        _ = try await made.store.sync()
        return made
    }

    private static func sync(_ home: SharedHome) throws {
        let run = try DriverProcess.run("sync", home.path)
        #expect(run.status == 0, "\(run.lines)")
    }

    private func count(_ type: String, in store: Store) async throws -> Int {
        try await store.allRecords().count { $0.type == type }
    }

    @Test func `a payment that another process has seen does not vanish`() async throws {
        let server = try NodeServer(.dash)
        let meanwhile = Meanwhile()
        let (home, store, wallet) = try await paid(100_000, server, meanwhile)
        meanwhile.next {
            try server.fund(wallet.address, 200_000)
            try server.fund(wallet.address, 400_000, mined: false)
            try Self.sync(home)
        }
        _ = try await store.sync()
        #expect(try await count("payment.received", in: store) == 3)
        #expect(try await count("transaction.reorganised", in: store) == 0)
        let vanished = try await store.allRecords().filter { record in
            record.type == "chain.observed" && record.data["vanished"] != nil
        }
        #expect(vanished.isEmpty)
        #expect(try await store.balances().map(\.confirmed) == ["300000"])
        try await store.expectCleanReplay()
    }

    @Test func `coins that another process has spent are not offered again`() async throws {
        let server = try NodeServer(.dash)
        let meanwhile = Meanwhile()
        let (home, store, _) = try await paid(300_000_000, server, meanwhile)
        meanwhile.next {
            let run = try DriverProcess.run("handle", home.path, "key", Self.payment)
            #expect(run.values("request").last?.hasSuffix("completed") == true, "\(run.lines)")
        }
        let before = try await store.allRecords().count
        _ = try await store.sync()
        for record in try await store.allRecords()[before...] {
            for output in record.data["outputs"]?.arrayValue ?? [] {
                let isSpent = output["spentBy"] != nil
                #expect(isSpent || output["amount"]?.uintValue != 300_000_000, "\(output)")
            }
        }
        try await store.expectCleanReplay()
    }

    @Test func `coins of a payment that another process has only signed are not spent twice`()
        async throws
    {
        let server = try NodeServer(.dash)
        let meanwhile = Meanwhile()
        let (home, store, _) = try await paid(300_000_000, server, meanwhile)
        meanwhile.next {
            let run = try DriverProcess.run("--kill", "7", "handle", home.path, "key", Self.payment)
            #expect(run.places.last == "decision recorded", "\(run.lines)")
        }
        let more = try await store.receive(Self.payment.replacing("amount=1", with: "amount=2.5"))
        #expect(try await store.inFlight().count == 1)
        await expectCode("insufficientBalance") { try await store.approve(more.id) }
        try await store.resume()
        #expect(server.utxo { $0.mempool.count } == 1)
        try await store.expectCleanReplay()
    }

    @Test func `a balance of before another process's payment is not taken for income`()
        async throws
    {
        let server = try NodeServer(.icon)
        server.mine()
        let meanwhile = Meanwhile()
        let (home, store, _) = try await store(.icon, server, meanwhile)
        try server.fund(Flow.key1, loop: UInt256(10).power18)
        _ = try await store.sync()
        let flow = try #require(Flow.all.first { $0.name == "sendICX" })
        meanwhile.next {
            let run = try DriverProcess.run("handle", home.path, "key", flow.text)
            #expect(run.values("request").last?.hasSuffix("completed") == true, "\(run.lines)")
            server.mine()
            try Self.sync(home)
        }
        _ = try await store.sync()
        #expect(try await count("payment.received", in: store) == 1)
        #expect(try await count("payment.made", in: store) == 0)
        try await store.expectCleanReplay()
    }

    @Test func `a request is not judged by a balance that another process knows better`()
        async throws
    {
        let server = try NodeServer(.icon)
        server.mine()
        let meanwhile = Meanwhile()
        let (home, store, _) = try await store(.icon, server, meanwhile)
        try server.fund(Flow.key1, loop: UInt256(1))
        _ = try await store.sync()
        meanwhile.next {
            try server.fund(Flow.key1, loop: UInt256(10).power18)
            // It ends before it comes to what the request waits for.
            let run = try DriverProcess.run("--kill", "3", "sync", home.path)
            #expect(run.places == ["scanned", "committing", "changes recorded"], "\(run.lines)")
        }
        let flow = try #require(Flow.all.first { $0.name == "sendICX" })
        let request = try await store.receive(flow.text)
        #expect(request.status == .pending)
        #expect(try await count("payment.received", in: store) == 2)
        #expect(try await count("payment.made", in: store) == 0)
        try await store.expectCleanReplay()
    }
}

extension UInt256 {
    /// So many ICX in loop.
    fileprivate var power18: UInt256 {
        UInt256(decimal: decimal + String(repeating: "0", count: 18)) ?? .zero
    }
}
