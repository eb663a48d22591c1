import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Testing

@testable import DaybookDomain

/// From the signature to the callback, in whatever order the news come.
struct SettlingTests {
    private func signed(_ lock: Action.InstantSend) -> (Given, txid: Bytes) {
        var given = Given()
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: 1_000_000)
        given.payAndSign(Given.pay(10_000, lock), from: wallet)
        return (given, given.state.request(given.request)?.txid ?? [])
    }

    private func seen(_ txid: Bytes, _ height: UInt64?, locked: Bool) -> Payload {
        var seen = ChainObserved(chain: .dash, network: .sandbox)
        seen.transactions = [.init(txid: txid, height: height, locked: locked)]
        return .chainObserved(seen)
    }

    private let accepted = Payload.broadcastAnswered(BroadcastAnswered(answer: .accepted))

    @Test(arguments: [(UInt64(101), false), (nil, true), (101, true)])
    func `a lock that is seen before the node's answer is waited for no more`(
        height: UInt64?, locked: Bool
    ) {
        var (given, txid) = signed(.required)
        let early = given.when(seen(txid, height, locked: locked)).types
        #expect(!early.contains("callback.emitted"))
        #expect(
            given.when(accepted, request: given.request).types
                == ["transaction.sent", "callback.emitted"])
        #expect(given.state.request(given.request)?.status == .completed)
        #expect(given.state.work().isEmpty)
        #expect(given.when(seen(txid, 102, locked: true)).types.last != "callback.emitted")
    }

    @Test(arguments: [(UInt64(101), false), (nil, true)])
    func `a block answers for the lock, and either of them once`(height: UInt64?, locked: Bool) {
        var (given, txid) = signed(.required)
        #expect(given.when(accepted, request: given.request).types == ["transaction.sent"])
        #expect(given.state.request(given.request)?.status == .sent)
        #expect(given.when(seen(txid, nil, locked: false)).isEmpty)
        #expect(given.when(seen(txid, height, locked: locked)).types.last == "callback.emitted")
        #expect(given.state.request(given.request)?.status == .completed)
        #expect(given.when(seen(txid, 101, locked: true)).types.last != "callback.emitted")
        #expect(given.when(seen(txid, 102, locked: true)).types.last != "callback.emitted")
    }

    private func gone(_ txid: Bytes) -> Payload {
        var seen = ChainObserved(chain: .dash, network: .sandbox)
        seen.transactions = [.init(txid: txid, height: nil, locked: false, isGone: true)]
        return .chainObserved(seen)
    }

    @Test func `a payment that waits for its lock fails when the network drops it`() {
        var (given, txid) = signed(.required)
        #expect(given.when(gone(txid)).isEmpty)
        given.when(accepted, request: given.request)
        let wallet = given.state.wallets(of: .dash)[0].id
        // While that is unknown, its coin stays reserved.
        #expect(given.when(seen(txid, nil, locked: false)).isEmpty)
        #expect(given.state.balance(wallet, "DASH")[.confirmedReserved] == UInt256(1_000_000))
        #expect(
            given.when(gone(txid)).types == ["transaction.failed", "callback.emitted"])
        #expect(given.state.request(given.request)?.refusal?.code == .refusedByNode)
        #expect(given.state.work().isEmpty)
        #expect(given.state.balance(wallet, "DASH")[.confirmedFree] == UInt256(1_000_000))
        #expect(given.when(gone(txid)).isEmpty)
    }

    @Test(arguments: [(UInt64(101), false), (nil, true)])
    func `a refusal of a payment that a block has, or a lock holds, is none`(
        seen: (height: UInt64?, locked: Bool)
    ) {
        var (given, txid) = signed(.unspecified)
        given.when(self.seen(txid, seen.height, locked: seen.locked))
        let refused = Payload.broadcastAnswered(BroadcastAnswered(answer: .refused, code: -26))
        #expect(
            given.when(refused, request: given.request).types
                == ["transaction.sent", "callback.emitted"])
    }

    @Test func `a payment that is locked or was told to its caller fails no more`() {
        var (given, txid) = signed(.required)
        given.when(accepted, request: given.request)
        given.when(seen(txid, nil, locked: true))
        #expect(given.when(gone(txid)).types == ["transaction.dropped"])
        #expect(given.state.request(given.request)?.status == .completed)
    }

    @Test func `a preferred lock is not waited for`() {
        var (given, _) = signed(.preferred)
        #expect(
            given.when(accepted, request: given.request).types
                == ["transaction.sent", "callback.emitted"])
        #expect(given.state.work().isEmpty)
    }

    @Test func `only coins that InstantSend can lock pay for a required lock`() {
        for (locked, code) in [(true, nil), (false, Refusal.Code.instantSendUnavailable)] {
            var given = Given()
            let wallet = given.add(.dash)
            given.fund(wallet, duffs: 1_000_000, height: 96, locked: locked)
            given.readings["pay"] = Given.pay(10_000, .required)
            given.receive("pay")
            #expect(given.approve(wallet: wallet).refusedDecision == code)
        }
        var given = Given()
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: 1_000_000, height: 95)
        given.readings["pay"] = Given.pay(10_000, .required)
        given.receive("pay")
        #expect(given.approve(wallet: wallet).types == ["transaction.prepared"])
    }

    @Test func `change can be spent before a block has it`() {
        var (given, txid) = signed(.unspecified)
        given.when(accepted, request: given.request)
        let wallet = given.state.wallets(of: .dash)[0].id
        let change = given.state.changeAddress(wallet)!
        let coin = given.state.outputs.rows(.first(wallet))[0].row.output
        var news = ChainObserved(chain: .dash, network: .sandbox)
        var spent = coin
        spent.spentBy = txid
        let outpoint = Outpoint(TransactionID(Bytes(txid.reversed()))!, 1)
        news.outputs = [
            spent,
            .init(
                outpoint: outpoint, script: change.script, amount: 989_774, height: nil,
                coinbase: false),
        ]
        #expect(given.when(.chainObserved(news)).isEmpty)
        #expect(given.state.balance(wallet, "DASH")[.unconfirmedFree] == UInt256(989_774))
        #expect(given.state.balance(wallet, "DASH").reserved == .zero)
        #expect(given.state.spendableCoins(of: wallet).map(\.outpoint) == [outpoint])
        news.outputs[0].spentHeight = 101
        news.outputs[1].height = 101
        #expect(given.when(.chainObserved(news)).types == ["transaction.confirmed"])
        #expect(given.state.balance(wallet, "DASH")[.confirmedFree] == UInt256(989_774))
        // The block is gone, and so is the transaction.
        news.outputs = [coin]
        news.removed = [outpoint]
        #expect(given.when(.chainObserved(news)).types == ["transaction.reorganised"])
        #expect(given.state.balance(wallet, "DASH").unconfirmed == .zero)
        // As long as the network may still take it, its coin is for nothing else.
        #expect(given.state.balance(wallet, "DASH")[.confirmedReserved] == UInt256(1_000_000))
        #expect(given.when(gone(txid)).types == ["transaction.dropped"])
        #expect(given.state.balance(wallet, "DASH")[.confirmedFree] == UInt256(1_000_000))
    }
}
