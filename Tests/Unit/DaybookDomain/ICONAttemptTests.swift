import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Testing

@testable import DaybookDomain

/// On ICON nothing excludes a signed transaction but time: a payment is repeated once it is over.
struct ICONAttemptTests {
    private static let minute: UInt64 = 60_000_000
    private static let refused = Payload.broadcastAnswered(
        BroadcastAnswered(answer: .refused, code: -32602, message: "InvalidParams"))

    /// A wallet with a transfer of five loop that a node refused.
    private func refused() -> (Given, wallet: WalletID, first: RequestID) {
        var given = Given()
        let wallet = given.add(.icon)
        let from = given.state.wallet(wallet)?.address ?? ""
        for (text, value) in [("first", 5), ("again", 5), ("other", 6)] as [(String, UInt64)] {
            given.readings[text] = Given.request(
                .sendICX(from: from, to: Given.stranger, value: UInt256(value), data: nil),
                reference: Int64(text.utf8.count))
        }
        open(&given, "first", wallet)
        given.approve(wallet: wallet)
        given.sign()
        given.when(Self.refused, request: given.request)
        return (given, wallet, given.request)
    }

    private func open(_ given: inout Given, _ text: String, _ wallet: WalletID) {
        given.receive(text)
        given.observeICON(wallet, loop: 9_000_000, request: given.request)
    }

    /// A node's answer about a request's transaction, as far as it is news.
    private func answer(
        _ given: inout Given, _ id: RequestID, height: UInt64? = nil, failure: String? = nil
    ) -> [Outcome] {
        var answer = ChainSnapshot(chain: .icon, network: .sandbox)
        answer.height = given.state.chain(.icon, .sandbox).height
        answer.tip = given.state.chain(.icon, .sandbox).tip
        answer.iconFees = given.state.chain(.icon, .sandbox).iconFees
        answer.transactions = [
            .init(
                txid: given.state.request(id)?.txid ?? [], height: height, locked: false,
                failure: failure, fee: height.map { _ in UInt256(1_000_000) },
                isGone: height == nil)
        ]
        return answer.changes(from: given.state, forRequest: false, at: given.time).flatMap {
            [Outcome(.chainObserved($0), request: nil)] + given.when(.chainObserved($0))
        }
    }

    @Test func `a payment is repeated when its time is over and no block has it`() {
        var (given, wallet, first) = refused()
        let end = Timestamp.seconds(given.time + 10 * Self.minute)
        given.time += Self.minute
        open(&given, "again", wallet)
        let again = given.request
        #expect(
            given.prompt(again, wallet: wallet)["problem"]
                == "an earlier attempt (request \(first)) may still be executed: the payment can be"
                + " repeated after \(end), once a node says that no block has the earlier one")
        let outcomes = given.approve(again, wallet: wallet)
        #expect(
            outcomes.map(\.payload) == [
                .decisionRefused(
                    DecisionRefused(
                        refusal: Refusal(.earlierAttemptOpen, parameter: end)))
            ])
        #expect(given.state.request(again)?.status == .pending)
        open(&given, "other", wallet)
        #expect(given.approve(wallet: wallet).types == ["transaction.prepared"])
        // That it is not there says nothing while it can still come.
        #expect(answer(&given, first).isEmpty)
        given.time += 10 * Self.minute
        // Nor does the time alone.
        given.readings["later"] = given.readings["again"]
        open(&given, "later", wallet)
        #expect(given.approve(wallet: wallet).refusedDecision == .earlierAttemptOpen)
        #expect(answer(&given, first).types == ["chain.observed"])
        #expect(answer(&given, first).isEmpty)
        #expect(!ChainQuery(.icon, .sandbox, in: given.state).transactions.contains {
            $0 == given.state.request(first)?.txid
        })
        #expect(given.prompt(wallet: wallet)["problem"] == nil)
        #expect(given.approve(wallet: wallet).types == ["transaction.prepared"])
    }

    @Test func `an attempt that was executed after all is completed, and the next is a second`() {
        var (given, wallet, first) = refused()
        open(&given, "other", wallet)
        given.approve(wallet: wallet)
        let held = given.state.balance(wallet, "ICX").reserved
        open(&given, "again", wallet)
        let again = given.request
        let outcomes = answer(&given, first, height: 6)
        #expect(outcomes.types == ["chain.observed", "transaction.confirmed"])
        #expect(given.state.request(first)?.status == .completed)
        #expect(given.state.balance(wallet, "ICX").confirmed == UInt256(7_999_995))
        // The first does not release the reserve of the other request.
        #expect(given.state.balance(wallet, "ICX").reserved == held)
        let warnings = given.prompt(again, wallet: wallet).content.warnings
        #expect(
            warnings.map(\.text).contains(
                "An earlier attempt (request \(first)) was executed after all. This payment is a"
                    + " second one."))
        #expect(given.approve(again, wallet: wallet).types == ["transaction.prepared"])
    }

    @Test func `the answer that a caller was given is not given again once it is false`() {
        var (given, _, first) = refused()
        _ = answer(&given, first, height: 6)
        #expect(given.state.request(first)?.status == .completed)
        #expect(given.receive("first").types == ["request.deferred"])
    }

    @Test func `an attempt that was executed without success paid nobody`() {
        var (given, wallet, first) = refused()
        open(&given, "again", wallet)
        _ = answer(&given, first, height: 6, failure: "32: reverted")
        #expect(given.state.request(first)?.status == .failed)
        #expect(given.state.balance(wallet, "ICX").confirmed == UInt256(8_000_000))
        #expect(given.approve(wallet: wallet).types == ["transaction.prepared"])
        // Its block goes: it may be executed again, and holds nothing back.
        let held = given.state.balance(wallet, "ICX").reserved
        var gone = ChainObserved(chain: .icon, network: .sandbox)
        gone.transactions = [
            .init(txid: given.state.request(first)?.txid ?? [], height: nil, locked: false)
        ]
        #expect(given.when(.chainObserved(gone)).types == ["transaction.reorganised"])
        #expect(given.state.balance(wallet, "ICX").reserved == held)
        given.readings["third"] = given.readings["again"]
        open(&given, "third", wallet)
        #expect(given.approve(wallet: wallet).refusedDecision == .earlierAttemptOpen)
    }

    @Test func `a dropped transaction is an attempt while nodes take it`() {
        for minutes in [1, 11] as [UInt64] {
            var (given, wallet, _) = refused()
            open(&given, "other", wallet)
            given.approve(wallet: wallet)
            given.sign()
            given.when(
                .broadcastAnswered(BroadcastAnswered(answer: .accepted)), request: given.request)
            let sent = given.request
            given.time += minutes * Self.minute
            #expect(answer(&given, sent).types.contains("transaction.dropped"))
            given.readings["more"] = given.readings["other"]
            open(&given, "more", wallet)
            let outcomes = given.approve(wallet: wallet)
            #expect(outcomes.refusedDecision == (minutes == 1 ? .earlierAttemptOpen : nil))
            // It is asked about as long as it is on record, and reported once.
            let asked = ChainQuery(.icon, .sandbox, in: given.state).transactions
            #expect(asked.contains { $0 == given.state.request(sent)?.txid } == (minutes == 1))
            if minutes == 1 { #expect(answer(&given, sent).isEmpty) }
        }
    }

    @Test func `a caller's own transaction can be sent again to the byte, and by no other`() {
        var given = Given()
        let wallet = given.add(.icon)
        for (text, time) in [("first", "0x563a6cf330136"), ("same", "0x563a6cf330136"),
            ("later", "0x563a6cf330137")]
        {
            let parameters: [(String, String)] = [
                ("version", "0x3"), ("from", given.state.wallet(wallet)?.address ?? ""),
                ("to", Given.stranger), ("value", "0x1388"), ("stepLimit", "0x186a0"),
                ("timestamp", time), ("nid", "0x3"),
            ]
            given.readings[text] = Given.request(
                .sendTransaction(
                    parameters: .object(
                        parameters.map { .init(name: $0.0, value: .string($0.1)) })))
        }
        open(&given, "first", wallet)
        given.approve(wallet: wallet)
        given.sign()
        given.when(Self.refused, request: given.request)
        open(&given, "later", wallet)
        #expect(given.approve(wallet: wallet).refusedDecision == .earlierAttemptOpen)
        open(&given, "same", wallet)
        #expect(given.approve(wallet: wallet).types == ["transaction.prepared"])
        #expect(given.sign().types == ["transaction.signed"])
    }

    @Test func `rejecting a signed request releases its reserve`() {
        var given = Given()
        let wallet = given.add(.icon)
        let from = given.state.wallet(wallet)?.address ?? ""
        given.readings["first"] = Given.request(
            .sendICX(from: from, to: Given.stranger, value: UInt256(5), data: nil))
        open(&given, "first", wallet)
        given.approve(wallet: wallet)
        given.sign()
        #expect(given.reject().types == ["request.rejected", "callback.emitted"])
        #expect(given.state.balance(wallet, "ICX").reserved == .zero)
        open(&given, "first", wallet)
        #expect(given.approve(wallet: wallet).refusedDecision == .earlierAttemptOpen)
    }
}
