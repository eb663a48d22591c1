import Foundation
import Testing

@testable import Daybook

/// Decisions that can't stand: each is refused by name, and the log stays clean.
struct DecisionTests {
    let pay = "dashwallet://pay=XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa&amount=1.5&sender=myapp"

    private func funded(
        _ temporary: TemporaryStore, amount: MinorAmount = "1000000000"
    ) async throws -> Store {
        let store = try temporary.open()
        let wallet = try await store.addTestWallet(.dash)
        _ = try await store.fundFromFaucet(wallet.id, amount: amount)
        return store
    }

    /// The code of the error that `body` throws.
    private func code(_ body: () async throws -> Void) async -> String? {
        await errorCode(of: body)?.rawValue
    }

    @Test func `approving twice is refused and pays once`() async throws {
        let store = try await funded(try TemporaryStore())
        let request = try await store.receive(pay)
        let shown = try #require(request.prompt)
        _ = try await store.approve(
            request.id, shown: shown, unlockedBy: Passphrase("correct horse"))
        #expect(
            await code {
                _ = try await store.approve(
                    request.id, shown: shown, unlockedBy: Passphrase("correct horse"))
            } == "alreadyDecided")
        #expect(await code { _ = try await store.reject(request.id) } == "alreadyDecided")
        try await store.expectCleanReplay()
    }

    @Test func `an expired request can't be approved any more`() async throws {
        let temporary = try TemporaryStore()
        let store = try await funded(temporary)
        let request = try await store.receive(pay)
        temporary.wait(seconds: 601)
        #expect(
            await code {
                _ = try await store.approve(
                    request.id, shown: try #require(request.prompt),
                    unlockedBy: Passphrase("correct horse"))
            } == "expired")
        #expect(try await store.request(request.id).status == .expired)
        #expect(try await store.pending().isEmpty)
        try await store.expectCleanReplay()
    }

    @Test func `a prompt that was not shown can't be approved`() async throws {
        let store = try await funded(try TemporaryStore())
        let request = try await store.receive(pay)
        let other = try await store.receive(pay.replacingOccurrences(of: "1.5", with: "2"))
        #expect(
            await code {
                _ = try await store.approve(
                    request.id, shown: try #require(other.prompt),
                    unlockedBy: Passphrase("correct horse"))
            } == "promptChanged")
        #expect(try await store.request(request.id).status == .pending)
        try await store.expectCleanReplay()
    }

    @Test func `an amount above the balance is refused and the request stays open`()
        async throws
    {
        let store = try await funded(try TemporaryStore(), amount: "1000000")
        let request = try await store.receive(pay)
        #expect(request.prompt?.problem == "the balance does not cover the amount")
        #expect(await code { _ = try await store.approve(request.id) } == "insufficientBalance")
        #expect(try await store.request(request.id).status == .pending)
        #expect(try await store.balances().first?.reserved == "0")
        try await store.expectCleanReplay()
    }

    @Test func `after three wrong passphrases the wallet is locked, each time longer`()
        async throws
    {
        let temporary = try TemporaryStore()
        let store = try await funded(temporary)
        let request = try await store.receive(pay)
        let shown = try #require(request.prompt)
        func attempt(_ text: String) async -> String? {
            await code {
                _ = try await store.approve(request.id, shown: shown, unlockedBy: Passphrase(text))
            }
        }
        for _ in 0..<3 { #expect(await attempt("wrong") == "wrongPassphrase") }
        #expect(await attempt("correct horse") == "lockedOut")
        temporary.wait(seconds: 61)
        #expect(await attempt("wrong") == "wrongPassphrase")
        temporary.wait(seconds: 61)
        #expect(await attempt("correct horse") == "lockedOut")
        temporary.wait(seconds: 61)
        #expect(await attempt("correct horse") == nil)
        #expect(try await store.request(request.id).status == .completed)
        try await store.expectCleanReplay()
    }

    @Test func `a passphrase does not count if guesses lock the wallet while it signs`()
        async throws
    {
        let store = try await funded(try TemporaryStore())
        let request = try await store.receive(pay)
        let shown = try #require(request.prompt)
        let wallet = try #require(try await store.wallets().first?.id)
        let approval = Approval(
            request: request.id, wallet: wallet, prompt: shown.digest.bytes, amount: nil,
            isUnlocked: true)
        let key = try await store.openKey(of: wallet, with: Passphrase("correct horse"))
        let refused = await code {
            try await store.record(approval, by: key) { proposal, previous in
                for _ in 0..<3 {
                    _ = try? await store.approve(
                        request.id, shown: shown, unlockedBy: Passphrase("wrong"))
                }
                return try await Store.signatures(for: proposal, previous, by: key)
            }
        }
        #expect(refused == "lockedOut")
        #expect(try await store.request(request.id).status == .pending)
        try await store.expectCleanReplay()
    }

    @Test func `a front end's name and key have a length`() async throws {
        let temporary = try TemporaryStore()
        #expect(
            await code { _ = try Store(opening: temporary.path, frontEnd: "") } == "invalidName")
        let store = try temporary.open()
        let key = String(repeating: "k", count: 129)
        #expect(await code { _ = try await store.receive("dash:x", key: key) } == "invalidName")
    }

    @Test func `an unknown request is refused by name`() async throws {
        let store = try await funded(try TemporaryStore())
        #expect(await code { _ = try await store.reject(99) } == "unknownRequest")
        #expect(await code { _ = try await store.reject(1) } == "unknownRequest")
        #expect(await code { _ = try await store.delivered(1) } == "unknownCallback")
    }
}
