import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Testing

@testable import DaybookDomain

/// What a chain says of transactions of our own, and of coins that two wallets could claim.
struct OwnTransactionTests {
    private static let key = PrivateKey(SecretBytes(count: 32) { $0[31] = 1 })

    /// Sends ICX from a new request, until the node has taken it.
    private func send(_ given: inout Given, _ wallet: UInt64, _ text: String, loop: UInt64) {
        let from = given.state.wallet(wallet)?.address ?? ""
        given.readings[text] = Given.request(
            .sendICX(from: from, to: Given.stranger, value: UInt256(5_000), data: nil))
        given.receive(text)
        given.observeICON(wallet, loop: loop, request: given.request)
        given.approve(wallet: wallet)
        signAndSend(&given)
    }

    private func signAndSend(_ given: inout Given) {
        let digests = given.state.request(given.request)?.prepared?.inputs.map(\.digest) ?? []
        let signatures = digests.compactMap { Self.key?.signRecoverable(digest: $0)?.bytes }
        given.when(.signatureMade(SignatureMade(signatures: signatures)), request: given.request)
        given.when(
            .broadcastAnswered(BroadcastAnswered(answer: .accepted)), request: given.request)
    }

    private func status(_ given: Given, failure: String? = nil) -> ChainObserved.TransactionStatus {
        ChainObserved.TransactionStatus(
            txid: given.state.request(given.request)?.txid ?? [], height: 6, locked: false,
            failure: failure, fee: UInt256(1_000_000))
    }

    @Test func `an execution that failed is none that a history calls confirmed`() {
        var given = Given()
        let wallet = given.add(.icon)
        send(&given, wallet, "send", loop: 9_000_000)
        var seen = ChainObserved(chain: .icon, network: .sandbox)
        seen.transactions = [status(given, failure: "0x20: Reverted(0)")]
        #expect(given.when(.chainObserved(seen)).types == ["transaction.confirmed"])
        let kinds = given.state.list(Key.history(wallet), HistoryRow.self).map(\.row.kind)
        #expect(kinds == [.received, .sent, .failed])
        #expect(given.state.balance(wallet, "ICX").available == UInt256(8_000_000))
    }

    @Test func `payments alike in the same microsecond are two transactions`() {
        var given = Given()
        let wallet = given.add(.icon)
        send(&given, wallet, "first", loop: 9_000_000)
        let first = given.state.request(given.request)
        send(&given, wallet, "second", loop: 9_000_000)
        let second = given.state.request(given.request)
        #expect(first?.status == .completed && second?.status == .completed)
        #expect(first?.txid != second?.txid)
    }

    @Test func `a caller's own transaction is sent once, however often it is asked for`() {
        var given = Given()
        let wallet = given.add(.icon)
        let parameters: [(String, String)] = [
            ("version", "0x3"), ("from", given.state.wallet(wallet)?.address ?? ""),
            ("to", Given.stranger), ("value", "0x1388"), ("stepLimit", "0x186a0"),
            ("timestamp", "0x563a6cf330136"), ("nid", "0x3"),
        ]
        let action = Action.sendTransaction(
            parameters: .object(parameters.map { .init(name: $0.0, value: .string($0.1)) }))
        given.readings["first"] = Given.request(action)
        given.readings["second"] = Given.request(action)
        given.receive("first")
        given.observeICON(wallet, loop: 9_000_000, request: given.request)
        given.approve(wallet: wallet)
        let first = given.request
        given.receive("second")
        given.observeICON(wallet, loop: 9_000_000, request: given.request)
        given.approve(wallet: wallet)
        let second = given.request
        let digests = given.state.request(first)?.prepared?.inputs.map(\.digest) ?? []
        let signatures = digests.compactMap { Self.key?.signRecoverable(digest: $0)?.bytes }
        let made = Payload.signatureMade(SignatureMade(signatures: signatures))
        #expect(given.when(made, request: first).types == ["transaction.signed"])
        #expect(
            given.when(made, request: second).types == ["transaction.failed", "callback.emitted"])
        given.receive("third")
        given.readings["third"] = Given.request(action)
        given.receive("third")
        given.observeICON(wallet, loop: 9_000_000, request: given.request)
        #expect(
            given.approve(wallet: wallet).types == ["transaction.failed", "callback.emitted"])
        let held = given.state.request(first)?.prepared?.reserves.first?.amount
        #expect(given.state.balance(wallet, "ICX").reserved == held)
    }

    @Test func `a payment that a node refused can be made again with the same coins`() {
        var given = Given()
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: 1_000_000)
        given.readings["pay"] = Given.pay(10_000)
        var ids: [Bytes?] = []
        for answer in [BroadcastAnswered.Answer.refused, .accepted] {
            given.receive("pay")
            given.approve(wallet: wallet)
            let digests = given.state.request(given.request)?.prepared?.inputs.map(\.digest) ?? []
            let signatures = digests.compactMap { Self.key?.sign(digest: $0)?.compact }
            let made = SignatureMade(signatures: signatures)
            #expect(
                given.when(.signatureMade(made), request: given.request).types
                    == ["transaction.signed"])
            let answered = BroadcastAnswered(answer: answer)
            given.when(.broadcastAnswered(answered), request: given.request)
            ids.append(given.state.request(given.request)?.txid)
        }
        #expect(ids[0] == ids[1] && ids[0] != nil)
        #expect(given.state.request(given.request)?.status == .completed)
    }

    @Test func `a coin counts in one wallet, also where two have its key`() {
        var given = Given()
        let first = given.add(.dash)
        given.fund(first, duffs: 1_000_000)
        let second = given.add(.dash)
        given.fund(second, duffs: 1_000_000)
        #expect(given.state.balance(first, "DASH").confirmed == UInt256(1_000_000))
        #expect(given.state.balance(second, "DASH").confirmed == .zero)
        given.when(.walletRemoved(WalletRemoved(wallet: first)))
        let third = given.add(.dash)
        given.fund(third, duffs: 1_000_000)
        #expect(given.state.balance(third, "DASH").confirmed == UInt256(1_000_000))
    }

    @Test func `however much vanished, each event of it stays small`() {
        var given = Given()
        let wallet = given.add(.dash)
        let script = given.state.nextAddress(wallet, account: 0, caller: nil)?.script ?? []
        let txid = TransactionID(Bytes(repeating: 8, count: 32))
        var answer = ChainAnswer(chain: .dash, network: .sandbox)
        answer.outputs = (0..<2_000).compactMap { index in
            txid.map {
                .init(
                    outpoint: Outpoint($0, index), script: script, amount: 7, height: 3,
                    coinbase: false)
            }
        }
        for news in answer.news(in: given.state, forRequest: false) {
            given.when(.chainObserved(news))
        }
        #expect(given.state.coins(wallet).count == 2_000)
        answer.outputs = []
        let news = answer.news(in: given.state, forRequest: false)
        #expect(news.allSatisfy { $0.coded.encoded().count < 65_536 })
        for item in news { given.when(.chainObserved(item)) }
        #expect(given.state.balance(wallet, "DASH").confirmed == .zero)
    }
}
