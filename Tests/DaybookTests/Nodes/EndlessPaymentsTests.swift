import DaybookDomain
import NodeServer
import Testing

@testable import Daybook

/// A node that makes up a payment to every next address.
struct EndlessPaymentsTests {
    @Test func `a sync ends, says that there is more, and the next one goes on`() async throws {
        let server = try NodeServer(.dash)
        server.mine(3)
        let bench = try Bench()
        let store = try bench.open()
        let wallet = try await store.addTestWallet(.dash, network: .regtest)
        try await store.setNode(.dash, .regtest, url: server.url)
        #expect(try await store.sync().isMoreLeft == false)
        _ = EndlessPayments(of: server)
        server.forgetRequests()
        #expect(try await store.sync().isMoreLeft)
        let looks = server.requests.count { $0.method == "getbestblockhash" }
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
        let bench = try Bench()
        let store = try bench.open(probe: { place in
            if place == "looked" { bench.wait(seconds: 50) }
        })
        _ = try await store.addTestWallet(.dash, network: .regtest)
        try await store.setNode(.dash, .regtest, url: server.url)
        _ = EndlessPayments(of: server)
        #expect(try await store.sync().isMoreLeft)
        #expect(try await count(store) == 3)
    }

    private func count(_ store: Store) async throws -> Int {
        try await store.allRecords().count { $0.type == PaymentReceived.type }
    }
}
