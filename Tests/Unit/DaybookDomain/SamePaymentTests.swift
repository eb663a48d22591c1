import DaybookChains
import DaybookEncoding
import Testing

@testable import DaybookDomain

/// One invoice in several spellings: none is paid a second time without a warning.
struct SamePaymentTests {
    private static let accepted = Payload.broadcastAnswered(BroadcastAnswered(answer: .accepted))
    private static let at = "It was approved at 1970-01-01T00:16:40Z."

    /// A wallet with two coins, and links that ask for the same, for more, and for any amount.
    private func scene() -> (Given, wallet: WalletID) {
        var given = Given()
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: 1_000_000, id: 7)
        given.fund(wallet, duffs: 1_000_000, id: 8)
        given.readings["one"] = Given.pay(10_000)
        given.readings["two"] = Given.pay(10_000, .preferred, caller: nil)
        given.readings["three"] = Given.pay(10_000, caller: nil)
        given.readings["more"] = Given.pay(10_001)
        given.readings["open"] = Given.pay(nil, caller: nil)
        given.readings["any"] = Given.pay(nil, .preferred, caller: nil)
        return (given, wallet)
    }

    private func receive(_ given: inout Given, _ text: String) -> RequestID {
        given.receive(text)
        return given.request
    }

    private func warnings(
        _ given: Given, _ id: RequestID, _ wallet: WalletID, amount: UInt64? = nil
    ) -> [String] {
        given.prompt(id, wallet: wallet, amount: amount).content.warnings.map(\.text)
    }

    private func waits(_ id: RequestID) -> String {
        "Request \(id) waits for the same payment. Approve only one of them."
    }

    @Test func `two that wait name each other, and neither is approved as it was shown`() {
        var (given, wallet) = scene()
        let one = receive(&given, "one")
        let shown = given.prompt(one, wallet: wallet).digest
        #expect(warnings(given, one, wallet) == [])
        let two = receive(&given, "two")
        #expect(warnings(given, two, wallet) == [waits(one)])
        #expect(warnings(given, one, wallet) == [waits(two)])
        #expect(
            given.approve(one, wallet: wallet, shown: shown).refusedDecision == .promptChanged)
        // A third copy changes neither prompt again.
        let both = [one, two].map { given.prompt($0, wallet: wallet).digest }
        let three = receive(&given, "three")
        #expect([one, two].map { given.prompt($0, wallet: wallet).digest } == both)
        #expect(warnings(given, three, wallet) == [waits(one)])
        given.reject(three)
        // After the approval of one, the other's prompt is no longer the one that was shown.
        #expect(
            given.approve(two, wallet: wallet, shown: both[1]).types == ["transaction.prepared"])
        given.sign(two)
        #expect(
            given.approve(one, wallet: wallet, shown: both[0]).refusedDecision == .promptChanged)
    }

    @Test func `one in flight and one that was paid are named with the time`() {
        var (given, wallet) = scene()
        let one = receive(&given, "one")
        given.approve(one, wallet: wallet)
        given.sign(one)
        given.when(Self.accepted, request: one)
        given.time += 60_000_000
        let two = receive(&given, "two")
        #expect(
            warnings(given, two, wallet) == [
                "Request \(one) is making the same payment. \(Self.at)"
            ])
        given.show(one, in: wallet, height: 101)
        #expect(
            warnings(given, two, wallet) == [
                "Request \(one) made the same payment. \(Self.at)"
            ])
        #expect(given.approve(two, wallet: wallet).types == ["transaction.prepared"])
    }

    @Test func `the same text again is named once`() {
        var (given, wallet) = scene()
        let one = receive(&given, "one")
        given.approve(one, wallet: wallet)
        given.sign(one)
        given.when(Self.accepted, request: one)
        let again = receive(&given, "one")
        #expect(
            warnings(given, again, wallet)
                == ["The same request was already answered: request \(one)."])
    }

    @Test func `another amount, a refused and an expired request are not the same payment`() {
        var (given, wallet) = scene()
        let more = receive(&given, "more")
        let one = receive(&given, "one")
        let open = receive(&given, "open")
        for id in [more, one] { #expect(warnings(given, id, wallet) == []) }
        #expect(warnings(given, open, wallet, amount: 9_999) == [])
        #expect(warnings(given, open, wallet, amount: 10_000) == [waits(one)])
        given.reject(one)
        #expect(warnings(given, open, wallet, amount: 10_000) == [])
        #expect(warnings(given, open, wallet, amount: 10_001) == [waits(more)])
        given.time = given.state.request(more)?.expires ?? 0
        given.when(.timePassed(TimePassed()))
        #expect(given.state.request(more)?.status == .expired)
        #expect(given.state.invoices.rows().isEmpty)
    }

    @Test func `an amount that the user enters counts once it is approved`() {
        var (given, wallet) = scene()
        let open = receive(&given, "open")
        let any = receive(&given, "any")
        let shown = given.prompt(any, wallet: wallet, amount: 10_000).digest
        given.approve(open, wallet: wallet, amount: 10_000)
        given.sign(open)
        given.when(Self.accepted, request: open)
        #expect(
            given.approve(any, wallet: wallet, amount: 10_000, shown: shown).refusedDecision
                == .promptChanged)
        #expect(
            warnings(given, any, wallet, amount: 10_000) == [
                "Request \(open) is making the same payment. \(Self.at)"
            ])
        #expect(warnings(given, any, wallet, amount: 10_001) == [])
    }

    @Test func `a payment that was given up is not paid, until a block has it`() {
        var (given, wallet) = scene()
        let one = receive(&given, "one")
        given.approve(one, wallet: wallet)
        given.sign(one)
        let paid = { (given: Given) in given.state.invoices.rows().map(\.row.target) }
        #expect(paid(given) == [one])
        given.when(
            .broadcastAnswered(BroadcastAnswered(answer: .refused, code: -26, message: "dust")),
            request: one)
        #expect(paid(given) == [])
        given.show(one, in: wallet, height: 101)
        #expect(paid(given) == [one])
        // It is named by the warning of the attempt already.
        let two = receive(&given, "two")
        #expect(
            warnings(given, two, wallet) == [
                "An earlier attempt (request \(one)) was executed after all. This payment is a"
                    + " second one."
            ])
    }

    @Test func `the latest of several that pay is named`() {
        var (given, wallet) = scene()
        var last: RequestID = 0
        for text in ["one", "two"] {
            last = receive(&given, text)
            given.approve(last, wallet: wallet)
            given.sign(last)
            given.when(Self.accepted, request: last)
        }
        let three = receive(&given, "three")
        #expect(
            warnings(given, three, wallet) == [
                "Request \(last) is making the same payment. \(Self.at)"
            ])
    }

    // MARK: - ICON

    @Test func `on ICON the recipient, the amount and the token count, in any form`() {
        var given = Given()
        let wallet = given.add(.icon)
        let from = given.state.wallet(wallet)?.address ?? ""
        let token = "cx" + String(repeating: "1", count: 40)
        func request(_ action: Action) -> Invoice? {
            Request(link: "test", chain: .icon, action: action, caller: nil)
                .invoice(entered: nil)
        }
        func send(_ value: UInt64, _ data: Action.CallData? = nil) -> KeyDigest? {
            request(.sendICX(from: from, to: Given.stranger, value: UInt256(value), data: data))?
                .whileWaiting
        }
        func raw(_ members: [String: String], data: JSON? = nil) -> KeyDigest? {
            var params = members.map { JSON.Member(name: $0, value: .string($1)) }
            if let data { params.append(JSON.Member(name: "data", value: data)) }
            return request(.sendTransaction(parameters: .object(params)))?.whileWaiting
        }
        let hundred = send(100)
        #expect(hundred != nil && send(101) != hundred && send(0) == nil)
        #expect(send(100, .init(type: "message", data: .string("0x61"))) == hundred)
        #expect(raw(["to": Given.stranger, "value": "0x64", "nonce": "0x9"]) == hundred)
        #expect(raw(["to": token, "value": "0x64"]) != hundred)
        let tokens = request(
            .sendToken(from: from, to: Given.stranger, value: UInt256(100), contract: token))
        let transfer = JSON.record([
            "method": .string("transfer"),
            "params": .record(["_to": .string(Given.stranger), "_value": .string("0x64")]),
        ])
        #expect(raw(["to": token, "dataType": "call"], data: transfer) == tokens?.whileWaiting)
        #expect(tokens?.whileWaiting != hundred)
        #expect(tokens?.approved(on: .mainnet) != tokens?.approved(on: .sandbox))
        #expect(raw(["to": token, "dataType": "call"], data: .record([:])) == nil)
        #expect(request(.bind) == nil)
    }
}
