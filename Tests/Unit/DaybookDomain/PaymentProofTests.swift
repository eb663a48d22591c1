import DaybookChains
import DaybookEncoding
import Testing

@testable import DaybookDomain

/// A payment with a caller that asks for the transaction as proof.
struct PaymentProofTests {
    private static let accepted = Payload.broadcastAnswered(BroadcastAnswered(answer: .accepted))

    private static func pay(
        _ proof: Request.Proof, _ amount: UInt64? = 10_000,
        _ lock: Action.InstantSend = .unspecified
    ) -> LinkReading {
        .request(
            Request(
                link: "test", chain: .dash,
                action: .pay(address: Given.address, amount: amount, instantSend: lock),
                caller: Given.caller, proof: proof))
    }

    /// A wallet with so many coins of 10 000 duffs, and a request that was received.
    private func received(_ reading: LinkReading, coins: Int = 1) -> (given: Given, WalletID) {
        var given = Given()
        let wallet = given.add(.dash)
        var seen = ChainObserved(chain: .dash, network: .sandbox)
        seen.height = 100
        seen.tip = [1]
        seen.feeRate = 1000
        seen.instantSend = true
        let script = given.state.nextAddress(wallet, account: 0, caller: nil)?.script ?? []
        seen.outputs = (0..<coins).map { number in
            let digits = [UInt8(number / 256), UInt8(number % 256)]
            let id = TransactionID(digits + Bytes(repeating: 7, count: 30))!
            return .init(
                outpoint: Outpoint(id, 0), script: script, amount: coins == 1 ? 1_000_000 : 10_000,
                height: 90, coinbase: false)
        }
        given.when(.chainObserved(seen))
        given.readings["pay"] = reading
        given.receive("pay")
        return (given, wallet)
    }

    private func callback(_ outcomes: [Outcome]) -> String? {
        outcomes.lazy.compactMap { outcome in
            if case .callbackEmitted(let data) = outcome.payload { data.url } else { nil }
        }.first
    }

    private func expected(_ given: Given) -> String {
        "shop://proof(transaction: \(given.signed[given.request]?.bytes ?? []))"
    }

    @Test(arguments: [Request.Proof.wanted, .required])
    func `the caller gets the transaction as it was signed, once the network has it`(
        proof: Request.Proof
    ) {
        var (given, wallet) = received(Self.pay(proof))
        #expect(
            given.prompt(wallet: wallet)["proof"]
                == "The sender gets the whole transaction once it is sent.")
        given.approve(wallet: wallet)
        given.sign()
        let row = given.state.request(given.request)
        #expect(row?.proof == given.signed[given.request]?.bytes && row?.proof != nil)
        let outcomes = given.when(Self.accepted, request: given.request)
        #expect(outcomes.types == ["transaction.sent", "callback.emitted"])
        #expect(callback(outcomes) == expected(given))
        #expect(given.state.request(given.request)?.proof == nil)
    }

    @Test func `a proof of a payment that waits for its lock waits with it`() {
        var (given, wallet) = received(Self.pay(.wanted, 10_000, .required))
        given.approve(wallet: wallet)
        given.sign()
        #expect(given.when(Self.accepted, request: given.request).types == ["transaction.sent"])
        #expect(given.state.request(given.request)?.proof != nil)
        var seen = ChainObserved(chain: .dash, network: .sandbox)
        let txid = given.state.request(given.request)?.txid ?? []
        seen.transactions = [.init(txid: txid, height: nil, locked: true)]
        #expect(callback(given.when(.chainObserved(seen))) == expected(given))
        #expect(given.state.request(given.request)?.proof == nil)
    }

    @Test func `a proof that is declined is named, and the caller is told of the payment`() {
        var (given, wallet) = received(Self.pay(.declined))
        #expect(
            given.prompt(wallet: wallet)["proof"]
                == "The sender gets none: the URL that the link names may not be opened.")
        given.approve(wallet: wallet)
        given.sign()
        #expect(given.state.request(given.request)?.proof == nil)
        let url = callback(given.when(Self.accepted, request: given.request))
        #expect(url?.hasPrefix("shop://paid(address: \"\(Given.address)\"") == true)
    }

    @Test(arguments: [(1_900_000, true), (2_000_000, false)] as [(UInt64, Bool)])
    func `a transaction that is too long for a callback is no proof`(amount: UInt64, fits: Bool) {
        var (given, wallet) = received(Self.pay(.wanted, amount), coins: 260)
        let shown = given.prompt(wallet: wallet)["proof"]
        #expect(
            (shown == "The sender gets none: the transaction is too long for a callback.") != fits)
        given.approve(wallet: wallet)
        let inputs = given.prepared[given.request]?.inputs.count ?? 0
        #expect(inputs > 190 && (inputs <= 200) == fits, "\(inputs) coins")
        given.sign()
        let url = callback(given.when(Self.accepted, request: given.request))
        #expect((url != nil) == fits)
        // With a prefix of 512 bytes it is a callback of at most 64 KiB.
        let bytes = given.signed[given.request]?.bytes.count ?? 0
        #expect(2 * bytes + 600 < 65_536)
    }

    @Test func `a payment that is too long for the proof that it requires is not made`() {
        var (given, wallet) = received(Self.pay(.required, 2_000_000), coins: 260)
        let prompt = given.prompt(wallet: wallet)
        #expect(
            prompt["problem"]
                == "the proof of payment that the link requires can't be sent ('pop')")
        #expect(prompt.terms == nil)
        #expect(given.approve(wallet: wallet).refusedDecision == .proofUnavailable)
        #expect(given.state.request(given.request)?.status == .pending)
    }

    @Test func `a payment that fails or is rejected leaves no proof behind`() {
        for isRejected in [true, false] {
            var (given, wallet) = received(Self.pay(.wanted))
            given.approve(wallet: wallet)
            given.sign()
            let refused = Payload.broadcastAnswered(BroadcastAnswered(answer: .refused))
            let outcomes = isRejected
                ? given.reject() : given.when(refused, request: given.request)
            #expect(callback(outcomes)?.contains("proof(") == false)
            #expect(given.state.request(given.request)?.proof == nil)
        }
    }

    @Test(arguments: [Request.Proof.wanted, .required, .declined])
    func `a request's encoding keeps its proof`(proof: Request.Proof) throws {
        guard case .request(let request) = Self.pay(proof) else { return }
        let coded = request.encoded()
        #expect(try Request(try EncodedCBOR(coded)) == request)
    }
}
