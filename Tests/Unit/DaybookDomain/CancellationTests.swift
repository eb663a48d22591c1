import DaybookChains
import DaybookEncoding
import Testing

@testable import DaybookDomain

/// A payment and its cancellation: the network takes one of both, and the book has that one.
struct CancellationTests {
    private static let accepted = RemedyTests.accepted

    @Test func `a payment that no node has taken is replaced by one to its own wallet`() {
        var (given, wallet, payment) = RemedyTests.signed()
        #expect(given.ask(.cancel, payment) == ["request.deferred"])
        let cancel = given.newest
        // A payment is not sent while its cancellation waits for the user.
        #expect(given.state.work() == [.observe(request: cancel)])
        #expect(given.answer(cancel, seeing: nil) == ["request.accepted"])
        #expect(given.state.work() == [])
        let prompt = given.prompt(cancel, wallet: wallet)
        #expect(prompt["method"] == "cancel" && prompt["payment"] == given.txid(payment))
        #expect(prompt["fee"] == "0.00000192")
        #expect(prompt["consequence"]?.hasPrefix("Only one of") == true)
        given.approve(cancel, wallet: wallet)
        #expect(given.sign(cancel).types == ["transaction.signed"])
        #expect(
            given.prepared[cancel]?.inputs.map(\.outpoint)
                == given.prepared[payment]?.inputs.map(\.outpoint))
        #expect(given.state.balance(wallet, "DASH").available == .zero)
        #expect(given.state.work() == [.broadcast(request: cancel)])
        #expect(given.when(Self.accepted, request: cancel).types == ["transaction.sent"])
        // Both are in flight until a block has one.
        #expect(given.state.request(cancel)?.status == .sent)
        #expect(given.state.request(payment)?.status == .signed)
        given.show(cancel, in: wallet)
        let outcomes = given.show(cancel, in: wallet, height: 101)
        #expect(
            outcomes.types == ["transaction.confirmed", "request.cancelled", "callback.emitted"])
        let row = given.state.request(payment)
        #expect(row?.status == .cancelled && row?.refusal?.code == .cancelled)
        #expect(row?.callback?.contains("cancelled") == true)
        #expect(given.state.request(cancel)?.status == .completed)
        #expect(given.state.balance(wallet, "DASH").confirmed == UInt256(999_808))
        #expect(given.state.balance(wallet, "DASH").available == UInt256(999_808))
        #expect(given.state.work() == [])
    }

    @Test func `a payment that a block has first ends its cancellation`() {
        var (given, wallet, payment) = RemedyTests.signed()
        let cancel = given.remedy(.cancel, payment, wallet)
        given.when(Self.accepted, request: cancel)
        given.show(cancel, in: wallet)
        let outcomes = given.show(payment, in: wallet, height: 101, hiding: cancel)
        #expect(outcomes.types == ["transaction.confirmed", "transaction.failed"])
        let row = given.state.request(cancel)
        #expect(row?.status == .failed && row?.refusal?.code == .alreadyConfirmed)
        // Its caller waits for what the node says to the payment, which is asked now.
        #expect(given.state.work() == [.broadcast(request: payment)])
        let sent = given.when(Self.accepted, request: payment)
        #expect(sent.types == ["transaction.sent", "callback.emitted"])
        #expect(given.state.balance(wallet, "DASH").confirmed == UInt256(899_774))
        #expect(given.state.balance(wallet, "DASH").reserved == .zero)
    }

    @Test func `a sender that was told of a payment hears nothing of its cancellation`() {
        var (given, wallet, payment) = RemedyTests.sent()
        given.forget(payment, in: wallet)
        let cancel = given.remedy(.cancel, payment, wallet)
        given.when(Self.accepted, request: cancel)
        let outcomes = given.show(cancel, in: wallet, height: 101)
        #expect(outcomes.types == ["transaction.confirmed", "request.cancelled"])
        #expect(given.state.request(payment)?.refusal?.code == .cancelledAfterAnswer)
        #expect(given.state.balance(wallet, "DASH").available == UInt256(999_808))
    }

    @Test func `a cancellation that a node refuses leaves the coin to the payment`() {
        var (given, wallet, payment) = RemedyTests.signed()
        let cancel = given.remedy(.cancel, payment, wallet)
        #expect(given.when(RemedyTests.refused, request: cancel).types == ["transaction.failed"])
        #expect(given.state.outputs.rows().map(\.row.reservedBy) == [payment])
        #expect(given.state.balance(wallet, "DASH").available == .zero)
        #expect(given.state.work() == [.broadcast(request: payment)])
    }

    @Test func `a rejected cancellation lets the payment go on`() {
        var (given, wallet, payment) = RemedyTests.signed()
        given.ask(.cancel, payment)
        let cancel = given.newest
        given.answer(cancel, seeing: nil)
        given.reject(cancel)
        #expect(given.state.work() == [.broadcast(request: payment)])
        // Signed and not taken, it can be rejected as well.
        let second = given.remedy(.cancel, payment, wallet)
        #expect(given.reject(second).types == ["request.rejected"])
        #expect(given.state.outputs.rows().map(\.row.reservedBy) == [payment])
        #expect(given.state.work() == [.broadcast(request: payment)])
    }

    @Test func `a payment that a node has is not cancelled`() {
        var (given, _, payment) = RemedyTests.sent()
        given.ask(.cancel, payment)
        #expect(given.answer(given.newest, seeing: payment) == ["request.refused"])
        #expect(given.refusal == .alreadySent)
    }

    @Test func `a payment whose coin no node shows can't be cancelled`() {
        var (given, _, payment) = RemedyTests.signed()
        var seen = ChainObserved(chain: .dash, network: .sandbox)
        seen.removed = given.prepared[payment]?.inputs.compactMap(\.outpoint) ?? []
        given.when(.chainObserved(seen))
        given.ask(.cancel, payment)
        #expect(given.answer(given.newest, seeing: nil) == ["request.refused"])
        #expect(given.refusal == .coinsGone)
    }

    @Test func `a payment is cancelled once, and a cancellation not at all`() {
        var (given, wallet, payment) = RemedyTests.signed()
        given.ask(.cancel, payment)
        let cancel = given.newest
        #expect(given.ask(.cancel, payment) == ["request.coalesced"])
        given.answer(cancel, seeing: nil)
        #expect(given.ask(.cancel, payment) == ["request.coalesced"])
        #expect(given.state.request(given.newest)?.into == cancel)
        given.approve(cancel, wallet: wallet)
        given.sign(cancel)
        for remedy in Remedy.allCases {
            given.ask(remedy, payment)
            #expect(given.refusal == .alreadyCancelled)
        }
        given.ask(.cancel, cancel)
        #expect(given.refusal == .isCancellation)
        given.when(Self.accepted, request: cancel)
        given.show(cancel, in: wallet, height: 101)
        given.ask(.cancel, payment)
        #expect(given.refusal == .alreadyCancelled)
    }

    @Test func `a cancellation that is stuck is bumped like any payment`() {
        var (given, wallet, payment) = RemedyTests.signed()
        let cancel = given.remedy(.cancel, payment, wallet)
        given.when(Self.accepted, request: cancel)
        given.show(cancel, in: wallet)
        given.ask(.bump, cancel)
        #expect(given.answer(given.newest, seeing: cancel) == ["request.accepted"])
        #expect(
            given.prompt(given.newest, wallet: wallet)["rateOfBoth"] == "2000 duffs per 1000 bytes")
    }

    @Test func `a bump that no node has is cancelled like any payment`() {
        var (given, wallet, payment) = RemedyTests.sent()
        let bump = given.remedy(.bump, payment, wallet)
        given.ask(.cancel, bump)
        let cancel = given.newest
        #expect(given.answer(cancel, seeing: nil) == ["request.accepted"])
        given.approve(cancel, wallet: wallet)
        given.sign(cancel)
        given.when(Self.accepted, request: cancel)
        let outcomes = given.show(cancel, in: wallet, height: 101)
        #expect(outcomes.types == ["transaction.confirmed", "request.cancelled"])
        #expect(given.state.request(bump)?.status == .cancelled)
    }

    @Test func `payments of the change end with the payment that is cancelled`() {
        var (given, wallet, payment) = RemedyTests.sent()
        let next = given.payAndSign(Given.pay(50_000), from: wallet, link: "next")
        given.forget(payment, in: wallet)
        let cancel = given.remedy(.cancel, payment, wallet)
        given.when(Self.accepted, request: cancel)
        let outcomes = given.show(cancel, in: wallet, height: 101)
        #expect(outcomes.types.contains("transaction.failed"))
        #expect(given.state.request(next)?.status == .failed)
        #expect(given.state.balance(wallet, "DASH").available == UInt256(999_808))
    }

    @Test func `a payment and its cancellation end with the payment whose change both spend`() {
        var (given, wallet, payment) = RemedyTests.sent()
        let next = given.payAndSign(Given.pay(50_000), from: wallet, link: "next")
        given.when(Self.accepted, request: next)
        given.show(next, in: wallet)
        let second = given.remedy(.cancel, next, wallet)
        let first = given.remedy(.cancel, payment, wallet)
        given.when(Self.accepted, request: first)
        let outcomes = given.show(first, in: wallet, height: 101)
        #expect(
            outcomes.types == [
                "transaction.confirmed", "request.cancelled", "transaction.failed",
                "transaction.dropped",
            ])
        #expect(given.state.request(second)?.status == .failed)
        #expect(given.state.balance(wallet, "DASH").available == UInt256(999_808))
        #expect(given.state.balance(wallet, "DASH").unconfirmed == .zero)
    }

    @Test func `a payment of several coins gets the others back`() {
        var given = Given()
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: 60_000, id: 7)
        given.fund(wallet, duffs: 50_000, id: 8)
        let payment = given.payAndSign(Given.pay(100_000), from: wallet)
        let cancel = given.remedy(.cancel, payment, wallet)
        #expect(given.prepared[cancel]?.inputs.map(\.amount) == [60_000])
        given.when(Self.accepted, request: cancel)
        given.show(cancel, in: wallet)
        #expect(given.state.balance(wallet, "DASH").reserved == UInt256(50_000))
        given.show(cancel, in: wallet, height: 101)
        #expect(given.state.balance(wallet, "DASH").available == UInt256(109_808))
    }

    @Test func `a payment that failed and may still be executed is made impossible`() {
        var (given, wallet, payment) = RemedyTests.signed()
        given.when(RemedyTests.refused, request: payment)
        let cancel = given.remedy(.cancel, payment, wallet)
        given.when(Self.accepted, request: cancel)
        let outcomes = given.show(cancel, in: wallet, height: 101)
        #expect(outcomes.types == ["transaction.confirmed"])
        #expect(given.state.request(payment)?.status == .failed)
        var deep = ChainObserved(chain: .dash, network: .sandbox)
        deep.height = 106
        deep.tip = [106]
        given.when(.chainObserved(deep))
        #expect(given.state.request(payment).map { given.state.mayStillExecute($0) } == false)
    }

    @Test func `a reorganisation that takes the payment after all ends the cancellation`() {
        var (given, wallet, payment) = RemedyTests.signed()
        let cancel = given.remedy(.cancel, payment, wallet)
        given.when(Self.accepted, request: cancel)
        given.show(cancel, in: wallet, height: 101)
        var other = ChainObserved(chain: .dash, network: .sandbox)
        other.transactions = [
            .init(txid: given.state.request(cancel)?.txid ?? [], height: nil, locked: false)
        ]
        given.when(.chainObserved(other))
        let outcomes = given.show(payment, in: wallet, height: 102, hiding: cancel)
        #expect(outcomes.types.contains("transaction.dropped"))
        #expect(given.state.request(payment)?.status == .completed)
        let row = given.state.request(cancel)
        #expect(row?.status == .failed && row?.refusal?.code == .alreadyConfirmed)
        #expect(given.state.balance(wallet, "DASH").confirmed == UInt256(899_774))
    }
}

extension Given {
    /// A node has lost a request's transaction, and shows its coins unspent.
    mutating func forget(_ id: RequestID, in wallet: WalletID) {
        var seen = ChainObserved(chain: .dash, network: .sandbox)
        let inputs = state.request(id)?.payment?.inputs ?? []
        seen.outputs = inputs.compactMap { outpoint in
            guard var output = state.output(outpoint, of: wallet) else { return nil }
            (output.spentBy, output.spentHeight) = (nil, nil)
            return output
        }
        seen.removed = state.outputs(of: wallet, madeBy: state.request(id)?.txid ?? [])
            .map(\.output.outpoint)
        when(.chainObserved(seen))
    }
}
