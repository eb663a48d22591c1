import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Testing

@testable import DaybookDomain

/// ICON shows balances: what our own transactions took is told apart from all else.
struct ICONRulesTests {
    private static let contract = "cx" + String(repeating: "2", count: 40)
    /// 100 000 steps at ten loop each.
    private static let fee: UInt64 = 1_000_000

    /// A wallet with a transfer of five loop that is sent.
    private func sent(_ loop: UInt64 = 3_000_000) -> (Given, wallet: WalletID) {
        var given = Given()
        let wallet = given.add(.icon)
        send(&given, wallet, loop, name: "send", value: 5)
        return (given, wallet)
    }

    private func send(
        _ given: inout Given, _ wallet: WalletID, _ loop: UInt64, name: String, value: UInt64
    ) {
        let from = given.state.wallet(wallet)?.address ?? ""
        given.readings[name] = Given.request(
            .sendICX(from: from, to: Given.stranger, value: UInt256(value), data: nil),
            reference: 1)
        given.receive(name)
        given.observeICON(wallet, loop: loop, request: given.request)
        #expect(given.approve(wallet: wallet).types == ["transaction.prepared"])
        #expect(given.sign().types == ["transaction.signed"])
        let accepted = BroadcastAnswered(answer: .accepted)
        let outcomes = given.when(.broadcastAnswered(accepted), request: given.request)
        #expect(outcomes.types == ["transaction.sent", "callback.emitted"])
    }

    private func observed(
        _ given: Given, _ wallet: WalletID, loop: UInt64, request: RequestID? = nil,
        height: UInt64?,
        failure: String? = nil, fee: UInt64? = ICONRulesTests.fee
    ) -> Payload {
        var seen = ChainObserved(chain: .icon, network: .sandbox)
        seen.transactions = [
            .init(
                txid: given.state.request(request ?? given.request)?.txid ?? [], height: height,
                locked: false, failure: failure, fee: fee.map { UInt256($0) })
        ]
        seen.balances = [
            .init(
                address: given.state.wallet(wallet)?.address ?? "", asset: "ICX",
                amount: UInt256(loop))
        ]
        return .chainObserved(seen)
    }

    @Test func `value and highest fee are held back until a block has the transaction`() {
        var (given, wallet) = sent()
        #expect(given.state.balance(wallet, "ICX").reserved == UInt256(1_000_005))
        #expect(given.state.balance(wallet, "ICX").available == UInt256(1_999_995))
        let news = observed(given, wallet, loop: 2_299_995, height: 6, fee: 700_000)
        #expect(given.when(news).types == ["transaction.confirmed"])
        #expect(given.state.balance(wallet, "ICX").reserved == .zero)
        #expect(given.state.balance(wallet, "ICX").available == UInt256(2_299_995))
        #expect(given.when(news).isEmpty)
    }

    @Test func `a transaction that failed in its block costs its fee alone`() {
        var (given, wallet) = sent()
        let news = observed(given, wallet, loop: 2_000_000, height: 6, failure: "32: reverted")
        let outcomes = given.when(news)
        #expect(outcomes.types == ["transaction.confirmed"])
        guard case .transactionConfirmed(let data)? = outcomes.first?.payload else { return }
        #expect(data.failure == "32: reverted")
        #expect(data.spent == [.init(asset: "ICX", amount: UInt256(Self.fee))])
        #expect(given.state.balance(wallet, "ICX").available == UInt256(2_000_000))
    }

    @Test func `a receipt that comes with a confirmation is a payment of its own`() {
        var (given, wallet) = sent()
        #expect(
            given.when(observed(given, wallet, loop: 2_000_002, height: 6)).map(\.payload).suffix(1)
                == [
                    .paymentReceived(
                        PaymentReceived(
                            wallet: wallet, asset: "ICX", amount: UInt256(7), txid: nil))
                ])
        (given, wallet) = sent()
        #expect(
            given.when(observed(given, wallet, loop: 1_999_990, height: 6)).map(\.payload).suffix(1)
                == [
                    .paymentMade(PaymentMade(wallet: wallet, asset: "ICX", amount: UInt256(5)))
                ])
    }

    @Test func `a block that is gone gives back what the transaction took, and only once`() {
        var (given, wallet) = sent()
        let first = given.request
        given.when(observed(given, wallet, loop: 1_999_995, height: 6))
        send(&given, wallet, 1_999_995, name: "more", value: 6)
        #expect(given.state.balance(wallet, "ICX").reserved == UInt256(1_000_006))
        let gone = observed(given, wallet, loop: 3_000_000, request: first, height: nil)
        #expect(given.when(gone).types == ["transaction.reorganised"])
        let asked = ChainQuery(.icon, .sandbox, in: given.state).transactions
        #expect(asked.contains { $0 == given.state.request(first)?.txid })
        #expect(given.state.balance(wallet, "ICX").confirmed == UInt256(3_000_000))
        #expect(given.state.balance(wallet, "ICX").reserved == UInt256(2_000_011))
        let again = observed(given, wallet, loop: 1_999_995, request: first, height: 7)
        #expect(given.when(again).types == ["transaction.confirmed"])
        #expect(given.state.balance(wallet, "ICX").reserved == UInt256(1_000_006))
        let moved = observed(given, wallet, loop: 1_999_995, request: first, height: 8)
        #expect(
            given.when(moved).types == ["transaction.reorganised", "transaction.confirmed"])
        #expect(given.state.balance(wallet, "ICX").confirmed == UInt256(1_999_995))
        #expect(given.state.balance(wallet, "ICX").reserved == UInt256(1_000_006))
    }

    @Test func `a balance that sank after the prompt ends the request with its code`() {
        var given = Given()
        let wallet = given.add(.icon)
        let from = given.state.wallet(wallet)?.address ?? ""
        for (loop, code) in [
            (UInt64(4), Refusal.Code.insufficientBalance), (1_000_004, .insufficientFee),
        ] {
            given.readings["send\(loop)"] = Given.request(
                .sendICX(from: from, to: Given.stranger, value: UInt256(5), data: nil))
            given.receive("send\(loop)")
            given.observeICON(wallet, loop: 3_000_000, request: given.request)
            given.observeICON(wallet, loop: loop)
            let outcomes = given.approve(wallet: wallet)
            #expect(outcomes.types == ["transaction.failed", "callback.emitted"])
            #expect(given.state.request(given.request)?.refusal == Refusal(code))
            #expect(given.state.balance(wallet, "ICX").reserved == .zero)
        }
    }

    @Test func `a token's transfer holds its tokens and its fee back, and takes both`() {
        var given = Given()
        let wallet = given.add(.icon)
        let from = given.state.wallet(wallet)?.address ?? ""
        given.readings["token"] = Given.request(
            .sendToken(
                from: from, to: Given.stranger, value: UInt256(30), contract: Self.contract))
        func news(_ loop: UInt64, _ tokens: UInt64) -> ChainObserved {
            var seen = ChainObserved(chain: .icon, network: .sandbox)
            seen.tokens = [.init(contract: Self.contract, symbol: "SBX", decimals: 1)]
            seen.iconFees = .init(price: UInt256(10), transfer: 1, inputByte: 1, contractCall: 1)
            seen.balances = [
                .init(address: from, asset: "ICX", amount: UInt256(loop)),
                .init(address: from, asset: Self.contract, amount: UInt256(tokens)),
            ]
            return seen
        }
        for (loop, tokens, code) in [
            (UInt64(5_000_000), UInt64(29), Refusal.Code.insufficientBalance),
            (999_999, 30, .insufficientFee),
        ] {
            given.receive("token")
            var seen = news(loop, tokens)
            seen.estimate = 100_000
            given.when(.chainObserved(seen), request: given.request)
            #expect(given.state.request(given.request)?.refusal?.code == code)
        }
        given.receive("token")
        var seen = news(5_000_000, 100)
        seen.estimate = 100_000
        given.when(.chainObserved(seen), request: given.request)
        let prompt = given.prompt(wallet: wallet)
        #expect(prompt.content.amounts.first == ShownLine("amount", "3", unit: "SBX"))
        #expect(prompt["minor"] == "30")
        given.approve(wallet: wallet)
        given.sign()
        #expect(given.state.balance(wallet, Self.contract).reserved == UInt256(30))
        #expect(given.state.balance(wallet, "ICX").reserved == UInt256(Self.fee))
        seen = news(4_500_000, 70)
        seen.transactions = [
            .init(
                txid: given.state.request(given.request)?.txid ?? [], height: 6, locked: false,
                fee: UInt256(500_000))
        ]
        #expect(given.when(.chainObserved(seen)).types == ["transaction.confirmed"])
        #expect(given.state.balance(wallet, Self.contract).available == UInt256(70))
        #expect(given.state.balance(wallet, "ICX").available == UInt256(4_500_000))
    }

    @Test func `only the sender's own low signature signs`() {
        for (name, change) in Self.changes {
            var given = Given()
            let wallet = given.add(.icon)
            let from = given.state.wallet(wallet)?.address ?? ""
            given.readings["send"] = Given.request(
                .sendICX(from: from, to: Given.stranger, value: UInt256(5), data: nil))
            given.receive("send")
            given.observeICON(wallet, loop: 3_000_000, request: given.request)
            given.approve(wallet: wallet)
            let digest = given.prepared[given.request]?.inputs.first?.digest ?? []
            let made = SignatureMade(signatures: change(digest))
            let outcomes = given.when(.signatureMade(made), request: given.request)
            #expect(outcomes.types == ["transaction.failed", "callback.emitted"], "\(name)")
            #expect(given.state.balance(wallet, "ICX").available == UInt256(3_000_000))
            #expect(given.sign().isEmpty)
        }
    }

    private static let changes: [(String, @Sendable (Bytes) -> [Bytes])] = [
        ("none", { _ in [] }),
        ("another key's", { [key(2).signRecoverable(digest: $0)!.bytes] }),
        ("a short one", { [Bytes(key(1).signRecoverable(digest: $0)!.bytes.dropLast())] }),
        ("two", { Array(repeating: key(1).signRecoverable(digest: $0)!.bytes, count: 2) }),
        ("a high one", { [HighSignature.of(key(1).signRecoverable(digest: $0)!.bytes)] }),
    ]

    private static func key(_ number: UInt8) -> PrivateKey {
        PrivateKey(SecretBytes(count: 32) { $0[31] = number })!
    }
}

/// The other signature that the same key makes valid: what nodes may take and wallets never make.
enum HighSignature {
    private static let order = UInt256(
        hex: "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141")!

    /// The same with s taken from the order, and the other recovery id, if there is one.
    static func of(_ bytes: Bytes) -> Bytes {
        let low = UInt256(bigEndian: Bytes(bytes[32..<64]))!
        return bytes[..<32] + order.subtracting(low)!.bigEndianBytes + bytes[64...].map { $0 ^ 1 }
    }
}
