import DaybookDomain
import NodeServer
import Testing

@testable import Daybook

/// A node that makes up a payment to every next address.
struct EndlessPaymentsTests {
    @Test func `a sync ends, says that there is more, and the next one goes on`() async throws {
        let server = try NodeServer(.dash)
        server.mine(3)
        let temporary = try TemporaryStore()
        let store = try temporary.open()
        let wallet = try await store.addTestWallet(.dash, network: .regtest)
        try await store.setNode(.dash, .regtest, url: server.url)
        #expect(try await store.sync().isMoreLeft == false)
        _ = EndlessPayments(of: server, namingAddresses: false)
        server.forgetRequests()
        #expect(try await store.sync().isMoreLeft)
        let looks = server.requests.count { $0.method == "getblockchaininfo" }
        #expect(looks == 30)
        let received = try await count(store)
        #expect(received == 30)
        #expect(try await store.sync().isMoreLeft)
        #expect(try await count(store) > received)
        server.behave()
        #expect(try await store.sync().isMoreLeft == false)
        let all = try await count(store)
        #expect(
            try await store.balances(wallet: wallet.id).first?.confirmed == "\(all * 1_000_000)")
        try await store.expectCleanReplay()
    }

    @Test func `a sync ends after two minutes, whatever remains`() async throws {
        let server = try NodeServer(.dash)
        server.mine(3)
        let temporary = try TemporaryStore()
        let store = try temporary.open(probe: { place in
            if place == "scanned" { temporary.wait(seconds: 50) }
        })
        _ = try await store.addTestWallet(.dash, network: .regtest)
        try await store.setNode(.dash, .regtest, url: server.url)
        _ = EndlessPayments(of: server, namingAddresses: false)
        #expect(try await store.sync().isMoreLeft)
        #expect(try await count(store) == 3)
    }

    @Test func `a sync asks about so many addresses ahead, and the next one goes on`()
        async throws
    {
        let server = try NodeServer(.dash)
        server.mine(3)
        let temporary = try TemporaryStore()
        let store = try temporary.open()
        _ = try await store.addTestWallet(.dash, network: .regtest)
        try await store.setNode(.dash, .regtest, url: server.url)
        _ = EndlessPayments(of: server)
        #expect(try await store.sync().isMoreLeft)
        let asked = server.requests.filter { $0.method == "getaddressmempool" }.compactMap {
            $0.params?.arrayValue?.first?["addresses"]?.arrayValue?.count
        }.reduce(0, +)
        #expect(asked == 4080)
        let received = try await count(store)
        #expect(received > 0)
        #expect(try await store.sync().isMoreLeft)
        #expect(try await count(store) > received)
        try await store.expectCleanReplay()
    }

    private func count(_ store: Store) async throws -> Int {
        try await store.allRecords().count { $0.type == PaymentReceived.type }
    }
}
