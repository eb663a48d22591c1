import DaybookEncoding
import Synchronization
import Testing

@testable import Daybook

/// A wallet that is unlocked for a while pays without its passphrase, within time and limit.
struct UnlockingTests {
    private let temporary: TemporaryStore
    private let store: Store
    private let wallet: WalletID

    init() async throws {
        temporary = try TemporaryStore()
        store = try temporary.open()
        wallet = try await store.addTestWallet(.dash).id
        for _ in 0..<3 { _ = try await store.fundFromFaucet(wallet, amount: "1000000000") }
    }

    private func receive(_ amount: String) async throws -> RequestID {
        try await store.receive("dashwallet://pay=\(Flow.dash)&amount=\(amount)&sender=app").id
    }

    private func unlock(
        seconds: Int = 60, limit: MinorAmount = "200000000", _ passphrase: String = "correct horse"
    ) async throws {
        try await store.unlock(
            wallet, with: Passphrase(passphrase), seconds: seconds, limit: limit)
    }

    /// Approves without a passphrase; returns the error's code.
    private func pay(_ id: RequestID) async throws -> String? {
        let shown = try await store.prompt(for: id).digest
        do {
            try await store.approve(id, shown: shown, unlockedBy: nil)
            return nil
        } catch {
            return "\(error.code)"
        }
    }

    @Test func `an unlocked wallet pays without its passphrase until it is locked`() async throws {
        let (first, second) = (try await receive("0.5"), try await receive("0.6"))
        #expect(try await pay(first) == "passphraseMissing")
        try await unlock()
        #expect(try await pay(first) == nil)
        await store.lock(wallet)
        #expect(try await pay(second) == "passphraseMissing")
        try await store.expectCleanReplay()
    }

    @Test func `the key is not used when the time is over`() async throws {
        let id = try await receive("0.5")
        try await unlock(seconds: 60)
        temporary.wait(seconds: 61)
        #expect(try await pay(id) == "passphraseMissing")
        #expect(await store.unlockedWallets.isEmpty)
    }

    @Test func `the sum of amounts and fees stays within the limit`() async throws {
        let (first, second) = (try await receive("1"), try await receive("1.1"))
        let third = try await receive("0.5")
        try await unlock(limit: "200000000")
        #expect(try await pay(first) == nil)
        #expect(try await pay(second) == "passphraseMissing")
        #expect(try await pay(third) == nil)
    }

    @Test func `payments at once don't exceed the limit together`() async throws {
        var ids: [RequestID] = []
        for amount in ["1.1", "1.2", "1.3"] { ids.append(try await receive(amount)) }
        try await unlock(limit: "200000000")
        let codes = try await withThrowingTaskGroup(of: String?.self) { group in
            for id in ids { group.addTask { try await pay(id) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.count { $0 == nil } == 1)
    }

    @Test func `an approval that is refused gives its part of the limit back`() async throws {
        let id = try await receive("1.5")
        try await unlock(limit: "200000000")
        let other = try await store.prompt(for: try await receive("1.6")).digest
        await #expect(throws: DaybookError.self) {
            try await store.approve(id, shown: other, unlockedBy: nil)
        }
        #expect(try await pay(id) == nil)
    }

    @Test func `a wrong passphrase unlocks nothing and counts`() async throws {
        let id = try await receive("0.5")
        await #expect(throws: DaybookError.self) { try await unlock("wrong horse") }
        #expect(try await pay(id) == "passphraseMissing")
        #expect(try await store.allRecords().contains { $0.type == "unlock.failed" })
    }

    @Test func `seconds and limit are checked`() async throws {
        await #expect(throws: DaybookError.self) { try await unlock(seconds: 0) }
        await #expect(throws: DaybookError.self) { try await unlock(seconds: 86_401) }
        await #expect(throws: DaybookError.self) { try await unlock(limit: "-1") }
    }

    @Test func `wallets show until when and for how much they are unlocked`() async throws {
        #expect(try await store.wallets().map(\.unlocked) == [nil])
        let until = try await store.unlock(
            wallet, with: Passphrase("correct horse"), seconds: 60, limit: "200000000")
        let unlocked = WalletUnlocking(until: until, remaining: "200000000")
        #expect(try await store.wallets().map(\.unlocked) == [unlocked])
        #expect(try await pay(try await receive("1.5")) == nil)
        let left = try #require(try await store.wallets().first?.unlocked?.remaining)
        #expect(left < 50_000_000)
        #expect(try await store.rename(wallet, to: "till").unlocked?.remaining == left)
        temporary.wait(seconds: 61)
        #expect(try await store.wallets().map(\.unlocked) == [nil])
    }

    @Test func `subscribers are told that a wallet was unlocked, has paid, and was locked`()
        async throws
    {
        let id = try await receive("0.5")
        let last = try #require(try store.lastPosition())
        var reader = store.changes().makeAsyncIterator()
        let change = StoreChange(position: last, changes: [.init(.wallet, wallet: wallet)])
        try await unlock()
        #expect(try await reader.next() == change)
        #expect(try await pay(id) == nil)
        #expect(try await reader.next()?.changes.contains(.init(.wallet, wallet: wallet)) == true)
        await store.lock(wallet)
        #expect(try await reader.next()?.changes == [.init(.wallet, wallet: wallet)])
        // It was locked already: nothing has changed.
        await store.lock(wallet)
        let request = try await receive("0.6")
        #expect(try await reader.next()?.changes == [.init(.request, request: request)])
    }

    @Test func `a subscriber that waits is told when the time is over`() async throws {
        let last = try #require(try store.lastPosition())
        try await unlock(seconds: 1)
        // It continues after an event, and may have missed the unlocking meanwhile.
        var reader = store.changes(after: last).makeAsyncIterator()
        for _ in 1...2 {
            #expect(try await reader.next()?.changes == [.init(.wallet, wallet: wallet)])
        }
        #expect(await store.unlockedWallets.isEmpty)
    }

    @Test func `a token transfer needs the passphrase`() async throws {
        let icon = try await store.addFundedWallet(.icon).id
        try await store.unlock(
            icon, with: Passphrase("correct horse"), seconds: 60,
            limit: "9000000000000000000")
        let flow = try #require(Flow.all.first { $0.name == "sendToken" })
        let id = try await store.receive(flow.text).id
        #expect(try await pay(id) == "passphraseMissing")
    }

    @Test func `a renamed wallet has its label, and old prompts are out of date`() async throws {
        let id = try await receive("0.5")
        let shown = try await store.prompt(for: id).digest
        #expect(try await store.rename(wallet, to: "till").label == "till")
        let count = try await store.allRecords().count
        try await store.rename(wallet, to: "till")
        #expect(try await store.allRecords().count == count)
        await #expect(throws: DaybookError.self) {
            try await store.approve(id, shown: shown, unlockedBy: Passphrase("correct horse"))
        }
        #expect(try await store.rename(wallet, to: nil).label == nil)
        try await store.expectCleanReplay()
    }
}
