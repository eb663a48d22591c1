import DaybookChains
import DaybookEncoding
import Testing

@testable import DaybookDomain

/// Dash and Axe: coins that the user froze or named, and payments of all that there is.
struct ChosenCoinTests {
    /// A wallet with coins of some amounts, in blocks, and a request that leaves the amount open.
    private func funded(
        _ amounts: [UInt64], _ fixed: UInt64? = nil, _ lock: Action.InstantSend = .unspecified
    ) -> (Given, WalletID) {
        var given = Given()
        let wallet = given.add(.dash)
        for (index, amount) in amounts.enumerated() {
            given.fund(wallet, duffs: amount, id: UInt8(index + 1))
        }
        given.readings["pay"] = Given.pay(fixed, lock)
        given.receive("pay")
        return (given, wallet)
    }

    private func coin(_ id: UInt8) -> Outpoint {
        Outpoint(TransactionID(Bytes(repeating: id, count: 32))!, 0)
    }

    private func freeze(_ given: inout Given, _ wallet: WalletID, _ coins: UInt8...) {
        given.when(.coinFrozen(CoinFrozen(wallet: wallet, coins: coins.map(coin))))
    }

    private func spent(_ given: Given) -> [Outpoint] {
        given.prepared[given.request]?.inputs.compactMap(\.outpoint) ?? []
    }

    // MARK: - Frozen coins

    @Test func `a frozen coin counts apart, and is spent by no payment`() {
        var (given, wallet) = funded([10_000, 20_000], 15_000)
        freeze(&given, wallet, 2)
        let balance = given.state.balance(wallet, "DASH")
        #expect(balance.frozen == UInt256(20_000))
        #expect(balance.available == UInt256(10_000))
        #expect(balance.confirmed == UInt256(30_000))
        #expect(given.prompt(wallet: wallet)["problem"] == """
            the balance does not cover the amount: 0.0002 DASH are frozen until you unfreeze them \
            (daybook coin unfreeze)
            """)
        #expect(given.approve(wallet: wallet).refusedDecision == .insufficientBalance)
        given.when(.coinUnfrozen(CoinUnfrozen(wallet: wallet, coins: [coin(2)])))
        #expect(given.state.balance(wallet, "DASH").frozen == .zero)
        #expect(given.approve(wallet: wallet).types == ["transaction.prepared"])
        #expect(spent(given) == [coin(2)])
    }

    @Test func `a prompt whose coin was frozen since is another one`() {
        var (given, wallet) = funded([10_000, 20_000], 15_000)
        let shown = given.prompt(wallet: wallet).digest
        freeze(&given, wallet, 2)
        #expect(given.approve(wallet: wallet, shown: shown).refusedDecision == .promptChanged)
    }

    @Test func `a coin that comes back from a reorganization is still frozen`() {
        var (given, wallet) = funded([20_000], 15_000)
        freeze(&given, wallet, 1)
        var gone = ChainObserved(chain: .dash, network: .sandbox)
        gone.removed = [coin(1)]
        given.when(.chainObserved(gone))
        #expect(given.state.balance(wallet, "DASH") == BalanceRow())
        given.fund(wallet, duffs: 20_000, id: 1)
        #expect(given.state.balance(wallet, "DASH").frozen == UInt256(20_000))
        #expect(given.approve(wallet: wallet).refusedDecision == .insufficientBalance)
    }

    @Test func `a coin that was frozen while a payment holds it is frozen once that is rejected`() {
        var (given, wallet) = funded([20_000], 15_000)
        given.approve(wallet: wallet)
        freeze(&given, wallet, 1)
        #expect(given.state.balance(wallet, "DASH").reserved == UInt256(20_000))
        given.reject()
        #expect(given.state.balance(wallet, "DASH").frozen == UInt256(20_000))
    }

    @Test func `nothing is frozen in a wallet that is not there`() {
        var (given, wallet) = funded([20_000])
        freeze(&given, 99, 1)
        given.when(.walletRemoved(WalletRemoved(wallet: wallet)))
        freeze(&given, wallet, 1)
        #expect(given.state.frozen.rows().isEmpty)
    }

    // MARK: - Named coins

    @Test func `a payment spends the coins that were named, all of them and no others`() {
        var (given, wallet) = funded([10_000, 20_000, 30_000], 5_000)
        let coins = CoinChoice(named: [coin(3), coin(1)])
        let prompt = given.prompt(wallet: wallet, coins: coins)
        #expect(prompt.lines.filter { $0.name == "spends" }.map(\.text) == [
            "\(coin(1).text), 0.0001", "\(coin(3).text), 0.0003",
        ])
        #expect(prompt.digest != given.prompt(wallet: wallet).digest)
        #expect(given.approve(wallet: wallet, coins: coins).types == ["transaction.prepared"])
        #expect(spent(given) == [coin(1), coin(3)])
    }

    @Test func `a coin that can't be spent is refused by its reason`() {
        var (given, wallet) = funded([10_000, 20_000], 5_000)
        given.fund(wallet, duffs: 7_000, id: 3, height: nil)
        given.fund(wallet, duffs: 8_000, id: 4, coinbase: true)
        given.fund(wallet, duffs: 9_000, id: 5)
        freeze(&given, wallet, 5)
        let other = given.add(.dash, key: 2)
        given.fund(other, duffs: 6_000, id: 6)
        let reasons: [(coins: [UInt8], why: String)] = [
            ([1, 1], "is named twice"), ([6], "is no coin of wallet \(wallet)"),
            ([3], "is in no block yet"),
            ([4], "is a block reward, which can be spent from block 190 on"),
            ([5], "is frozen: see daybook coin unfreeze"),
            ([1, 5], "is frozen: see daybook coin unfreeze"),
        ]
        for (coins, why) in reasons {
            let choice = CoinChoice(named: coins.map(coin))
            #expect(
                given.prompt(wallet: wallet, coins: choice)["problem"]
                    == "a named coin can't be spent: \(coin(coins.last!).text) \(why)")
            #expect(
                given.approve(wallet: wallet, coins: choice).refusedDecision == .coinUnavailable)
        }
        given.readings["other"] = Given.pay(9_000)
        let first = given.request
        given.approve(wallet: wallet, coins: CoinChoice(named: [coin(1)]))
        given.receive("other")
        let taken = CoinChoice(named: [coin(1)])
        #expect(
            given.prompt(wallet: wallet, coins: taken)["problem"]?
                .hasSuffix("is reserved for the payment of request \(first)") == true)
    }

    @Test func `too few named coins are refused with the amount that they hold`() {
        var (given, wallet) = funded([10_000, 20_000], 15_000)
        let coins = CoinChoice(named: [coin(1)])
        #expect(
            given.prompt(wallet: wallet, coins: coins)["problem"]
                == "the balance does not cover the amount: the named coins hold 0.0001 DASH")
        #expect(
            given.approve(wallet: wallet, coins: coins).refusedDecision == .insufficientBalance)
    }

    @Test func `a named coin that was frozen since the prompt is not spent`() {
        var (given, wallet) = funded([10_000, 20_000], 5_000)
        let coins = CoinChoice(named: [coin(1)])
        let shown = given.prompt(wallet: wallet, coins: coins).digest
        freeze(&given, wallet, 1)
        #expect(
            given.approve(wallet: wallet, coins: coins, shown: shown).refusedDecision
                == .promptChanged)
    }

    @Test func `a request that is no payment of Dash or Axe has no coins to choose`() {
        var given = Given()
        let wallet = given.add(.icon)
        given.readings["bind"] = Given.request(.bind)
        given.receive("bind")
        let coins = CoinChoice(named: [coin(1)])
        #expect(given.approve(wallet: wallet, coins: coins).refusedDecision == .coinsFixed)
        #expect(
            given.approve(wallet: wallet, coins: CoinChoice(isAll: true)).refusedDecision
                == .coinsFixed)
    }

    // MARK: - All

    @Test func `all is paid with the fee inside, but for frozen coins`() {
        var (given, wallet) = funded([10_000, 20_000, 30_000])
        freeze(&given, wallet, 3)
        let all = CoinChoice(isAll: true)
        let prompt = given.prompt(wallet: wallet, coins: all)
        #expect(prompt["coins"] == "all 2 that can be spent now")
        #expect(prompt["total"] == "0.0003")
        #expect(given.approve(wallet: wallet, coins: all).types == ["transaction.prepared"])
        #expect(spent(given) == [coin(1), coin(2)])
        let prepared = given.prepared[given.request]
        let paid = 30_000 - (UInt64(exactly: prepared?.fee ?? .zero) ?? 0)
        #expect(prompt["minor"] == String(paid))
        #expect(prepared?.changePath == nil)
        #expect(given.state.request(given.request)?.amount == paid)
        #expect(given.state.balance(wallet, "DASH").available == .zero)
    }

    @Test func `all of named coins leaves the others`() {
        var (given, wallet) = funded([10_000, 20_000, 30_000])
        let coins = CoinChoice(named: [coin(2)], isAll: true)
        #expect(given.prompt(wallet: wallet, coins: coins)["total"] == "0.0002")
        given.approve(wallet: wallet, coins: coins)
        #expect(spent(given) == [coin(2)])
        #expect(given.state.balance(wallet, "DASH").available == UInt256(40_000))
    }

    @Test func `all is for a request that leaves the amount open`() {
        var (given, wallet) = funded([10_000], 5_000)
        let all = CoinChoice(isAll: true)
        #expect(
            given.prompt(wallet: wallet, coins: all)["problem"] == "the request fixes the amount")
        #expect(given.approve(wallet: wallet, coins: all).refusedDecision == .amountFixed)
        (given, wallet) = funded([10_000])
        #expect(
            given.approve(wallet: wallet, amount: 6_000, coins: all).refusedDecision
                == .amountFixed)
        (given, wallet) = funded([])
        #expect(
            given.prompt(wallet: wallet, coins: all)["problem"]
                == "the balance does not cover the amount: the wallet is empty")
        #expect(given.approve(wallet: wallet, coins: all).refusedDecision == .insufficientBalance)
        (given, wallet) = funded([700])
        #expect(given.approve(wallet: wallet, coins: all).refusedDecision == .insufficientFee)
    }

    @Test func `all leaves immature and unconfirmed coins`() {
        var (given, wallet) = funded([10_000])
        given.fund(wallet, duffs: 7_000, id: 3, height: nil)
        given.fund(wallet, duffs: 8_000, id: 4, coinbase: true)
        given.approve(wallet: wallet, coins: CoinChoice(isAll: true))
        #expect(spent(given) == [coin(1)])
    }

    @Test func `two payments of all are one payment only`() {
        var (given, wallet) = funded([10_000])
        let all = CoinChoice(isAll: true)
        given.approve(wallet: wallet, coins: all)
        given.sign()
        given.reject()
        given.receive("pay")
        // The earlier transaction may still be executed: this one spends the same coin.
        let prompt = given.prompt(wallet: wallet, coins: all)
        #expect(prompt.content.warnings.contains { $0.text.contains("may still be executed") })
        given.approve(wallet: wallet, coins: all)
        #expect(spent(given) == [coin(1)])
        given.fund(wallet, duffs: 20_000, id: 2)
        given.reject()
        given.receive("pay")
        let others = CoinChoice(named: [coin(2)], isAll: true)
        #expect(given.approve(wallet: wallet, coins: others).refusedDecision == .earlierAttemptOpen)
    }

    // MARK: - The largest payment

    @Test func `a payment whose fee is not covered is refused with what can be paid`() {
        let (given, wallet) = funded([10_000, 20_000])
        let problem = given.prompt(wallet: wallet, amount: 29_900)["problem"]
        #expect(
            problem == """
                the balance does not cover the fee: at most 0.0002966 DASH can be paid now
                """)
        #expect(given.prompt(wallet: wallet, amount: 29_660)["problem"] == nil)
        #expect(given.prompt(wallet: wallet, amount: 29_661)["problem"] != nil)
        #expect(
            given.prompt(wallet: wallet, coins: CoinChoice(isAll: true))["minor"] == "29660")
    }

    @Test func `a payment of too many coins is refused with the largest one that there is`()
        throws
    {
        var given = Given()
        let wallet = given.add(.dash)
        var seen = ChainObserved(chain: .dash, network: .sandbox)
        seen.height = 100
        seen.tip = [1]
        let script = try #require(given.state.nextAddress(wallet, account: 0, caller: nil)).script
        seen.outputs = (0..<700).map { index in
            .init(
                outpoint: Outpoint(TransactionID(Bytes(repeating: 1, count: 32))!, index),
                script: script, amount: 100_000, height: 50, coinbase: false)
        }
        given.when(.chainObserved(seen))
        given.readings["pay"] = Given.pay(69_000_000)
        given.receive("pay")
        let problem = try #require(given.prompt(wallet: wallet)["problem"])
        #expect(problem == """
            the transaction would be larger than the network relays: at most 0.67400054 DASH in \
            one payment
            """)
        for (amount, refusal) in [
            (67_400_054, nil), (67_400_055, Refusal.Code.transactionTooLarge),
        ] as [(UInt64, Refusal.Code?)] {
            var given = given
            given.readings["most"] = Given.pay(amount)
            given.receive("most")
            #expect(given.approve(wallet: wallet).refusedDecision == refusal)
        }
        given.readings["open"] = Given.pay(nil)
        given.receive("open")
        #expect(
            given.approve(wallet: wallet, coins: CoinChoice(isAll: true)).refusedDecision
                == .transactionTooLarge)
    }
}
