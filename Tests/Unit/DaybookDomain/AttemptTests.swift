import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Testing

@testable import DaybookDomain

/// A payment that may have been made already is made again so that only one of both can be.
struct AttemptTests {
    private static let refused = Payload.broadcastAnswered(
        BroadcastAnswered(answer: .refused, code: -26, message: "dust"))
    private static let accepted = Payload.broadcastAnswered(BroadcastAnswered(answer: .accepted))

    /// A wallet with two coins; a node refused its payment from one of 1 000 000 duffs.
    private func refused() -> (Given, wallet: WalletID, first: RequestID) {
        var given = Given()
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: 1_000_000, id: 7)
        given.readings["first"] = Given.pay(10_000)
        given.readings["again"] = Given.pay(10_000, .preferred)
        given.readings["other"] = Given.pay(20_000)
        pay(&given, "first", wallet)
        given.when(Self.refused, request: given.request)
        let first = given.request
        given.fund(wallet, duffs: 500_000, id: 8)
        return (given, wallet, first)
    }

    /// Approves and signs a request, and says what it spends.
    @discardableResult
    private func pay(
        _ given: inout Given, _ text: String, _ wallet: WalletID, amount: UInt64? = nil
    ) -> [Bytes] {
        given.receive(text)
        #expect(given.approve(wallet: wallet, amount: amount).types == ["transaction.prepared"])
        given.sign()
        let inputs = given.prepared[given.request]?.inputs ?? []
        return inputs.compactMap { $0.outpoint?.displayed }
    }

    private func coin(_ id: UInt8) -> Bytes { Bytes(repeating: id, count: 32) }

    /// A node shows a request's transaction, in a block or in its mempool.
    @discardableResult
    private func show(
        _ given: inout Given, _ id: RequestID, _ wallet: WalletID, height: UInt64?,
        tip: UInt64 = 100
    ) -> [Outcome] {
        guard let signed = given.signed[id],
            let transaction = try? UTXOTransaction.parse(signed.bytes)
        else { return [] }
        var seen = ChainObserved(chain: .dash, network: .sandbox)
        seen.height = tip
        seen.tip = [UInt8(tip)]
        let own = given.state.changeAddress(wallet)?.script ?? []
        seen.outputs = transaction.inputs.compactMap { input in
            guard var spent = given.state.output(input.outpoint, of: wallet) else { return nil }
            spent.spentBy = signed.txid
            spent.spentHeight = height
            return spent
        }
        for (index, output) in transaction.outputs.enumerated() where output.script == own {
            seen.outputs.append(
                .init(
                    outpoint: Outpoint(transaction.txid, UInt32(index)), script: own,
                    amount: output.amount, height: height, coinbase: false))
        }
        return given.when(.chainObserved(seen))
    }

    private func rise(_ given: inout Given, to tip: UInt64) {
        var seen = ChainObserved(chain: .dash, network: .sandbox)
        seen.height = tip
        seen.tip = [UInt8(tip)]
        given.when(.chainObserved(seen))
    }

    private func warnings(_ prompt: Prompt) -> [String] {
        prompt.content.warnings.map(\.text) + [prompt.content.problem].compactMap(\.self)
    }

    private func spendsSameCoin(_ request: RequestID) -> String {
        "An earlier attempt (request \(request)) may still be executed. This payment spends the"
            + " same coin, so that only one of the two can be executed."
    }

    @Test func `a payment that a node refused is repeated with the coin that it spent`() {
        var (given, wallet, first) = refused()
        // The smaller coin would do, and would be taken.
        #expect(pay(&given, "other", wallet) == [coin(8)])
        given.when(Self.refused, request: given.request)
        for text in ["first", "again"] {
            given.receive(text)
            #expect(warnings(given.prompt(wallet: wallet)) == [spendsSameCoin(first)])
            given.reject()
        }
        #expect(pay(&given, "again", wallet) == [coin(7)])
        given.when(Self.refused, request: given.request)
        #expect(pay(&given, "again", wallet) == [coin(7)])
    }

    @Test func `the amount that the user enters for the same request makes no other payment`() {
        var (given, wallet, _) = refused()
        given.readings["open"] = Given.pay(nil)
        #expect(pay(&given, "open", wallet, amount: 30_000) == [coin(8)])
        given.when(Self.refused, request: given.request)
        given.fund(wallet, duffs: 400_000, id: 9)
        #expect(pay(&given, "open", wallet, amount: 40_000) == [coin(8)])
        given.when(Self.refused, request: given.request)
        // A request that names an amount can be the same payment, asked for again.
        #expect(pay(&given, "other", wallet) == [coin(8)])
    }

    @Test func `while the coin is held back, nothing is paid to the same terms`() {
        var (given, wallet, first) = refused()
        given.readings["large"] = Given.pay(900_000)
        #expect(pay(&given, "large", wallet) == [coin(7)])
        given.receive("again")
        let prompt = given.prompt(wallet: wallet)
        #expect(
            warnings(prompt) == [
                spendsSameCoin(first), "an earlier attempt of this payment may still be executed",
            ])
        #expect(given.approve(wallet: wallet).refusedDecision == .earlierAttemptOpen)
        #expect(given.state.request(given.request)?.status == .pending)
    }

    @Test func `another wallet can't spend the coin, and so does not pay`() {
        var (given, _, _) = refused()
        let other = given.add(.dash, key: 2)
        given.fund(other, duffs: 1_000_000, id: 9)
        given.receive("again")
        #expect(given.approve(wallet: other).refusedDecision == .earlierAttemptOpen)
    }

    @Test func `a descendant of a payment of the same coin excludes the attempt too`() {
        var (given, wallet, _) = refused()
        given.readings["large"] = Given.pay(900_000)
        pay(&given, "large", wallet)
        let rival = given.request
        given.when(Self.accepted, request: rival)
        let change = given.state.request(rival)?.txid
        show(&given, rival, wallet, height: nil)
        #expect(pay(&given, "again", wallet).contains(change ?? []))
    }

    @Test func `an attempt is dead once another payment of its coin lies six blocks deep`() {
        var (given, wallet, _) = refused()
        given.readings["large"] = Given.pay(999_500)
        pay(&given, "large", wallet)
        let rival = given.request
        given.when(Self.accepted, request: rival)
        show(&given, rival, wallet, height: 101, tip: 105)
        given.receive("again")
        // All of the coin went into that payment: there is nothing left of it to spend.
        #expect(given.approve(wallet: wallet).refusedDecision == .earlierAttemptOpen)
        rise(&given, to: 106)
        #expect(warnings(given.prompt(wallet: wallet)) == [])
        #expect(given.approve(wallet: wallet).types == ["transaction.prepared"])
    }

    @Test func `an attempt that a mempool has forbids another one, until a block has it`() {
        var (given, wallet, first) = refused()
        show(&given, first, wallet, height: nil)
        given.receive("again")
        #expect(given.approve(wallet: wallet).refusedDecision == .earlierAttemptOpen)
        #expect(given.state.request(first)?.status == .failed)
        let outcomes = show(&given, first, wallet, height: 101, tip: 101)
        #expect(outcomes.types == ["transaction.confirmed"])
        #expect(given.state.request(first)?.status == .completed)
        #expect(given.state.request(first)?.refusal?.code == .refusedByNode)
        #expect(given.state.balance(wallet, "DASH").confirmed == UInt256(1_489_774))
        let told = "An earlier attempt (request \(first)) was executed after all. This payment is a"
            + " second one."
        #expect(warnings(given.prompt(wallet: wallet)) == [told])
        #expect(given.approve(wallet: wallet).types == ["transaction.prepared"])
        given.sign()
        let second = given.request
        given.when(Self.accepted, request: second)
        // A third payment's prompt names the first two.
        given.receive("again")
        let answered = "The same request was already answered: request \(second)."
        #expect(warnings(given.prompt(wallet: wallet)) == [answered])
    }

    @Test func `a later attempt fails when the first is executed, and a third excludes both`() {
        var (given, wallet, first) = refused()
        given.readings["third"] = Given.pay(10_000)
        given.fund(wallet, duffs: 300_000, id: 9)
        // At the same fee it would be the very same transaction.
        var dearer = ChainObserved(chain: .dash, network: .sandbox)
        dearer.feeRate = 2000
        given.when(.chainObserved(dearer))
        #expect(pay(&given, "again", wallet) == [coin(7)])
        let second = given.request
        show(&given, first, wallet, height: 101, tip: 101)
        let outcomes = given.when(Self.refused, request: second)
        #expect(outcomes.types == ["transaction.failed", "callback.emitted"])
        #expect(given.state.request(first)?.status == .completed)
        #expect(given.state.request(second)?.status == .failed)
        // The second can't be executed any more once the first is; its change shows that.
        let change = given.state.request(first)?.txid ?? []
        #expect(pay(&given, "third", wallet) == [change])
    }

    @Test func `a conflict of a payment excludes also the payments that spend its change`() {
        var given = Given()
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: 1_000_000, id: 7)
        given.readings["parent"] = Given.pay(10_000)
        given.readings["child"] = Given.pay(20_000)
        pay(&given, "parent", wallet)
        let parent = given.request
        show(&given, parent, wallet, height: nil)
        #expect(pay(&given, "child", wallet) == [given.state.request(parent)?.txid ?? []])
        given.when(Self.refused, request: parent)
        #expect(given.state.request(given.request)?.status == .failed)
        given.fund(wallet, duffs: 500_000, id: 8)
        #expect(pay(&given, "child", wallet) == [coin(7)])
    }

    @Test func `a payment that was dropped is an attempt, and its bytes answer nobody twice`() {
        var given = Given()
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: 1_000_000, id: 7)
        given.readings["first"] = Given.pay(10_000)
        given.readings["again"] = Given.pay(10_000, .preferred)
        pay(&given, "first", wallet)
        given.when(Self.accepted, request: given.request)
        var gone = ChainObserved(chain: .dash, network: .sandbox)
        gone.transactions = [
            .init(
                txid: given.state.request(given.request)?.txid ?? [], height: nil, locked: false,
                isGone: true)
        ]
        #expect(given.when(.chainObserved(gone)).types == ["transaction.dropped"])
        #expect(given.when(.chainObserved(gone)).isEmpty)
        given.fund(wallet, duffs: 500_000, id: 8)
        given.receive("again")
        #expect(given.approve(wallet: wallet).refusedDecision == .earlierAttemptOpen)
        // At another fee it is another transaction, of the same coin.
        var dearer = ChainObserved(chain: .dash, network: .sandbox)
        dearer.feeRate = 2000
        given.when(.chainObserved(dearer))
        #expect(given.approve(wallet: wallet).types == ["transaction.prepared"])
        let inputs = given.prepared[given.request]?.inputs ?? []
        #expect(inputs.map { $0.outpoint?.displayed } == [coin(7)])
    }

    @Test func `an open payment counts as an attempt until the network has it`() {
        var given = Given()
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: 1_000_000, id: 7)
        given.fund(wallet, duffs: 500_000, id: 8)
        given.readings["first"] = Given.pay(10_000)
        given.readings["again"] = Given.pay(10_000, .preferred)
        pay(&given, "first", wallet)
        let first = given.request
        given.receive("again")
        #expect(given.approve(wallet: wallet).refusedDecision == .earlierAttemptOpen)
        given.when(Self.accepted, request: first)
        #expect(
            warnings(given.prompt(wallet: wallet)) == [
                "Request \(first) is making the same payment. It was approved at"
                    + " 1970-01-01T00:16:40Z."
            ])
        #expect(given.approve(wallet: wallet).types == ["transaction.prepared"])
        #expect(given.state.attempts.rows().isEmpty)
    }

    // MARK: - Rejecting what is signed

    @Test func `a signed request that no node has taken can be rejected, and stays on record`() {
        var given = Given()
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: 1_000_000, id: 7)
        given.readings["first"] = Given.pay(10_000)
        pay(&given, "first", wallet)
        let first = given.request
        let unknown = BroadcastAnswered(answer: .unknown, message: "too-long-mempool-chain")
        given.when(.broadcastAnswered(unknown), request: first)
        #expect(given.reject().types == ["request.rejected", "callback.emitted"])
        let row = given.state.request(first)
        #expect(row?.status == .rejected && row?.refusal?.code == .rejectedByUser)
        #expect(row.map { given.state.mayStillExecute($0) } == true)
        #expect(given.state.balance(wallet, "DASH").available == UInt256(1_000_000))
        #expect(given.state.work().isEmpty)
        #expect(given.reject(first).refusedDecision == .alreadyDecided)
        #expect(given.when(Self.accepted, request: first).isEmpty)
        given.fund(wallet, duffs: 500_000, id: 8)
        given.receive("first")
        #expect(warnings(given.prompt(wallet: wallet)) == [spendsSameCoin(first)])
        // The same coins make the same transaction: it answers for the request that is open.
        given.approve(wallet: wallet)
        #expect(given.sign().types == ["transaction.signed"])
        #expect(given.state.request(given.request)?.txid == row?.txid)
        given.when(Self.accepted, request: given.request)
        #expect(given.state.request(given.request)?.status == .completed)
        #expect(given.state.request(first)?.status == .rejected)
    }

    @Test func `a payment that the network has, or may have, can't be rejected`() {
        for isAnswered in [true, false] {
            var given = Given()
            let wallet = given.add(.dash)
            given.fund(wallet, duffs: 1_000_000, id: 7)
            given.readings["first"] = Given.pay(10_000, .required)
            pay(&given, "first", wallet)
            if isAnswered {
                given.when(Self.accepted, request: given.request)
            } else {
                show(&given, given.request, wallet, height: nil)
            }
            #expect(given.reject().refusedDecision == .alreadyDecided)
        }
    }

    @Test func `a payment that was approved and never signed can be rejected`() {
        var given = Given()
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: 1_000_000, id: 7)
        given.readings["first"] = Given.pay(10_000)
        given.receive("first")
        #expect(given.approve(wallet: wallet).types == ["transaction.prepared"])
        #expect(given.state.balance(wallet, "DASH").available == .zero)
        #expect(given.reject().types == ["request.rejected", "callback.emitted"])
        #expect(given.state.request(given.request)?.status == .rejected)
        #expect(given.state.balance(wallet, "DASH").available == UInt256(1_000_000))
        #expect(given.state.attempts.rows().isEmpty)
        #expect(given.sign().isEmpty)
    }

    @Test func `a rejected request whose transaction is executed is completed`() {
        var given = Given()
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: 1_000_000, id: 7)
        given.readings["first"] = Given.pay(10_000)
        pay(&given, "first", wallet)
        given.reject()
        show(&given, given.request, wallet, height: 101, tip: 101)
        let row = given.state.request(given.request)
        #expect(row?.status == .completed && row?.refusal?.code == .rejectedByUser)
        #expect(row.map { given.state.mayStillExecute($0) } == false)
        #expect(given.state.balance(wallet, "DASH").confirmed == UInt256(989_774))
        #expect(given.state.balance(wallet, "DASH").reserved == .zero)
    }
}
