import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Testing

@testable import DaybookDomain

/// Deciding and evolving are total: a number that no honest node or front end says ends nothing.
struct HostileNumberTests {
    @Test func `a time to wait that has no end does not overflow`() {
        var settings = Settings()
        settings.expirySeconds = .max
        settings.freeUnlockFailures = 0
        var given = Given(settings: settings)
        let wallet = given.add(.icon)
        given.readings["bind"] = Given.request(.bind)
        given.receive("bind")
        #expect(given.state.request(given.request)?.expires == .max)
        given.time = .max
        #expect(
            given.when(.unlockFailed(UnlockFailed(wallet: wallet))).map(\.payload)
                == [.unlockLocked(UnlockLocked(wallet: wallet, until: .max))])
    }

    @Test func `a height beyond all blocks does not overflow`() {
        var given = Given()
        let wallet = given.add(.dash)
        given.readings["pay"] = Given.pay(10_000)
        given.receive("pay")
        let address = given.state.nextAddress(wallet, account: 0, caller: nil)!
        var seen = ChainObserved(chain: .dash, network: .sandbox)
        seen.height = .max
        seen.outputs = [0, .max].enumerated().map { index, height in
            .init(
                outpoint: Outpoint(Samples.outpoint.txid, UInt32(index)), script: address.script,
                amount: .max, height: height, coinbase: true)
        }
        #expect(
            given.when(.chainObserved(seen)).types
                == ["payment.received", "transaction.confirmed"])
        #expect(given.approve(wallet: wallet).refusedDecision == .insufficientBalance)
    }

    @Test func `an output whose amount changes is counted as it is now`() {
        var given = Given()
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: 1_000_000)
        given.fund(wallet, duffs: 3_000_000)
        #expect(given.state.balance(wallet, "DASH").confirmed == UInt256(3_000_000))
        given.fund(wallet, duffs: 2_000_000)
        #expect(given.state.balance(wallet, "DASH").confirmed == UInt256(2_000_000))
    }

    @Test func `a token with more decimals than any amount has digits is not believed`() {
        var given = Given()
        let contract = "cx" + String(repeating: "1", count: 40)
        for (decimals, believed) in [(UInt64(77), true), (78, false), (.max, false)] {
            var seen = ChainObserved(chain: .icon, network: .sandbox)
            seen.tokens = [.init(contract: contract, symbol: "T\(decimals)", decimals: decimals)]
            given.when(.chainObserved(seen))
            let row = given.state.tokens[TokenKey(.sandbox, contract)]
            #expect((row?.decimals == decimals) == believed)
        }
    }

    @Test func `a text that is too long to be shown whole refuses its request`() {
        var given = Given()
        _ = given.add(.icon)
        let tower = "a" + String(repeating: "\u{301}", count: 10_000)
        for (text, name, isShown) in [
            (tower, "message", false), ("brief", tower, false),
            (String(repeating: "a", count: 2_048), "message", true),
            (String(repeating: "a", count: 2_049), "message", false),
            (String(repeating: "\\", count: 1_025), "label", false),
        ] {
            given.readings["bind"] = .request(
                Request(
                    link: "test", chain: .icon, action: .bind, caller: Given.caller,
                    notes: [.init(name: name, text: text)]))
            let outcomes = given.receive("bind")
            #expect(outcomes.types.first == (isShown ? "request.accepted" : "request.refused"))
            let refusal = given.state.request(given.request)?.refusal?.code
            #expect(refusal == (isShown ? nil : .cannotBeShown))
            if isShown { given.reject() }
        }
    }
}
