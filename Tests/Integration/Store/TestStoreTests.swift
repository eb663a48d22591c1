import DaybookSystem
import DaybookTesting
import Testing

@testable import Daybook

/// `TestStore`, which front ends test with, keeps what it says.
struct TestStoreTests {
    @Test func `wallets have known keys, coins, and a number each`() async throws {
        let test = try TestStore()
        for chain in ChainName.allCases {
            let first = try await test.addWallet(chain)
            let second = try await test.addWallet(chain, number: 1, isFunded: false)
            #expect(first.address != second.address)
            let held = try await test.store.balances(wallet: first.id)
            #expect(held.contains { $0.asset == chain.coin && $0.confirmed != "0" })
            #expect(try await test.store.balances(wallet: second.id).isEmpty)
        }
        #expect(try await test.store.wallets()[0].address == "XoJA8qE3N2Y3jMLEtZ3vcN42qseZ8LvFf5")
    }

    @Test func `the folder is in memory, and removed with the store`() async throws {
        var test: TestStore? = try await TestStore.sample()
        let path = try #require(test?.store.path)
        #expect(path.hasPrefix("/dev/shm/"))
        #expect(try Files.exists(path))
        test = nil
        #expect(try !Files.exists(path))
        #expect(try !Files.exists(String(path.dropLast("/store".count))))
    }

    @Test func `a fault ends with the closure, also by an error`() async throws {
        struct Stop: Error {}
        let test = try TestStore()
        try await test.addWallet(.dash)
        await #expect(throws: Stop.self) {
            try await test.with(.silent, on: .dash) {
                #expect(try await test.store.syncReachable().problems.count == 1)
                throw Stop()
            }
        }
        #expect(try await test.store.syncReachable().problems.isEmpty)
    }

    @Test func `the sample has a request in each of the usual states`() async throws {
        let test = try await TestStore.sample()
        #expect(try await test.store.pending().count == 2)
        #expect(try await !test.store.callbacks().isEmpty)
        let requests = try await test.store.events().filter { $0.type == "request.received" }
        var states: [WalletRequest.Status] = []
        for event in requests {
            states.append(try await test.store.request(RequestID(event.position)).status)
        }
        #expect(states == [.completed, .rejected, .refused, .pending, .pending])
    }

    @Test func `a recorded session opens as it was, and its wallets sign`() async throws {
        let sample = try await TestStore.sample()
        let all = try await sample.store.events()
        let sessions = [
            try await SessionFixture(of: sample.store), try SessionFixture(events: all),
        ]
        #expect(sessions[0].bytes == sessions[1].bytes)
        let test = try await TestStore(sessions[1])
        #expect(try await test.store.events() == all)
        #expect(try await test.store.balances() == (try await sample.store.balances()))
        #expect(try await test.store.wallets() == (try await sample.store.wallets()))
        let last = try #require(all.last?.time)
        #expect(test.clock.microseconds >= last.microseconds)
        let asked = try #require(try await test.store.pending().last)
        #expect(try await test.approve(asked.id).status == .completed)
    }

    @Test func `events that are not a whole log's are no session`() async throws {
        let all = try await TestStore.sample().store.events()
        await expectCode("storeDamaged") { try SessionFixture(events: Array(all.dropFirst())) }
    }

    @Test func `following advances the clock instead of waiting`() async throws {
        let test = try TestStore()
        try await test.addWallet(.dash)
        let before = test.clock.microseconds
        let following = Task {
            try await test.store.follow(everySeconds: 3600) { _ in }
        }
        await waitUntil { test.clock.microseconds > before + 3_600_000_000 }
        following.cancel()
        try await following.value
    }
}
