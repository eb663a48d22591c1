import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Testing

@testable import DaybookDomain

/// The chain's facts about transactions of our own, and about coins that two wallets could claim.
struct OwnTransactionTests {
    private static let key = PrivateKey(SecretBytes(count: 32) { $0[31] = 1 })

    /// Sends ICX from a new request, until the node has taken it.
    private func send(_ given: inout Given, _ wallet: WalletID, _ text: String, loop: UInt64) {
        let from = given.state.wallet(wallet)?.address ?? ""
        given.readings[text] = Given.request(
            .sendICX(from: from, to: Given.stranger, value: UInt256(5_000), data: nil))
        given.receive(text)
        given.observeICON(wallet, loop: loop, request: given.request)
        given.approve(wallet: wallet)
        signAndSend(&given)
    }

    private func signAndSend(_ given: inout Given) {
        let digests = given.prepared[given.request]?.inputs.map(\.digest) ?? []
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

    @Test func `an execution that failed is one entry, with the fee that the chain took`() {
        var given = Given()
        let wallet = given.add(.icon)
        send(&given, wallet, "send", loop: 9_000_000)
        var seen = ChainObserved(chain: .icon, network: .sandbox)
        seen.transactions = [status(given, failure: "0x20: Reverted(0)")]
        #expect(given.when(.chainObserved(seen)).types == ["transaction.confirmed"])
        let history = given.history(of: wallet)
        #expect(history.map(\.kind) == [.received, .failed])
        #expect(history.map(\.amount) == ["9000000", "-1000000"])
        #expect(history.map(\.fee) == [nil, "1000000"])
        let row = given.state.request(given.request)
        #expect(row.flatMap { given.state.fee(of: $0) } == UInt256(1_000_000))
        #expect(given.state.historyDifference() == nil)
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
        let digests = given.prepared[first]?.inputs.map(\.digest) ?? []
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
        let held = given.prepared[first]?.reserves.first?.amount
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
            let digests = given.prepared[given.request]?.inputs.map(\.digest) ?? []
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

    @Test func `each event of vanished outputs stays small, for any number of them`() {
        var given = Given()
        let wallet = given.add(.dash)
        let script = given.state.nextAddress(wallet, account: 0, caller: nil)?.script ?? []
        let txid = TransactionID(Bytes(repeating: 8, count: 32))
        var answer = ChainSnapshot(chain: .dash, network: .sandbox)
        answer.outputs = (0..<2_000).compactMap { index in
            txid.map {
                .init(
                    outpoint: Outpoint($0, index), script: script, amount: 7, height: 3,
                    coinbase: false)
            }
        }
        for news in answer.changes(from: given.state, forRequest: false) {
            given.when(.chainObserved(news))
        }
        #expect(given.state.spendableCoins(of: wallet).count == 2_000)
        answer.outputs = []
        let news = answer.changes(from: given.state, forRequest: false)
        #expect(news.allSatisfy { $0.encoded().count < 65_536 })
        for item in news { given.when(.chainObserved(item)) }
        #expect(given.state.balance(wallet, "DASH").confirmed == .zero)
    }

    /// Pays from a coin, then from the change, which was seen although the node's answer was lost.
    private func payTwice(
        _ given: inout Given
    ) -> (wallet: WalletID, first: RequestID, second: RequestID) {
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: 1_000_000)
        var requests: [RequestID] = []
        for amount in [10_000, 20_000] as [UInt64] {
            given.readings["pay \(amount)"] = Given.pay(amount, .unspecified)
            given.receive("pay \(amount)")
            given.approve(wallet: wallet)
            given.sign()
            requests.append(given.request)
            guard let signed = given.signed[given.request],
                let transaction = try? UTXOTransaction.parse(signed.bytes)
            else { continue }
            var seen = ChainObserved(chain: .dash, network: .sandbox)
            let script = given.state.changeAddress(wallet)?.script ?? []
            for (index, output) in transaction.outputs.enumerated() where output.script == script {
                seen.outputs.append(
                    .init(
                        outpoint: Outpoint(transaction.txid, UInt32(index)), script: script,
                        amount: output.amount, height: nil, coinbase: false))
            }
            given.when(.chainObserved(seen))
        }
        return (wallet, requests[0], requests[1])
    }

    private static let refused = BroadcastAnswered(answer: .refused, code: -26, message: "dust")

    @Test func `a payment of change that no block will have ends with the one that made it`() {
        var given = Given()
        let (wallet, first, second) = payTwice(&given)
        let outcomes = given.when(.broadcastAnswered(Self.refused), request: first)
        #expect(outcomes.map(\.request) == [first, first, second, second])
        #expect(
            outcomes.types == [
                "transaction.failed", "callback.emitted", "transaction.failed", "callback.emitted",
            ])
        #expect(given.state.request(second)?.status == .failed)
        #expect(given.state.balance(wallet, "DASH").reserved == .zero)
        #expect(given.state.work().isEmpty)
    }

    @Test func `a payment that was sent is dropped with the one whose change it spends`() {
        var given = Given()
        let (wallet, first, second) = payTwice(&given)
        for id in [first, second] {
            given.when(.broadcastAnswered(BroadcastAnswered(answer: .accepted)), request: id)
        }
        var seen = ChainObserved(chain: .dash, network: .sandbox)
        let txid = given.state.request(first)?.txid ?? []
        seen.transactions = [.init(txid: txid, height: nil, locked: false, isGone: true)]
        let outcomes = given.when(.chainObserved(seen))
        #expect(outcomes.types == ["transaction.dropped", "transaction.dropped"])
        #expect(outcomes.compactMap(\.request) == [first, second])
        #expect(given.state.balance(wallet, "DASH").reserved == .zero)
        // Their outputs are gone, and the coin that the first one spent is the wallet's again.
        #expect(given.state.spendableCoins(of: wallet).map(\.amount) == [1_000_000])
        #expect(given.state.balance(wallet, "DASH").unconfirmed == .zero)
        #expect(ChainQuery(.dash, .sandbox, in: given.state).transactions.isEmpty)
    }

    @Test func `two lost payments of which one needs the other end once each`() {
        var given = Given()
        let (wallet, first, second) = payTwice(&given)
        for id in [first, second] {
            given.when(.broadcastAnswered(BroadcastAnswered(answer: .accepted)), request: id)
        }
        var seen = ChainObserved(chain: .dash, network: .sandbox)
        seen.transactions = [first, second].map { id in
            .init(
                txid: given.state.request(id)?.txid ?? [], height: nil, locked: false,
                isGone: true)
        }
        let outcomes = given.when(.chainObserved(seen))
        #expect(outcomes.types == ["transaction.dropped", "transaction.dropped"])
        #expect(given.state.spendableCoins(of: wallet).map(\.amount) == [1_000_000])
    }
}
