import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Testing

@testable import DaybookDomain

struct TransactionRulesTests {
    /// A payment that was approved, and the keystore's signatures for it.
    private func approved(_ lock: Action.InstantSend = .unspecified)
        -> (Given, wallet: WalletID, signatures: [Bytes])
    {
        var given = Given()
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: 1_000_000)
        given.readings["pay"] = Given.pay(10_000, lock)
        given.receive("pay")
        given.approve(wallet: wallet)
        let key = PrivateKey(SecretBytes(count: 32) { $0[31] = 1 })
        let inputs = given.prepared[given.request]?.inputs ?? []
        return (given, wallet, inputs.compactMap { key?.sign(digest: $0.digest)?.compact })
    }

    @Test func `a signature counts only if it verifies`() {
        var (given, wallet, signatures) = approved()
        signatures[0][10] ^= 1
        let made = SignatureMade(signatures: signatures)
        let outcomes = given.when(.signatureMade(made), request: given.request)
        #expect(outcomes.types == ["transaction.failed", "callback.emitted"])
        #expect(given.state.balance(wallet, "DASH").reserved == .zero)
        #expect(given.state.balance(wallet, "DASH").available == UInt256(1_000_000))
        #expect(given.state.work().isEmpty)
    }

    @Test(arguments: ["signed", "failed", "rejected"])
    func `a request keeps the bytes of its transaction only until they are signed`(
        end: String
    ) throws {
        var (given, _, signatures) = approved()
        let prepared = try #require(given.prepared[given.request])
        #expect(given.state.request(given.request)?.prepared == prepared)
        if end == "failed" { signatures[0][10] ^= 1 }
        let made = SignatureMade(signatures: signatures)
        given.when(.signatureMade(made), request: given.request)
        if end == "rejected" { given.reject() }
        let row = try #require(given.state.request(given.request))
        #expect(row.status.rawValue == end)
        #expect(row.prepared == nil)
        #expect(row.payment?.inputs == prepared.inputs.compactMap(\.outpoint))
        #expect(row.payment?.fee == prepared.fee)
        let coded = row.encoded()
        for bytes in [prepared.bytes, given.signed[given.request]?.bytes].compactMap(\.self) {
            #expect(!coded.contains(bytes))
        }
    }

    @Test func `a signature that nobody approved is nothing`() {
        var (given, _, signatures) = approved()
        let made = SignatureMade(signatures: signatures)
        #expect(given.when(.signatureMade(made)).isEmpty)
        #expect(given.when(.signatureMade(made), request: 1).isEmpty)
        #expect(
            given.when(.signatureMade(made), request: given.request).types
                == ["transaction.signed"])
        #expect(given.when(.signatureMade(made), request: given.request).isEmpty)
    }

    @Test func `an answer that was lost leaves the same bytes to be sent`() {
        var (given, _, signatures) = approved()
        given.when(.signatureMade(SignatureMade(signatures: signatures)), request: given.request)
        let work = [Effect.broadcast(request: given.request)]
        #expect(given.state.work() == work)
        let unknown = BroadcastAnswered(answer: .unknown)
        #expect(given.when(.broadcastAnswered(unknown), request: given.request).isEmpty)
        #expect(given.state.work() == work)
        let accepted = BroadcastAnswered(answer: .accepted)
        #expect(
            given.when(.broadcastAnswered(accepted), request: given.request).types
                == ["transaction.sent", "callback.emitted"])
        #expect(given.when(.broadcastAnswered(accepted), request: given.request).isEmpty)
        #expect(given.state.work().isEmpty)
    }

    @Test func `a payment that a node refuses frees its coins and ends`() {
        var (given, wallet, signatures) = approved()
        given.when(.signatureMade(SignatureMade(signatures: signatures)), request: given.request)
        let refused = BroadcastAnswered(answer: .refused, code: -26, message: "dust")
        let outcomes = given.when(.broadcastAnswered(refused), request: given.request)
        #expect(outcomes.types == ["transaction.failed", "callback.emitted"])
        #expect(given.state.request(given.request)?.refusal?.code == .refusedByNode)
        #expect(given.state.balance(wallet, "DASH").available == UInt256(1_000_000))
    }

    @Test func `a payment by InstantSend is answered when it is locked, once`() {
        var (given, _, signatures) = approved(.required)
        given.when(.signatureMade(SignatureMade(signatures: signatures)), request: given.request)
        let accepted = BroadcastAnswered(answer: .accepted)
        #expect(
            given.when(.broadcastAnswered(accepted), request: given.request).types
                == ["transaction.sent"])
        #expect(given.state.work() == [.awaitLock(request: given.request)])
        var seen = ChainObserved(chain: .dash, network: .sandbox)
        let txid = given.state.request(given.request)?.txid ?? []
        let status = ChainObserved.TransactionStatus(txid: txid, height: 101, locked: true)
        // A node that says a thing twice has said it once.
        seen.transactions = [status, status]
        #expect(
            given.when(.chainObserved(seen)).types
                == ["transaction.confirmed", "transaction.locked", "callback.emitted"])
        #expect(given.when(.chainObserved(seen)).isEmpty)
        #expect(given.state.request(given.request)?.status == .completed)
    }

    @Test func `a block that is gone takes its confirmation back`() {
        var (given, wallet, signatures) = approved()
        given.when(.signatureMade(SignatureMade(signatures: signatures)), request: given.request)
        let txid = given.state.request(given.request)?.txid ?? []
        var types: [[String]] = []
        for height in [UInt64(101), nil, 102, 103] {
            var seen = ChainObserved(chain: .dash, network: .sandbox)
            seen.transactions = [.init(txid: txid, height: height, locked: false)]
            types.append(given.when(.chainObserved(seen)).types)
        }
        #expect(
            types == [
                ["transaction.confirmed"], ["transaction.reorganised"], ["transaction.confirmed"],
                ["transaction.reorganised", "transaction.confirmed"],
            ])
        #expect(given.state.wallet(wallet) != nil)
    }

    @Test func `an approved request ends if its key is gone`() {
        var (given, wallet, _) = approved()
        let failed = SignatureFailed(reason: "keyMissing")
        let outcomes = given.when(.signatureFailed(failed), request: given.request)
        #expect(outcomes.types == ["transaction.failed", "callback.emitted"])
        guard case .transactionFailed(let data) = outcomes[0].payload else { return }
        #expect(data.protocolCode == -4001)
        #expect(given.state.balance(wallet, "DASH").available == UInt256(1_000_000))
        #expect(given.when(.signatureFailed(failed), request: given.request).isEmpty)
    }

    @Test func `coins that come and go change balances by as much`() {
        var given = Given()
        let wallet = given.add(.icon)
        #expect(given.observeICON(wallet, loop: 500).types == ["payment.received"])
        #expect(given.state.balance(wallet, "ICX").available == UInt256(500))
        #expect(given.observeICON(wallet, loop: 500).isEmpty)
        #expect(given.observeICON(wallet, loop: 600, times: 2).types == ["payment.received"])
        #expect(given.observeICON(wallet, loop: 500).types == ["payment.made"])
        #expect(given.observeICON(wallet, loop: 200).types == ["payment.made"])
        #expect(given.state.balance(wallet, "ICX").available == UInt256(200))
        let world = given.state.externalAccounts[AssetKey(.icon, .sandbox, "ICX")]
        #expect(world?.paidIn == UInt256(600) && world?.paidOut == UInt256(400))
    }
}
