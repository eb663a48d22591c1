import DaybookChains
import DaybookEncoding
import Testing

@testable import DaybookDomain

struct DecisionRulesTests {
    private func funded(_ amount: UInt64?, _ lock: Action.InstantSend = .unspecified)
        -> (Given, WalletID)
    {
        var given = Given()
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: 1_000_000)
        given.readings["pay"] = Given.pay(amount, lock)
        given.receive("pay")
        return (given, wallet)
    }

    @Test func `an approved payment is prepared and holds its coins back`() {
        var (given, wallet) = funded(10_000)
        let outcomes = given.approve(wallet: wallet)
        #expect(outcomes.types == ["transaction.prepared"])
        #expect(given.state.balance(wallet, "DASH").reserved == UInt256(1_000_000))
        #expect(given.state.balance(wallet, "DASH").available == .zero)
        #expect(given.state.work().isEmpty)
    }

    @Test func `only a wallet that can answer is accepted`() {
        var (given, wallet) = funded(10_000)
        let other = given.add(.axe, key: 2)
        let foreign = given.add(.dash, .regtest, key: 3)
        for wrong in [other, foreign, 99] {
            #expect(given.approve(wallet: wrong).refusedDecision == .wrongWallet)
        }
        #expect(given.approve(wallet: wallet, unlocked: false).refusedDecision == .walletLocked)
        #expect(given.approve(wallet: wallet).types == ["transaction.prepared"])
    }

    @Test func `an amount is typed where none is named, and only there`() {
        var (given, wallet) = funded(10_000)
        #expect(given.approve(wallet: wallet, amount: 9_999).refusedDecision == .amountFixed)
        (given, wallet) = funded(nil)
        #expect(given.approve(wallet: wallet).refusedDecision == .amountMissing)
        #expect(given.approve(wallet: wallet, amount: 545).refusedDecision == .dust)
        #expect(
            given.approve(wallet: wallet, amount: 1_000_001).refusedDecision
                == .insufficientBalance)
        #expect(
            given.approve(wallet: wallet, amount: 1_000_000).refusedDecision == .insufficientFee)
        #expect(
            given.approve(wallet: wallet, amount: 2_100_000_000_000_001).refusedDecision
                == .amountTooLarge)
        #expect(given.approve(wallet: wallet, amount: 9_999).types == ["transaction.prepared"])
    }

    @Test func `a prompt that is no longer true can't be approved`() {
        var (given, wallet) = funded(10_000)
        let shown = given.prompt(wallet: wallet).digest
        #expect(given.approve(wallet: wallet, shown: []).refusedDecision == .promptChanged)
        var dearer = ChainObserved(chain: .dash, network: .sandbox)
        dearer.feeRate = 5000
        given.when(.chainObserved(dearer))
        #expect(given.approve(wallet: wallet, shown: shown).refusedDecision == .promptChanged)
        #expect(given.approve(wallet: wallet).types == ["transaction.prepared"])
    }

    @Test func `a decision is made once`() {
        var (given, wallet) = funded(10_000)
        given.approve(wallet: wallet)
        #expect(given.approve(wallet: wallet).refusedDecision == .alreadyDecided)
        given.sign()
        given.when(
            .broadcastAnswered(BroadcastAnswered(answer: .accepted)), request: given.request)
        #expect(given.reject().refusedDecision == .alreadyDecided)
        #expect(given.reject(12_345).refusedDecision == .unknownRequest)
        let id = RequestID(given.position)
        given.readings["pay2"] = Given.pay(5_000)
        given.receive("pay2")
        #expect(given.reject(id).types == ["request.rejected", "callback.emitted"])
        #expect(given.approve(id, wallet: wallet).refusedDecision == .alreadyDecided)
    }

    @Test func `InstantSend that is required needs a chain that locks`() {
        var given = Given()
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: 1_000_000, locks: false)
        given.readings["pay"] = Given.pay(10_000, .required)
        given.receive("pay")
        #expect(given.approve(wallet: wallet).refusedDecision == .instantSendUnavailable)
    }

    @Test func `wrong passphrases lock for a minute, then twice as long each time`() {
        var given = Given()
        let wallet = given.add(.dash)
        var waits: [UInt64] = []
        for _ in 0..<16 {
            for outcome in given.when(.unlockFailed(UnlockFailed(wallet: wallet))) {
                guard case .unlockLocked(let data) = outcome.payload else { continue }
                waits.append((data.until - given.time) / 60_000_000)
            }
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1440, 1440, 1440])
    }

    @Test func `the right passphrase makes wrong ones forgotten`() {
        var (given, wallet) = funded(10_000)
        for _ in 0..<3 { given.when(.unlockFailed(UnlockFailed(wallet: wallet))) }
        given.approve(wallet: wallet)
        #expect(given.when(.unlockFailed(UnlockFailed(wallet: wallet))).isEmpty)
        #expect(given.when(.unlockFailed(UnlockFailed(wallet: wallet))).isEmpty)
        #expect(
            given.when(.unlockFailed(UnlockFailed(wallet: wallet))).types == ["unlock.locked"])
    }

    @Test func `every line of a prompt is in its digest`() {
        let (given, wallet) = funded(10_000)
        let prompt = given.prompt(wallet: wallet)
        #expect(prompt.lines.count > 8)
        let lists: [WritableKeyPath<PromptContent, [ShownLine]>] = [
            \.warnings, \.amounts, \.details,
        ]
        var digests: Set<Bytes> = [prompt.digest]
        var count = 1
        func expectAnother(_ change: (inout PromptContent) -> Void) {
            var content = prompt.content
            change(&content)
            digests.insert(Prompt(content).digest)
            count += 1
        }
        expectAnother { $0.headline += " " }
        expectAnother { $0.problem = "it can't be approved" }
        for list in lists {
            for index in prompt.content[keyPath: list].indices {
                let line = prompt.content[keyPath: list][index]
                expectAnother { $0[keyPath: list][index] = ShownLine(line.name, line.text + " ") }
                expectAnother { $0[keyPath: list][index] = ShownLine(line.name + "s", line.text) }
                expectAnother { $0[keyPath: list].remove(at: index) }
            }
        }
        expectAnother { $0.details.reverse() }
        expectAnother { $0.warnings = $0.amounts }
        #expect(digests.count == count)
    }

    @Test func `requests that differ are shown differently`() {
        var given = Given()
        let wallet = given.add(.dash, label: "savings")
        given.fund(wallet, duffs: 1_000_000)
        let other = given.add(.dash, key: 2)
        let base = Action.pay(address: Given.address, amount: 10_000, instantSend: .unspecified)
        let own = given.state.wallet(other)?.address ?? ""
        func digest(
            _ action: Action, wallet id: WalletID? = nil, caller: Caller? = Given.caller,
            notes: [Request.Note] = []
        ) -> Bytes {
            let request = Request(
                link: "test", chain: .dash, action: action, caller: caller, notes: notes)
            return given.state.prompt(
                for: request, id: 50, wallet: id ?? wallet, amount: nil, repeats: nil).digest
        }
        let digests: Set<Bytes> = [
            digest(base), digest(base, wallet: other), digest(base, caller: nil),
            digest(base, caller: Caller(scheme: "shop2", prefix: "shop2://")),
            digest(base, notes: [.init(name: "label", text: "x")]),
            digest(base, notes: [.init(name: "message", text: "x")]),
            digest(.pay(address: Given.address, amount: 10_001, instantSend: .unspecified)),
            digest(.pay(address: Given.address, amount: 10_000, instantSend: .preferred)),
            digest(.pay(address: Given.address, amount: 10_000, instantSend: .required)),
            digest(.pay(address: own, amount: 10_000, instantSend: .unspecified)),
            digest(.address(account: 0)), digest(.address(account: 1)),
            digest(.masterPublicKey(account: 0)),
        ]
        #expect(digests.count == 13)
    }
}
