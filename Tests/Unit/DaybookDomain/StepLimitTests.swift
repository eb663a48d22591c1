import DaybookChains
import DaybookEncoding
import Testing

@testable import DaybookDomain

/// A sender's own step limit is compared with what the network takes and what a node estimates.
struct StepLimitTests {
    private static let contract = "cx" + String(repeating: "2", count: 40)

    private func given(
        steps: UInt64, to receiver: String = contract, estimate: UInt64?
    ) -> (Given, WalletID) {
        var given = Given()
        let wallet = given.add(.icon)
        let isCall = receiver.hasPrefix("cx")
        let parameters = JSON.record([
            "version": .string("0x3"),
            "from": .string(given.state.wallet(wallet)?.address ?? ""), "to": .string(receiver),
            "value": .string("0x0"), "stepLimit": .string(ICONInteger.text(steps)),
            "timestamp": .string("0x1"), "nid": .string("0x3"), "nonce": .string("0x1"),
            "dataType": isCall ? .string("call") : nil,
            "data": isCall ? .record(["method": .string("m")]) : nil,
        ])
        given.readings["send"] = Given.request(
            .sendTransaction(parameters: parameters), reference: 1)
        given.receive("send")
        var seen = ChainObserved(chain: .icon, network: .sandbox)
        seen.iconFees = .init(
            price: UInt256(10), transfer: 100_000, inputByte: 200, contractCall: 25_000)
        seen.balances = [
            .init(
                address: given.state.wallet(wallet)?.address ?? "", asset: "ICX",
                amount: UInt256(1_000_000_000_000))
        ]
        seen.estimate = estimate
        given.when(.chainObserved(seen), request: given.request)
        return (given, wallet)
    }

    private func warnings(_ given: Given, _ wallet: WalletID) -> [String] {
        given.prompt(wallet: wallet).content.warnings.map(\.text)
    }

    @Test func `a limit below what the network takes is refused, and its sender is told`() {
        // Data of 14 bytes: {"method":"m"}.
        for (steps, receiver) in [
            (UInt64(100), Self.contract), (102_799, Self.contract), (99_999, Given.stranger),
        ] {
            let (given, _) = given(steps: steps, to: receiver, estimate: nil)
            let row = given.state.request(given.request)
            #expect(row?.status == .refused)
            #expect(row?.refusal == Refusal(.stepLimitTooLow, parameter: "stepLimit"))
        }
        for (steps, receiver) in [(UInt64(102_800), Self.contract), (100_000, Given.stranger)] {
            let (given, _) = given(steps: steps, to: receiver, estimate: nil)
            #expect(given.state.request(given.request)?.status == .pending)
        }
    }

    @Test func `a limit below the estimate is warned of, one that suffices is not`() {
        let low = given(steps: 131_072, estimate: 190_000)
        #expect(
            warnings(low.0, low.1).contains(
                "The step limit is too low. The node estimates 190000 steps, and the sender allows"
                    + " 131072. The call would fail, and its fee would be lost."))
        let enough = given(steps: 190_000, estimate: 190_000)
        #expect(!warnings(enough.0, enough.1).contains { $0.contains("estimate") })
    }

    @Test func `a call that no node has estimated says so, whoever chose the limit`() {
        let unknown = given(steps: 190_000, estimate: nil)
        #expect(
            warnings(unknown.0, unknown.1).contains(
                "The node could not estimate this call. It may fail and cost its fee all the"
                    + " same."))
    }

    @Test func `a call that failed on the chain before its answer came is no success`() {
        for knows in [true, false] {
            var (given, wallet) = given(steps: 190_000, estimate: 190_000)
            #expect(given.approve(wallet: wallet).types == ["transaction.prepared"])
            #expect(given.sign().types == ["transaction.signed"])
            if knows {
                var seen = ChainObserved(chain: .icon, network: .sandbox)
                seen.transactions = [
                    .init(
                        txid: given.state.request(given.request)?.txid ?? [], height: 5,
                        locked: false, failure: "10: OutOfStep", fee: UInt256(1_900_000))
                ]
                given.when(.chainObserved(seen))
            }
            let answer = BroadcastAnswered(
                answer: .accepted, refusal: knows ? nil : .failedOnChain)
            let outcomes = given.when(.broadcastAnswered(answer), request: given.request)
            #expect(outcomes.types == ["transaction.sent", "callback.emitted"])
            let url = outcomes.compactMap { outcome -> String? in
                if case .callbackEmitted(let data) = outcome.payload { data.url } else { nil }
            }.first
            #expect(url?.contains("failedOnChain") == true, "\(url ?? "")")
        }
    }
}
