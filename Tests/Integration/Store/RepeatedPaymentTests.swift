import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookNodes
import Synchronization
import TestSupport
import Testing

@testable import Daybook

/// A node that refuses a payment and keeps it, while its user is told that it failed.
struct RepeatedPaymentTests {
    /// A node that refuses what it is sent, or says nothing, as long as it lies; it sends it later.
    private final class Lying: Sendable {
        struct Kept {
            let client: any ChainClient
            let bytes: Bytes
            let txid: Bytes
        }

        let isLying = Mutex(true)
        let answer: BroadcastAnswered.Answer
        let kept = Mutex<[Kept]>([])

        init(answering answer: BroadcastAnswered.Answer = .refused) {
            self.answer = answer
        }

        /// The network's answer to each transaction that was kept.
        func send() async -> [BroadcastAnswered.Answer] {
            var answers: [BroadcastAnswered.Answer] = []
            for item in kept.withLock({ $0 }) {
                answers.append(await item.client.broadcast(item.bytes, txid: item.txid).answer)
            }
            return answers
        }
    }

    private struct Node: ReplacedNode {
        let embedded: any ChainClient
        let liar: Lying

        func broadcast(_ bytes: Bytes, txid: Bytes) async -> BroadcastAnswered {
            guard liar.isLying.withLock({ $0 }) else {
                return await embedded.broadcast(bytes, txid: txid)
            }
            liar.kept.withLock {
                $0.append(.init(client: embedded, bytes: bytes, txid: txid))
            }
            return BroadcastAnswered(answer: liar.answer, code: -26, message: "dust")
        }
    }

    private func store(_ temporary: TemporaryStore, _ liar: Lying) throws -> Store {
        try temporary.open { parts in
            parts.client = { _, _, embedded in Node(embedded: embedded, liar: liar) }
        }
    }

    private static let payment = Flow(
        name: "pay", chain: .dash, text: "dashwallet://pay=\(Flow.dash)&amount=1.5&sender=myapp",
        pays: "150000000")
    /// Another link that asks for the same payment.
    private static let again = "dash:\(Flow.dash)?amount=1.5"

    private func warnings(_ store: Store, _ id: RequestID) async throws -> [String] {
        try await store.prompt(for: id).warnings.map(\.text)
    }

    /// How often the payment was made, by the chain.
    private func paid(in store: Store) async throws -> Int {
        try await Self.payment.arrived(in: store).count { $0 == Self.payment.pays }
    }

    /// A payment that the node refused and kept; its wallet has another coin that would do.
    private func failed(in store: Store, _ liar: Lying) async throws -> RequestID {
        let wallet = try await store.addTestWallet(.dash)
        _ = try await store.fundFromFaucet(wallet.id, amount: "1000000000")
        try await store.mine(6)
        let first = try await store.receive(Self.payment.text)
        let failed = try await store.approve(first.id)
        #expect(failed.status == .failed && failed.mayStillExecute)
        _ = try await store.fundFromFaucet(wallet.id, amount: "200000000")
        _ = try await store.fundFromFaucet(wallet.id, amount: "300000000")
        try await store.mine(6)
        // Another payment takes the next change address: the same coin makes another transaction.
        liar.isLying.withLock { $0 = false }
        let other = try await store.receive("dash:\(Flow.dash)?amount=0.5")
        #expect(try await store.approve(other.id).status == .completed)
        liar.isLying.withLock { $0 = true }
        try await store.mine(6)
        return first.id
    }

    @Test(arguments: [true, false])
    func `exactly one of two payments to the same terms is made`(isFirst: Bool) async throws {
        let liar = Lying()
        let store = try store(try TemporaryStore(), liar)
        let first = try await failed(in: store, liar)
        let second = try await store.receive(Self.again)
        #expect(
            try await warnings(store, second.id) == [
                "An earlier attempt (request \(first)) may still be executed. This payment spends"
                    + " the same coin, so that only one of the two can be executed."
            ])
        if isFirst {
            #expect(try await store.approve(second.id).status == .failed)
            liar.isLying.withLock { $0 = false }
            #expect(await liar.send() == [.accepted, .refused])
        } else {
            liar.isLying.withLock { $0 = false }
            #expect(try await store.approve(second.id).status == .completed)
            #expect(await liar.send() == [.refused])
        }
        try await store.mine(7)
        _ = try await store.sync()
        #expect(try await paid(in: store) == 1)
        #expect(try await store.request(first).status == (isFirst ? .completed : .failed))
        #expect(try await store.request(second.id).status == (isFirst ? .failed : .completed))
        for id in [first, second.id] {
            #expect(try await !store.request(id).mayStillExecute)
        }
        #expect(try await store.balances().allSatisfy { $0.reserved == "0" })
        try await store.expectCleanReplay()
    }

    @Test func `a payment that was executed after all is told before a second one is made`()
        async throws
    {
        let liar = Lying()
        let store = try store(try TemporaryStore(), liar)
        let first = try await failed(in: store, liar)
        let second = try await store.receive(Self.again)
        let shown = try await store.prompt(for: second.id)
        liar.isLying.withLock { $0 = false }
        #expect(await liar.send() == [.accepted])
        try await store.mine(1)
        _ = try await store.sync()
        #expect(try await store.request(first).status == .completed)
        // The prompt said that only one of them can be made, which is no longer true.
        await #expect(throws: DaybookError.self) {
            try await store.approve(
                second.id, shown: shown, unlockedBy: Passphrase("correct horse"))
        }
        #expect(
            try await warnings(store, second.id) == [
                "An earlier attempt (request \(first)) was executed after all. This payment is a"
                    + " second one."
            ])
        #expect(try await store.approve(second.id).status == .completed)
        try await store.mine(1)
        #expect(try await paid(in: store) == 2)
        try await store.expectCleanReplay()
    }

    @Test func `an ICON payment is repeated when its time has passed and no block has it`()
        async throws
    {
        let temporary = try TemporaryStore()
        let liar = Lying()
        let store = try store(temporary, liar)
        let flow = try #require(Flow.all.first { $0.name == "sendICX" })
        let wallet = try await store.addTestWallet(.icon)
        _ = try await store.fundFromFaucet(wallet.id, amount: "10000000000000000000")
        let first = try await store.receive(flow.text)
        #expect(try await store.approve(first.id).status == .failed)
        liar.isLying.withLock { $0 = false }
        let early = try await store.receive(flow.text)
        await #expect(throws: DaybookError.self) { try await store.approve(early.id) }
        #expect(try await store.request(early.id).status == .pending)
        temporary.wait(seconds: 601)
        #expect(await liar.send() == [.refused])
        _ = try await store.sync()
        #expect(try await !store.request(first.id).mayStillExecute)
        let late = try await store.receive(flow.text)
        #expect(try await store.approve(late.coalescedInto ?? late.id).status == .completed)
        try await store.mine(1)
        #expect(try await flow.arrived(in: store) == [flow.pays])
        try await store.expectCleanReplay()
    }

    @Test func `a signed payment that no node answers for can be rejected`() async throws {
        let temporary = try TemporaryStore()
        let liar = Lying(answering: .unknown)
        let store = try store(temporary, liar)
        let wallet = try await store.addTestWallet(.dash)
        _ = try await store.fundFromFaucet(wallet.id, amount: "1000000000")
        let request = try await store.receive(Self.payment.text)
        #expect(try await store.approve(request.id).status == .signed)
        let lock = try FileSendLock.take(of: request.id, in: temporary.path + "/sending.lock")
        await #expect(throws: DaybookError.self) { try await store.reject(request.id) }
        lock?.end()
        let rejected = try await store.reject(request.id)
        #expect(rejected.status == .rejected && rejected.mayStillExecute)
        #expect(try await store.balances().allSatisfy { $0.reserved == "0" })
        #expect(await liar.send().contains(.accepted))
        try await store.mine(1)
        _ = try await store.sync()
        let done = try await store.request(request.id)
        #expect(done.status == .completed && !done.mayStillExecute)
        #expect(try await Self.payment.arrived(in: store) == [Self.payment.pays])
        try await store.expectCleanReplay()
    }
}
