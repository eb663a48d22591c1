import DaybookEncoding
import Synchronization
import Testing

@testable import Daybook

/// Signed terms are the shown ones, and a signature is recorded with its decision.
struct SigningTests {
    private let temporary: TemporaryStore
    private let store: Store
    private let wallet: WalletID

    init() async throws {
        temporary = try TemporaryStore()
        store = try temporary.open()
        wallet = try await store.addTestWallet(.dash).id
        for _ in 0..<2 { _ = try await store.fundFromFaucet(wallet, amount: "1000000000") }
    }

    private func receive(_ amount: String) async throws -> RequestID {
        try await store.receive("dashwallet://pay=\(Flow.dash)&amount=\(amount)&sender=app").id
    }

    private func approval(of id: RequestID, shown digest: Bytes) -> Approval {
        Approval(request: id, wallet: wallet, prompt: digest, amount: nil, isUnlocked: true)
    }

    @Test func `a payment is signed again if another one took its coin meanwhile`()
        async throws
    {
        let (first, second) = (try await receive("1.5"), try await receive("1.6"))
        let digest = try await store.prompt(for: first).digest.bytes
        let key = try await store.openKey(of: wallet, with: Passphrase("correct horse"))
        let signings = Mutex(0)
        try await store.record(approval(of: first, shown: digest)) { [store] proposal, previous in
            if signings.withLock({ $0 += 1; return $0 }) == 1 {
                _ = try await store.approve(second)
            }
            return try await Store.signatures(for: proposal, previous, by: key)
        }
        #expect(signings.withLock { $0 } == 2)
        #expect(try await store.request(first).status == .signed)
        let types = try await store.allRecords().map(\.type)
        #expect(types.count { $0 == "transaction.signed" } == 2)
        #expect(!types.contains("transaction.failed"))
        try await store.expectCleanReplay()
    }

    @Test func `a signer is given the terms of the prompt that was shown, or none`() async throws {
        let id = try await receive("1.5")
        let digest = try await store.prompt(for: id).digest.bytes
        #expect(try await store.proposal(for: approval(of: id, shown: digest)).terms != nil)
        let other = try await store.prompt(for: try await receive("1.6")).digest.bytes
        #expect(try await store.proposal(for: approval(of: id, shown: other)).terms == nil)
    }
}
