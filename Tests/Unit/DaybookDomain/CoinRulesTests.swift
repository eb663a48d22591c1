import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Testing

@testable import DaybookDomain

/// Dash and Axe: coins that come, ripen and go.
struct CoinRulesTests {
    private func output(
        _ given: Given, _ wallet: WalletID, _ index: UInt32, _ amount: UInt64, txid: UInt8 = 9,
        height: UInt64? = nil
    ) -> ChainObserved.Output {
        .init(
            outpoint: Outpoint(TransactionID(Bytes(repeating: txid, count: 32))!, index),
            script: given.state.nextAddress(wallet, account: 0, caller: nil)!.script,
            amount: amount, height: height, coinbase: false)
    }

    private func seen(_ outputs: [ChainObserved.Output]) -> ChainObserved {
        var seen = ChainObserved(chain: .dash, network: .sandbox)
        seen.outputs = outputs
        return seen
    }

    @Test func `a transaction's outputs are one payment for each wallet`() {
        var given = Given()
        let (first, second) = (given.add(.dash), given.add(.dash, key: 2))
        let outputs = [
            output(given, first, 0, 5), output(given, second, 1, 7), output(given, first, 2, 30),
        ]
        let txid = Bytes(repeating: 9, count: 32)
        #expect(
            given.when(.chainObserved(seen(outputs))).map(\.payload) == [
                .paymentReceived(
                    PaymentReceived(wallet: second, asset: "DASH", amount: UInt256(7), txid: txid)),
                .paymentReceived(
                    PaymentReceived(wallet: first, asset: "DASH", amount: UInt256(35), txid: txid)),
            ])
        #expect(given.state.balance(first, "DASH")[.unconfirmedHeld] == UInt256(35))
        #expect(given.state.balance(second, "DASH").available == .zero)
        #expect(given.when(.chainObserved(seen(outputs))).isEmpty)
        let mined = outputs.map { (output: ChainObserved.Output) in
            var output = output
            output.height = 5
            return output
        }
        #expect(given.when(.chainObserved(seen(mined))).types == ["transaction.confirmed"])
        #expect(given.state.balance(first, "DASH").available == UInt256(35))
        #expect(given.state.balance(second, "DASH").available == UInt256(7))
        var gone = seen([])
        gone.removed = mined.map(\.outpoint)
        #expect(given.when(.chainObserved(gone)).types == ["transaction.reorganised"])
        #expect(given.state.balance(first, "DASH") == BalanceRow())
    }

    @Test func `an output of somebody else's is nothing`() {
        var given = Given()
        let wallet = given.add(.dash)
        var foreign = output(given, wallet, 0, 5)
        foreign.script[5] ^= 1
        #expect(given.when(.chainObserved(seen([foreign]))).isEmpty)
        var axe = ChainObserved(chain: .axe, network: .sandbox)
        axe.outputs = [output(given, wallet, 0, 5)]
        #expect(given.when(.chainObserved(axe)).isEmpty)
        #expect(given.state.balance(wallet, "DASH") == BalanceRow())
    }

    @Test func `a coinbase is held until a hundred blocks confirm it`() {
        var given = Given()
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: 1_000_000, height: 90, coinbase: true)
        given.readings["pay"] = Given.pay(10_000)
        given.receive("pay")
        for height in [UInt64(100), 188] {
            var tip = ChainObserved(chain: .dash, network: .sandbox)
            tip.height = height
            given.when(.chainObserved(tip))
            #expect(given.state.balance(wallet, "DASH")[.confirmedHeld] == UInt256(1_000_000))
            #expect(given.approve(wallet: wallet).refusedDecision == .insufficientBalance)
        }
        var tip = ChainObserved(chain: .dash, network: .sandbox)
        tip.height = 189
        given.when(.chainObserved(tip))
        #expect(given.state.balance(wallet, "DASH").available == UInt256(1_000_000))
        #expect(given.approve(wallet: wallet).types == ["transaction.prepared"])
    }

    @Test func `a coin that changes the fee changes the prompt`() {
        var given = Given()
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: 8_000)
        given.fund(wallet, duffs: 8_000, id: 8)
        given.readings["pay"] = Given.pay(10_000)
        given.receive("pay")
        let shown = given.prompt(wallet: wallet)
        #expect(shown["fee"] == "0.00000374")
        given.fund(wallet, duffs: 50_000, id: 9)
        #expect(given.prompt(wallet: wallet)["fee"] == "0.00000226")
        #expect(
            given.approve(wallet: wallet, shown: shown.digest).refusedDecision == .promptChanged)
        #expect(given.approve(wallet: wallet).types == ["transaction.prepared"])
    }

    @Test func `the amount that was typed is the one that was shown`() {
        var given = Given()
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: 1_000_000)
        given.readings["pay"] = Given.pay(nil)
        given.receive("pay")
        let shown = given.prompt(wallet: wallet, amount: 10_000).digest
        #expect(
            given.approve(wallet: wallet, amount: 10_001, shown: shown).refusedDecision
                == .promptChanged)
        #expect(
            given.approve(wallet: wallet, amount: 10_000, shown: shown).types
                == ["transaction.prepared"])
    }

    @Test func `two open payments never hold the same coin`() {
        var given = Given()
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: 20_000)
        given.fund(wallet, duffs: 20_000, id: 8)
        for name in ["one", "two", "three"] {
            given.readings[name] = Given.pay(10_000)
            given.receive(name)
            let last = name == "three"
            #expect((given.approve(wallet: wallet).refusedDecision == .insufficientBalance) == last)
        }
        #expect(given.state.balance(wallet, "DASH").reserved == UInt256(40_000))
    }

    /// A wallet with one coin, which an approved payment holds back.
    private func holding() -> (given: Given, wallet: WalletID) {
        var given = Given()
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: 20_000)
        given.readings["one"] = Given.pay(10_000)
        given.readings["two"] = Given.pay(10_000)
        given.receive("one")
        #expect(given.approve(wallet: wallet).types == ["transaction.prepared"])
        return (given, wallet)
    }

    /// No block and no mempool has the wallet's coin any more.
    private func lose(_ given: inout Given) {
        var gone = seen([])
        gone.removed = [Outpoint(TransactionID(Bytes(repeating: 7, count: 32))!, 0)]
        given.when(.chainObserved(gone))
    }

    @Test func `a coin that goes and comes back is still held for its payment`() {
        var (given, wallet) = holding()
        lose(&given)
        #expect(given.state.balance(wallet, "DASH") == BalanceRow())
        given.fund(wallet, duffs: 20_000)
        given.receive("two")
        #expect(given.state.balance(wallet, "DASH").reserved == UInt256(20_000))
        #expect(given.approve(wallet: wallet).refusedDecision == .insufficientBalance)
    }

    @Test(arguments: [false, true])
    func `a payment that fails lets go of its coins wherever they are`(isSpent: Bool) {
        var (given, wallet) = holding()
        if isSpent {
            var spent = output(given, wallet, 0, 20_000, txid: 7, height: 90)
            spent.spentBy = Bytes(repeating: 8, count: 32)
            given.when(.chainObserved(seen([spent])))
        } else {
            lose(&given)
        }
        given.when(.signatureFailed(SignatureFailed(reason: "missing")), request: given.request)
        #expect(given.state.request(given.request)?.status == .failed)
        given.fund(wallet, duffs: 20_000)
        #expect(given.state.balance(wallet, "DASH").available == UInt256(20_000))
        given.receive("two")
        #expect(given.approve(wallet: wallet).types == ["transaction.prepared"])
    }

    @Test func `a coin that a node calls spent, then unspent, is still held for its payment`() {
        var (given, wallet) = holding()
        var spent = output(given, wallet, 0, 20_000, txid: 7, height: 90)
        for height in [nil, UInt64(101)] {
            spent.spentBy = Bytes(repeating: 8, count: 32)
            spent.spentHeight = height
            given.when(.chainObserved(seen([spent])))
            #expect(given.state.balance(wallet, "DASH") == BalanceRow())
        }
        given.fund(wallet, duffs: 20_000)
        #expect(given.state.balance(wallet, "DASH").reserved == UInt256(20_000))
    }

    @Test func `every input's own low signature is needed`() {
        let key = PrivateKey(SecretBytes(count: 32) { $0[31] = 1 })!
        let other = PrivateKey(SecretBytes(count: 32) { $0[31] = 2 })!
        let changes: [([Bytes], [Bytes]) -> [Bytes]] = [
            { good, _ in [good[0]] }, { good, _ in good + [good[0]] }, { _, _ in [] },
            { good, _ in [good[1], good[0]] }, { good, wrong in [good[0], wrong[1]] },
            { good, _ in [HighSignature.of(good[0]), good[1]] },
            { good, _ in [Bytes(good[0].dropLast()), good[1]] },
        ]
        for change in changes {
            var given = Given()
            let wallet = given.add(.dash)
            given.fund(wallet, duffs: 8_000)
            given.fund(wallet, duffs: 8_000, id: 8)
            given.readings["pay"] = Given.pay(10_000)
            given.receive("pay")
            given.approve(wallet: wallet)
            let inputs = given.prepared[given.request]?.inputs ?? []
            let good = inputs.map { key.sign(digest: $0.digest)!.compact }
            let wrong = inputs.map { other.sign(digest: $0.digest)!.compact }
            let made = SignatureMade(signatures: change(good, wrong))
            // That others were verified says nothing of these.
            given.state.verified = given.prepared[given.request].flatMap {
                VerifiedSignatures(of: $0, on: .dash, good)
            }
            #expect(given.state.verified != nil)
            let outcomes = given.when(.signatureMade(made), request: given.request)
            #expect(outcomes.types == ["transaction.failed", "callback.emitted"])
            #expect(given.state.balance(wallet, "DASH").available == UInt256(16_000))
            #expect(given.sign().isEmpty)
        }
    }
}
