import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookNodes
import DaybookSystem
import Testing

@testable import Daybook

/// Payments that hang are helped or replaced, from the store's calls to the embedded chain.
struct StoreRemedyTests {
    private static let text = "dashwallet://pay=\(Flow.dash)&amount=1&sender=myapp"

    /// A store with a wallet of ten coins.
    private func store() async throws -> (
        store: Store, wallet: WalletID, temporary: TemporaryStore
    ) {
        let temporary = try TemporaryStore()
        let store = try temporary.open()
        let wallet = try await store.addTestWallet(.dash)
        _ = try await store.fundFromFaucet(wallet.id, amount: "1000000000")
        try await store.mine(6)
        try await store.setFault(.withholdLocks, on: .dash)
        return (store, wallet.id, temporary)
    }

    /// A payment that no node has taken: its fee is too low just now.
    private func stuck(in store: Store) async throws -> RequestID {
        let request = try await store.receive(Self.text)
        try await store.setFault(
            .refuseNext(code: -26, message: "mempool min fee not met, 226 < 450"), on: .dash)
        #expect(try await store.approve(request.id).status == .signed)
        try await store.setFault(.withholdLocks, on: .dash)
        return request.id
    }

    private func available(_ store: Store) async throws -> [MinorAmount] {
        try await store.balances().map(\.available)
    }

    private func expectSound(_ store: Store) async throws {
        try await store.expectCleanReplay()
        let records = try await store.allRecords()
        #expect(try AuditTests.violations(records) == [])
    }

    @Test func `a bump is approved like any request, and both payments are mined`() async throws {
        let (store, _, _) = try await store()
        let payment = try await store.receive(Self.text)
        #expect(try await store.approve(payment.id).status == .completed)
        let bump = try await store.bump(payment.id)
        #expect(bump.status == .pending && bump.method == "bump" && bump.protocolName == "dash")
        let paid = try await store.request(payment.id).transaction
        #expect(bump.prompt?["payment"] == paid)
        let done = try await store.approve(bump.id)
        #expect(done.status == .completed && done.callback == nil)
        try await store.mine()
        #expect(try await available(store) == ["899999164"])
        let flow = Flow(name: "pay", chain: .dash, text: "")
        #expect(try await flow.arrived(in: store) == ["100000000"])
        try await expectSound(store)
    }

    @Test func `a payment that no node takes is cancelled, and says so`() async throws {
        let (store, _, _) = try await store()
        let payment = try await stuck(in: store)
        let cancel = try await store.cancel(payment)
        #expect(cancel.status == .pending)
        // The payment waits meanwhile.
        _ = try await store.sync()
        #expect(try await store.request(payment).status == .signed)
        #expect(try await store.approve(cancel.id).status == .sent)
        #expect(try await available(store) == ["999999808"])
        try await store.mine()
        let ended = try await store.request(payment)
        #expect(ended.status == .cancelled && ended.refusal == "cancelled")
        #expect(try await store.request(cancel.id).status == .completed)
        #expect(try await available(store) == ["999999808"])
        #expect(try await Flow(name: "pay", chain: .dash, text: "").arrived(in: store) == [])
        try await expectSound(store)
    }

    @Test func `whichever of both a block takes, the other one ends`() async throws {
        let (store, _, _) = try await store()
        let payment = try await stuck(in: store)
        let before = try await store.snapshot()
        let cancel = try await store.cancel(payment)
        #expect(try await store.approve(cancel.id).status == .sent)
        // Another miner had the payment all the time.
        try await store.put(back: before)
        let signed = try #require(try await store.signedBytes(of: payment))
        let answer = try await store.chains.utxo(.dash) { sandbox, _ in
            sandbox.send(signed.bytes, txid: signed.txid)
        }
        #expect(answer.answer == .accepted)
        try await store.mine()
        let ended = try await store.request(cancel.id)
        #expect(ended.status == .failed && ended.refusal == "alreadyConfirmed")
        let paid = try await store.request(payment)
        #expect(paid.status == .completed && paid.callback?.contains("txid") == true)
        #expect(try await available(store) == ["899999774"])
        try await expectSound(store)
    }

    @Test func `a remedy without a use is refused by name`() async throws {
        let (store, _, _) = try await store()
        #expect(try await store.bump(99_999).refusal == "unknownRequest")
        let pending = try await store.receive(Self.text)
        #expect(try await store.cancel(pending.id).refusal == "noPayment")
        #expect(try await store.approve(pending.id).status == .completed)
        #expect(try await store.cancel(pending.id).refusal == "alreadySent")
        try await store.mine()
        #expect(try await store.bump(pending.id).refusal == "alreadyConfirmed")
        let stuck = try await stuck(in: store)
        #expect(try await store.bump(stuck).refusal == "notSent")
        try await store.setFault(.silent, on: .dash)
        #expect(try await store.cancel(stuck).refusal == "chainUnavailable")
        try await expectSound(store)
    }

    @Test func `approving after a block has the payment ends the bump by name`() async throws {
        let (store, _, _) = try await store()
        let payment = try await store.receive(Self.text)
        _ = try await store.approve(payment.id)
        let bump = try await store.bump(payment.id)
        let shown = try #require(bump.prompt)
        try await store.mine()
        let done = try await store.approve(
            bump.id, shown: shown, unlockedBy: Passphrase("correct horse"))
        #expect(done.status == .failed && done.refusal == "alreadyConfirmed")
        try await expectSound(store)
    }

    @Test func `a cancellation that a node has overtaken is not signed`() async throws {
        let (store, _, _) = try await store()
        let payment = try await stuck(in: store)
        let cancel = try await store.cancel(payment)
        let signed = try #require(try await store.signedBytes(of: payment))
        _ = try await store.chains.utxo(.dash) { sandbox, _ in
            sandbox.send(signed.bytes, txid: signed.txid)
        }
        let shown = try #require(cancel.prompt)
        let error = await #expect(throws: DaybookError.self) {
            try await store.approve(
                cancel.id, shown: shown, unlockedBy: Passphrase("correct horse"))
        }
        #expect(error?.code == "alreadySent")
        #expect(try await store.reject(cancel.id).status == .rejected)
        try await store.mine()
        #expect(try await store.request(payment).status == .completed)
        try await expectSound(store)
    }

    @Test func `an export with a bump and a cancellation is imported and says the same`()
        async throws
    {
        let (store, _, _) = try await store()
        let payment = try await stuck(in: store)
        let cancel = try await store.cancel(payment)
        _ = try await store.approve(cancel.id)
        try await store.mine()
        let second = try await store.receive(Self.text + "&label=x")
        _ = try await store.approve(second.id)
        let bump = try await store.bump(second.id)
        _ = try await store.approve(bump.id)
        try await store.mine()
        let other = try TemporaryStore()
        let file = other.path + ".daybook"
        defer { try? Files.remove(file) }
        _ = try await store.export(to: file)
        let copy = try other.open()
        _ = try await copy.import(from: file)
        let digest = try await store.liveDigest()
        #expect(try await copy.liveDigest() == digest)
    }
}

extension Store {
    fileprivate typealias Snapshot = [(key: Bytes, value: Bytes)]

    fileprivate func snapshot() async throws -> Snapshot {
        try await chains.utxo(.dash) { sandbox, _ in
            sandbox.rows.scan(prefix: [], after: nil, limit: .max)
        }.map { ($0.key, $0.value) }
    }

    fileprivate func put(back rows: Snapshot) async throws {
        try await chains.utxo(.dash) { sandbox, _ in
            for row in sandbox.rows.scan(prefix: [], after: nil, limit: .max) {
                sandbox.rows.remove(row.key)
            }
            for row in rows { sandbox.rows.set(row.key, row.value) }
        }
    }

    fileprivate func signedBytes(of id: RequestID) throws -> TransactionSigned? {
        try journal.read(.published) { state, log in
            try state.request(id)?.txid.map { try log.signed(by: id, $0) }
        }
    }
}
