import Testing

@testable import Daybook

struct SilentNodeTests {
    @Test func `a request is received and decided although a node is silent about another`()
        async throws
    {
        let store = try TemporaryStore().open()
        let wallet = try await store.addTestWallet(.dash)
        _ = try await store.fundFromFaucet(wallet.id, amount: "1000000000")
        try await store.mine(6)
        let pay = "dashwallet://pay=XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa&amount=1&sender=myapp"
        let waiting = try await store.receive(pay + "&req-IS=1")
        try await store.setFault(.withholdLocks, on: .dash)
        #expect(try await store.approve(waiting.id).status == .sent)
        try await store.setFault(.silent, on: .dash)
        let next = try await store.receive("dashwallet://request=address&sender=myapp")
        #expect(next.status == .pending)
        #expect(try await store.approve(next.id).status == .completed)
        try await store.resume()
        try await store.setFault(.none, on: .dash)
        try await store.mine(1)
        #expect(try await store.request(waiting.id).status == .completed)
        try await store.expectCleanReplay()
    }
}
