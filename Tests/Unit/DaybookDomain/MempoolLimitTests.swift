import DaybookChains
import DaybookEncoding
import Testing

@testable import DaybookDomain

/// Payments in a row that no block has: as many as nodes take, and what is said then.
struct MempoolLimitTests {
    private static let accepted = Payload.broadcastAnswered(BroadcastAnswered(answer: .accepted))

    /// A wallet with one coin of a hundred coins, and a number of payments of its change.
    private func chain(_ count: Int) -> (Given, wallet: WalletID, payments: [RequestID]) {
        var given = Given()
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: 10_000_000_000)
        var payments: [RequestID] = []
        for number in 0..<count { payments.append(pay(&given, wallet, number)) }
        return (given, wallet, payments)
    }

    /// A payment that a node has taken and shows.
    private func pay(_ given: inout Given, _ wallet: WalletID, _ number: Int) -> RequestID {
        let text = "pay \(number)"
        let id = given.payAndSign(
            Given.pay(100_000 + UInt64(number)), from: wallet, link: text)
        given.when(Self.accepted, request: id)
        given.show(id, in: wallet)
        return id
    }

    private func problem(_ given: inout Given, _ wallet: WalletID) -> String? {
        given.readings["next"] = Given.pay(90_000)
        given.receive("next")
        return given.prompt(wallet: wallet)["problem"]
    }

    @Test func `the 25th payment in a row is made, and the 26th is not signed`() {
        var (given, wallet, payments) = chain(25)
        #expect(payments.allSatisfy { given.state.request($0)?.status == .completed })
        let problem = problem(&given, wallet)
        #expect(
            problem
                == "the balance does not cover the amount: 99.9749405 DASH are the change of as"
                + " many payments in a row as nodes take without a block: wait until a block has"
                + " request \(payments[0]), the first of them")
        #expect(given.approve(wallet: wallet).refusedDecision == .insufficientBalance)
        #expect(given.state.balance(wallet, "DASH").reserved == .zero)
        // Another coin pays.
        let next = given.request
        given.fund(wallet, duffs: 1_000_000, id: 8)
        #expect(given.prompt(next, wallet: wallet)["problem"] == nil)
    }

    @Test func `once a block has the first, its change can be spent again`() {
        var (given, wallet, payments) = chain(25)
        _ = problem(&given, wallet)
        let next = given.request
        #expect(given.prompt(next, wallet: wallet)["problem"] != nil)
        given.show(payments[0], in: wallet, height: 101)
        #expect(given.prompt(next, wallet: wallet)["problem"] == nil)
        #expect(given.approve(next, wallet: wallet).types == ["transaction.prepared"])
    }

    @Test func `a bump of any payment of a full chain is refused with the reason`() {
        var (given, _, payments) = chain(25)
        for payment in [payments[0], payments[12], payments[24]] {
            given.ask(.bump, payment)
            #expect(given.answer(given.newest, seeing: payment) == ["request.refused"])
            #expect(given.refusal == .tooManyAncestors)
        }
    }

    @Test func `a bump of the first names the last, which can be bumped`() {
        var (given, wallet, payments) = chain(24)
        given.ask(.bump, payments[0])
        given.answer(given.newest, seeing: payments[0])
        let refusal = given.state.request(given.newest)?.refusal
        #expect(refusal == Refusal(.outputSpent, parameter: payments[23].description))
        // The advice is followed.
        given.ask(.bump, payments[23])
        #expect(given.answer(given.newest, seeing: payments[23]) == ["request.accepted"])
        let bump = given.newest
        #expect(given.approve(bump, wallet: wallet).types == ["transaction.prepared"])
    }

    @Test func `a cancellation that nodes would refuse as well is not offered`() {
        var (given, wallet, _) = chain(24)
        // The 25th is signed, and no node has it.
        let last = given.payAndSign(Given.pay(50_000), from: wallet, link: "last")
        given.ask(.cancel, last)
        #expect(given.answer(given.newest, seeing: nil) == ["request.accepted"])
        given.reject(given.newest)
        given.when(Self.accepted, request: last)
        given.show(last, in: wallet)
        #expect(problem(&given, wallet) != nil)
    }

    // MARK: - Shortages

    @Test func `a signed payment's reservation is named, with its end`() {
        var given = Given()
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: 1_000_000)
        let first = given.payAndSign(Given.pay(10_000), from: wallet)
        #expect(
            problem(&given, wallet)
                == "the balance does not cover the amount: request \(first) reserves 0.01 DASH"
                + " until a node shows its transaction, or you reject it (daybook reject"
                + " \(first))")
        // The advice is followed.
        let next = given.request
        #expect(given.reject(first).types.contains("request.rejected"))
        #expect(given.prompt(next, wallet: wallet)["problem"] == nil)
    }

    @Test func `a shortage that no waiting ends names nothing`() {
        var given = Given()
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: 50_000)
        given.payAndSign(Given.pay(10_000), from: wallet)
        #expect(problem(&given, wallet) == "the balance does not cover the amount")
    }

    @Test func `coins without a block and block rewards are named with their height`() {
        var given = Given()
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: 60_000, id: 7, height: nil)
        given.fund(wallet, duffs: 70_000, id: 8, height: 90, coinbase: true)
        #expect(
            problem(&given, wallet)
                == "the balance does not cover the amount: 0.0007 DASH of block rewards can be"
                + " spent from block 190 on; 0.0006 DASH were received and can be spent once a"
                + " block has them")
    }
}
