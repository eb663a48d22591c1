import DaybookChains
import DaybookEncoding
import Testing

@testable import DaybookDomain

struct RequestRulesTests {
    @Test func `a request waits for its user with the digest of its prompt`() {
        var given = Given()
        let wallet = given.add(.dash)
        given.readings["pay"] = Given.pay(1000)
        let outcomes = given.receive("pay")
        #expect(outcomes.types == ["request.accepted"])
        guard case .requestAccepted(let data)? = outcomes.first?.payload else { return }
        #expect(data.digest == data.prompt.digest)
        #expect(data.prompt == given.prompt(wallet: wallet))
        #expect(data.expires == given.time + 600_000_000)
    }

    @Test func `a request that expires now can't be decided any more`() {
        var given = Given()
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: 1_000_000)
        given.readings["pay"] = Given.pay(10_000)
        given.receive("pay")
        let early = given.time
        given.time = early + 600_000_000
        #expect(given.approve(wallet: wallet).refusedDecision == .expired)
        #expect(given.reject().refusedDecision == .expired)
        given.time = early + 599_999_999
        #expect(given.when(.timePassed(TimePassed())).isEmpty)
        #expect(given.approve(wallet: wallet).types == ["transaction.prepared"])
    }

    @Test func `time ends due requests once, and tells the caller`() {
        var given = Given()
        given.readings["bind"] = Given.request(.bind)
        _ = given.add(.icon)
        given.receive("bind")
        given.time += 600_000_000
        #expect(
            given.when(.timePassed(TimePassed())).types
                == ["request.expired", "callback.emitted"])
        #expect(given.when(.timePassed(TimePassed())).isEmpty)
        #expect(given.reject().refusedDecision == .expired)
    }

    @Test func `a waiting request waits its whole time when the clock is set back`() {
        var given = Given()
        let wallet = given.add(.icon)
        given.readings["bind"] = Given.request(.bind)
        given.time += 900_000_000
        given.receive("bind")
        for _ in 0..<3 { given.when(.unlockFailed(UnlockFailed(wallet: wallet))) }
        given.time += 20_000_000
        let before = given.time
        given.time -= 800_000_000
        #expect(given.when(.clockSet(ClockSet(from: before))).isEmpty)
        let lock = given.state.unlocks[wallet]
        #expect(lock?.lockedUntil == given.time + 40_000_000)
        given.time += 579_999_999
        #expect(given.when(.timePassed(TimePassed())).isEmpty)
        given.time += 1
        #expect(given.when(.timePassed(TimePassed())).types.first == "request.expired")
        // A lock that is over stays over.
        let late = given.time
        given.time = 5
        given.when(.clockSet(ClockSet(from: late)))
        let over = given.state.unlocks[wallet]
        #expect(over?.lockedUntil == 5)
    }

    @Test func `the time that requests wait is a setting of the session`() {
        var settings = Settings()
        settings.expirySeconds = 5
        var given = Given(settings: settings)
        _ = given.add(.icon)
        given.readings["bind"] = Given.request(.bind)
        given.receive("bind")
        given.time += 4_999_999
        #expect(given.when(.timePassed(TimePassed())).isEmpty)
        given.time += 1
        #expect(given.when(.timePassed(TimePassed())).types.first == "request.expired")
    }

    @Test func `the same text is one request while the first is open`() {
        var given = Given()
        let wallet = given.add(.dash)
        given.readings["pay"] = Given.pay(1000)
        given.receive("pay")
        let first = given.request
        #expect(given.receive("pay").map(\.payload) == [
            .requestCoalesced(RequestCoalesced(into: first))
        ])
        given.reject(first)
        #expect(given.receive("pay").types == ["request.accepted"])
        #expect(given.prompt(wallet: wallet).content.warnings.first?.text == nil)
    }

    @Test func `the same text is one request also while the chain is asked`() {
        var given = Given()
        let wallet = given.add(.icon)
        let from = given.state.wallet(wallet)?.address ?? ""
        given.readings["send"] = Given.request(
            .sendICX(from: from, to: Given.stranger, value: UInt256(5), data: nil))
        #expect(given.receive("send").types == ["request.deferred"])
        let first = given.request
        #expect(given.receive("send").types == ["request.coalesced"])
        given.observeICON(wallet, loop: 9_000_000, request: first)
        #expect(given.state.request(first)?.status == .pending)
        #expect(given.state.request(first)?.repeats == nil)
        #expect(given.receive("send").types == ["request.coalesced"])
    }

    @Test func `a copy of a Connect request asks its user again if the payment failed`() {
        for outcome in ["waits", "executed", "failed", "gone"] {
            var given = Given()
            let wallet = given.add(.icon)
            let from = given.state.wallet(wallet)?.address ?? ""
            given.readings["send"] = Given.request(
                .sendICX(from: from, to: Given.stranger, value: UInt256(5), data: nil),
                reference: 7)
            given.receive("send")
            let first = given.request
            given.observeICON(wallet, loop: 9_000_000, request: first)
            given.approve(wallet: wallet)
            given.sign()
            given.when(.broadcastAnswered(BroadcastAnswered(answer: .accepted)), request: first)
            #expect(given.state.request(first)?.callback != nil)
            if outcome != "waits" {
                var seen = ChainObserved(chain: .icon, network: .sandbox)
                seen.transactions = [
                    .init(
                        txid: given.state.request(first)?.txid ?? [],
                        height: outcome == "gone" ? nil : 9, locked: false,
                        failure: outcome == "failed" ? "3: MethodNotFound" : nil,
                        fee: outcome == "gone" ? nil : UInt256(1), isGone: outcome == "gone")
                ]
                given.when(.chainObserved(seen))
                if outcome == "gone" {
                    given.when(
                        .broadcastAnswered(
                            BroadcastAnswered(
                                answer: .refused, code: -31000,
                                message: "SystemError: E2002:Expired(min-1s)")),
                        request: first)
                }
            }
            let isTrue = outcome == "waits" || outcome == "executed"
            #expect(
                given.receive("send").types
                    == (isTrue ? ["request.coalesced", "callback.emitted"] : ["request.deferred"]),
                "\(outcome)")
        }
    }

    @Test func `a Connect request that was answered gets the same answer again for a while`() {
        var given = Given()
        let wallet = given.add(.icon)
        given.readings["bind"] = Given.request(.bind, reference: 7)
        given.receive("bind")
        let answer = given.approve(wallet: wallet, unlocked: false).last?.payload
        #expect(given.receive("bind").types == ["request.coalesced", "callback.emitted"])
        #expect(given.state.request(given.request)?.status == .coalesced)
        guard case .callbackEmitted(let first)? = answer else { return #expect(Bool(false)) }
        #expect(given.state.request(given.request)?.callback == first.url)
        given.time += 600_000_000
        #expect(given.receive("bind").types == ["request.accepted"])
        let prompt = given.prompt(wallet: wallet)
        #expect(prompt.content.warnings.first?.name == "repeated")
    }

    @Test func `without a reference the same text is asked again, with a warning`() {
        var given = Given()
        let wallet = given.add(.icon)
        given.readings["bind"] = Given.request(.bind)
        given.receive("bind")
        let first = given.request
        given.approve(wallet: wallet, unlocked: false)
        #expect(given.receive("bind").types == ["request.accepted"])
        #expect(
            given.prompt(wallet: wallet).content.warnings.first?.text
                == "The same request was already answered: request \(first).")
    }

    @Test func `a request that no wallet can answer is refused by its reason`() {
        var given = Given()
        func refusal(_ outcomes: [Outcome]) -> Refusal.Code? {
            guard case .requestRefused(let data)? = outcomes.first?.payload else { return nil }
            return data.refusal.code
        }
        given.readings["pay"] = Given.pay(1000)
        given.readings["bind"] = Given.request(.bind)
        given.readings["keys"] = Given.request(.masterPublicKey(account: 0), chain: .dash)
        let send = Action.sendICX(
            from: Given.stranger, to: Given.stranger, value: UInt256(5), data: nil)
        given.readings["send"] = Given.request(send)
        #expect(refusal(given.receive("?")) == .unsupportedScheme)
        #expect(refusal(given.receive("bind")) == .noWallet)
        #expect(refusal(given.receive("send")) == .walletNotFound)
        _ = given.add(.dash, .regtest)
        #expect(refusal(given.receive("pay")) == .wrongNetwork)
        #expect(refusal(given.receive("keys")) == .unknownAccount)
        let icon = given.add(.icon)
        let own = given.state.wallet(icon)?.address ?? ""
        given.readings["own"] = Given.request(
            .sendICX(from: own, to: own, value: UInt256(5), data: nil))
        #expect(refusal(given.receive("own")) == .sameAddress)
        #expect(refusal(given.receive("send")) == .walletNotFound)
    }

    @Test func `a node that gives no answer ends what waits for it`() {
        var given = Given()
        let wallet = given.add(.icon)
        let from = given.state.wallet(wallet)?.address ?? ""
        given.readings["send"] = Given.request(
            .sendICX(from: from, to: Given.stranger, value: UInt256(5), data: nil))
        given.receive("send")
        let silence = ChainUnavailable(chain: .icon, network: .sandbox, reason: "no answer")
        #expect(
            given.when(.chainUnavailable(silence), request: given.request).types
                == ["request.refused", "callback.emitted"])
        #expect(given.when(.chainUnavailable(silence), request: given.request).isEmpty)
    }

    @Test func `amount and fee that the balance lacks are two refusals`() {
        for (loop, code) in [
            (UInt64(4), Refusal.Code.insufficientBalance), (1_000_004, .insufficientFee),
        ] {
            var given = Given()
            let wallet = given.add(.icon)
            let from = given.state.wallet(wallet)?.address ?? ""
            given.readings["send"] = Given.request(
                .sendICX(from: from, to: Given.stranger, value: UInt256(5), data: nil))
            given.receive("send")
            let outcomes = given.observeICON(wallet, loop: loop, request: given.request)
            #expect(outcomes.types == ["payment.received", "request.refused", "callback.emitted"])
            guard case .requestRefused(let data) = outcomes[1].payload else { continue }
            #expect(data.refusal.code == code)
        }
    }
}
