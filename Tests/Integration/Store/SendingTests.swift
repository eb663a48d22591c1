import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookNodes
import DaybookSystem
import Synchronization
import TestSupport
import Testing

@testable import Daybook

/// A payment that several processes would send: each is a holder of its turn.
struct SendingTests {
    /// A node that counts what it is sent, and refuses all of it.
    private struct Refusing: ReplacedNode {
        let embedded: any ChainClient
        let sent: @Sendable () -> Void

        func broadcast(_ bytes: Bytes, txid: Bytes) async -> BroadcastAnswered {
            sent()
            return BroadcastAnswered(answer: .refused, code: -26, message: "dust")
        }
    }

    /// A process that holds a payment's turn until it is told to let go.
    private final class OtherProcess: Sendable {
        let turn = Mutex<FileLock?>(nil)
    }

    private static let link = "dashwallet://pay=\(Flow.dash)&amount=1&sender=myapp"

    /// A payment that was signed, and whose answer was lost.
    private func signed(in store: Store) async throws -> RequestID {
        let wallet = try await store.addTestWallet(.dash)
        _ = try await store.fundFromFaucet(wallet.id, amount: "1000000000")
        let request = try await store.receive(Self.link)
        try await store.setFault(.loseNext, on: .dash)
        #expect(try await store.approve(request.id).status == .signed)
        try await store.setFault(.none, on: .dash)
        return request.id
    }

    /// A store whose chain refuses what is sent to it, and says so to the test.
    private func refused(
        in temporary: TemporaryStore, _ hears: @escaping @Sendable () -> Void
    ) throws -> Store {
        try temporary.open { parts in
            parts.client = { _, _, embedded in Refusing(embedded: embedded) { hears() } }
        }
    }

    @Test func `a payment that another process sends just now is left to it`() async throws {
        let temporary = try TemporaryStore()
        let id = try await signed(in: try temporary.open())
        let sent = Mutex(0)
        let store = try refused(in: temporary) { sent.withLock { $0 += 1 } }
        let other = try FileSendLock.take(of: id, in: temporary.path + "/sending.lock")
        try await store.resume()
        _ = try await store.sync()
        #expect(sent.withLock { $0 } == 0)
        #expect(try await store.request(id).status == .signed)
        other?.end()
        try await store.resume()
        #expect(sent.withLock { $0 } == 1)
        #expect(try await store.request(id).status == .failed)
        try await store.expectCleanReplay()
    }

    @Test(arguments: [true, false])
    func `an altered row has nothing sent that its request did not sign`(isOther: Bool)
        async throws
    {
        let temporary = try TemporaryStore()
        let (id, other): (RequestID, WalletRequest)
        do {
            let store = try temporary.open()
            let first = try await signed(in: store)
            let wallet = try #require(try await store.wallets().first)
            _ = try await store.fundFromFaucet(wallet.id, amount: "1000000000")
            try await store.setFault(.loseNext, on: .dash)
            let next = "dashwallet://pay=\(Flow.dash)&amount=2&sender=myapp"
            id = try await store.receive(next).id
            #expect(try await store.approve(id).status == .signed)
            other = try await store.request(first)
        }
        let txid = isOther ? try #require(Hex.decode(other.transaction ?? "")) : [1, 2, 3]
        try temporary.alterDerived { state in
            #expect(state.requests.update(id) { $0.txid = txid })
        }
        let sent = Mutex(0)
        let store = try refused(in: temporary) { sent.withLock { $0 += 1 } }
        await #expect { try await store.resume() } throws: {
            ($0 as? DaybookError)?.code == "storeDamaged"
        }
        #expect(sent.withLock { $0 } == 0)
    }

    @Test func `an approval waits for the process that sends its payment`() async throws {
        let temporary = try TemporaryStore()
        let path = temporary.path + "/sending.lock"
        let pauses = Mutex(0)
        let other = OtherProcess()
        let store = try temporary.open(pause: { _ in
            other.turn.withLock { $0 = nil }
            pauses.withLock { $0 += 1 }
        })
        let wallet = try await store.addTestWallet(.dash)
        _ = try await store.fundFromFaucet(wallet.id, amount: "1000000000")
        let request = try await store.receive(Self.link)
        try other.turn.withLock { $0 = try FileLock(withoutWaiting: path, byte: request.id.number) }
        #expect(try await store.approve(request.id).status == .completed)
        #expect(pauses.withLock { $0 } == 1)
        try await store.expectCleanReplay()
    }

    @Test func `a node that says the same again and again is recorded once`() async throws {
        let store = try TemporaryStore().open()
        _ = try await signed(in: store)
        try await store.setFault(.silent, on: .dash)
        for _ in 0..<3 { try await store.resume() }
        let answers = try await store.allRecords().filter { $0.type == "broadcast.answered" }
        #expect(answers.count == 1)
        try await store.setFault(.none, on: .dash)
        try await store.resume()
        #expect(try await store.allRecords().count { $0.type == "transaction.sent" } == 1)
    }
}
