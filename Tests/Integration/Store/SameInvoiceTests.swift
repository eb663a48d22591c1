import DaybookDomain
import Testing

@testable import Daybook

/// One invoice in the spellings of several protocols, from the link to the payment.
struct SameInvoiceTests {
    private static let spellings = [
        "dash:\(Flow.dash)?amount=1&label=Shop", "DASH:\(Flow.dash)?label=Shop&amount=1.0",
        "dash://\(Flow.dash)?amount=1.00000000",
        "dashwallet://pay=\(Flow.dash)&amount=1&sender=shop",
    ]

    private func funded(_ temporary: TemporaryStore) async throws -> Store {
        let store = try temporary.open()
        let wallet = try await store.addTestWallet(.dash)
        for _ in 0..<5 { _ = try await store.fundFromFaucet(wallet.id, amount: "1000000000") }
        try await store.mine(6)
        return store
    }

    private func warnings(_ store: Store, _ id: RequestID) async throws -> [String] {
        try await store.prompt(for: id).warnings.map(\.text)
    }

    @Test func `each spelling after the first is shown with a warning`() async throws {
        let store = try await funded(try TemporaryStore())
        var ids: [RequestID] = []
        for link in Self.spellings {
            let request = try await store.receive(link)
            #expect(try await warnings(store, request.id).count == (ids.isEmpty ? 0 : 1))
            if let last = ids.last {
                let warning = try await warnings(store, request.id)[0]
                #expect(
                    warning.hasPrefix(
                        "Request \(last) made the same payment. It was approved at 20"))
            }
            #expect(try await store.approve(request.id).status == .completed)
            ids.append(request.id)
        }
        let other = try await store.receive("dash:\(Flow.dash)?amount=1.1&label=Shop")
        #expect(try await warnings(store, other.id) == [])
        try await store.expectCleanReplay()
    }

    @Test func `of four that were all shown first, only one is approved as it was shown`()
        async throws
    {
        let store = try await funded(try TemporaryStore())
        var shown: [(id: RequestID, prompt: PromptText)] = []
        for link in Self.spellings {
            let request = try await store.receive(link)
            shown.append((request.id, try #require(request.prompt)))
        }
        var paid = 0
        for (id, prompt) in shown.reversed() {
            do {
                _ = try await store.approve(
                    id, shown: prompt, unlockedBy: Passphrase("correct horse"))
                paid += 1
            } catch {
                #expect(error.code == "promptChanged")
            }
        }
        #expect(paid == 1)
        for (id, _) in shown.dropLast() {
            #expect(try await warnings(store, id).contains { $0.contains("the same payment") })
        }
        try await store.expectCleanReplay()
    }

    @Test func `a store that is opened again warns as well`() async throws {
        let temporary = try TemporaryStore()
        let first: RequestID
        do {
            let store = try await funded(temporary)
            first = try await store.receive(Self.spellings[0]).id
            try await store.approve(first)
            try await store.mine(1)
        }
        let store = try temporary.open()
        let again = try await store.receive(Self.spellings[3])
        let warning = try #require(try await warnings(store, again.id).first)
        #expect(warning.hasPrefix("Request \(first) made the same payment."))
    }
}
