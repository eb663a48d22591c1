import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Testing

@testable import DaybookDomain

/// How a node's answers update the state of the wallets' own transactions.
struct ObservingTests {
    /// Dash, paid from the only coin and without change, in a block.
    private func paid(_ given: inout Given, change: Bool) -> (wallet: WalletID, txid: Bytes) {
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: change ? 1_000_000 : 10_200)
        given.payAndSign(Given.pay(10_000, .unspecified), from: wallet)
        given.when(
            .broadcastAnswered(BroadcastAnswered(answer: .accepted)), request: given.request)
        return (wallet, given.state.request(given.request)?.txid ?? [])
    }

    /// A block has the payment, and what it spends is spent.
    private func mine(_ txid: Bytes, of wallet: WalletID, _ given: inout Given) {
        var mined = answer(given, wallet)
        mined.spends = mined.outputs.map {
            .init(outpoint: $0.outpoint, spender: txid, height: 101, script: $0.script)
        }
        mined.transactions = [.init(txid: txid, height: 101, locked: false)]
        for news in mined.changes(from: given.state, forRequest: false) {
            given.when(.chainObserved(news))
        }
    }

    private func answer(_ given: Given, _ wallet: WalletID) -> ChainSnapshot {
        var answer = ChainSnapshot(chain: .dash, network: .sandbox)
        answer.height = 101
        answer.tip = [1]
        let rows = given.state.outputs.rows(.first(wallet))
            + given.state.spentOutputs.rows(.first(wallet))
        for (_, row) in rows where row.output.height == 90 {
            var output = row.output
            output.spentBy = nil
            output.spentHeight = nil
            answer.outputs.append(output)
        }
        return answer
    }

    /// The sent transactions of ours that an answer lacks.
    private func forgotten(
        by answer: ChainSnapshot, to question: ChainQuery, _ given: Given
    ) -> [MissingTransaction] {
        answer.missing(
            in: given.state, to: question, answer.outputChanges(from: given.state))
    }

    @Test(arguments: [true, false])
    func `a payment that the network forgot is sent again, and keeps its coins`(
        change: Bool
    ) throws {
        var given = Given()
        let (wallet, txid) = paid(&given, change: change)
        let before = given.state.balance(wallet, "DASH").available
        let question = ChainQuery(.dash, .sandbox, in: given.state)
        var answer = answer(given, wallet)
        let missing = forgotten(by: answer, to: question, given)
        #expect(missing.map(\.txid) == [txid])
        #expect(missing.map(\.request) == [given.request])
        for item in missing { answer.hold(try #require(given.signed[item.request])) }
        #expect(forgotten(by: answer, to: question, given).isEmpty)
        for news in answer.changes(from: given.state, forRequest: false) {
            given.when(.chainObserved(news))
        }
        #expect(given.state.spendableCoins(of: wallet).allSatisfy { $0.confirmations == 0 })
        #expect(given.state.balance(wallet, "DASH").available >= before)
        #expect(given.state.balance(wallet, "DASH").confirmed == .zero)
    }

    @Test func `a payment without change that a reorganisation lost is sent again`() throws {
        var given = Given()
        let (wallet, txid) = paid(&given, change: false)
        mine(txid, of: wallet, &given)
        #expect(ChainQuery(.dash, .sandbox, in: given.state).transactions.isEmpty)
        let next = ChainQuery(.dash, .sandbox, in: given.state)
        var lost = answer(given, wallet)
        let missing = forgotten(by: lost, to: next, given)
        #expect(missing.map(\.txid) == [txid])
        for item in missing { lost.hold(try #require(given.signed[item.request])) }
        var types: [String] = []
        for news in lost.changes(from: given.state, forRequest: false) {
            types += given.when(.chainObserved(news)).types
        }
        #expect(types == ["transaction.reorganised"])
        #expect(given.state.balance(wallet, "DASH").available == .zero)
    }

    @Test func `a payment is sent again when its coin comes back that was out of sight`() {
        var given = Given()
        let (wallet, txid) = paid(&given, change: false)
        mine(txid, of: wallet, &given)
        // Nodes that know only what it spends, not even this, and then this again.
        let seen = answer(given, wallet)
        var unspent = ChainObserved(chain: .dash, network: .sandbox)
        unspent.outputs = seen.outputs
        given.when(.chainObserved(unspent))
        var gone = ChainObserved(chain: .dash, network: .sandbox)
        gone.removed = seen.outputs.map(\.outpoint)
        given.when(.chainObserved(gone))
        let next = ChainQuery(.dash, .sandbox, in: given.state)
        #expect(forgotten(by: seen, to: next, given).map(\.txid) == [txid])
    }

    @Test func `a transaction that the network won't take again has failed and frees its coins`() {
        var given = Given()
        let (wallet, _) = paid(&given, change: false)
        let question = ChainQuery(.dash, .sandbox, in: given.state)
        var answer = answer(given, wallet)
        for item in forgotten(by: answer, to: question, given) { answer.drop(item) }
        var types: [String] = []
        for news in answer.changes(from: given.state, forRequest: false) {
            types += given.when(.chainObserved(news)).types
        }
        #expect(types == ["transaction.dropped"])
        #expect(given.state.balance(wallet, "DASH").available == UInt256(10_200))
        #expect(given.history(of: wallet).map(\.kind) == [.received])
        #expect(given.state.historyDifference() == nil)
    }

    @Test func `a coin that a payment spent is not back when its own block is lost`() {
        var given = Given()
        let (wallet, txid) = paid(&given, change: false)
        func hear(_ answer: ChainSnapshot) -> [String] {
            answer.changes(from: given.state, forRequest: false)
                .flatMap { given.when(.chainObserved($0)).types }
        }
        var mined = answer(given, wallet)
        mined.spends = mined.outputs.map {
            .init(outpoint: $0.outpoint, spender: txid, height: 101, script: $0.script)
        }
        #expect(hear(mined) == ["transaction.confirmed"])
        // The chain begins anew from below the coin's block, which does not come back.
        var other = ChainSnapshot(chain: .dash, network: .sandbox)
        (other.height, other.tip) = (89, [2])
        #expect(hear(other) == ["transaction.reorganised", "transaction.reorganised"])
        (other.height, other.tip, other.since) = (95, [3], 90)
        #expect(hear(other) == [])
        #expect(given.state.balance(wallet, "DASH").available == .zero)
        #expect(given.state.balance(wallet, "DASH").confirmed == .zero)
        let asked = ChainQuery(.dash, .sandbox, in: given.state)
        #expect(forgotten(by: other, to: asked, given).map(\.txid) == [txid])
    }

    /// The transaction that spends the wallet's coin in a made-up block, signed by these keys.
    private func spent(
        _ given: Given, _ wallet: WalletID, by scripts: [Bytes?], listed: Bool
    ) -> ChainSnapshot {
        var lie = answer(given, wallet)
        lie.spends = lie.outputs.flatMap { output in
            scripts.enumerated().map { number, script in
                .init(
                    outpoint: output.outpoint, spender: [UInt8(number)], height: 101,
                    script: script)
            }
        }
        if !listed { (lie.outputs, lie.since) = ([], 95) }
        return lie
    }

    @Test(arguments: [true, false])
    func `a coin is spent only by a signature of its own key`(listed: Bool) {
        var given = Given()
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: 1_000_000)
        let before = given.state.balance(wallet, "DASH").available
        let stranger = Script.p2pkh(Bytes(repeating: 9, count: 20)).bytes
        for scripts in [[nil], [stranger], [nil, stranger]] as [[Bytes?]] {
            let lie = spent(given, wallet, by: scripts, listed: listed)
            #expect(lie.unprovenSpend(in: given.state) == lie.spends[0].outpoint)
            #expect(lie.outputChanges(from: given.state).changed.allSatisfy { $0.spentBy == nil })
            #expect(lie.outputChanges(from: given.state).removed.isEmpty)
        }
        let own = answer(given, wallet).outputs[0].script
        let truth = spent(given, wallet, by: [own], listed: listed)
        #expect(truth.unprovenSpend(in: given.state) == nil)
        for news in truth.changes(from: given.state, forRequest: false) {
            given.when(.chainObserved(news))
        }
        #expect(before != .zero && given.state.balance(wallet, "DASH").available == .zero)
    }

    @Test func `a spend of coins that are not ours is ignored`() {
        var given = Given()
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: 1_000_000)
        var answer = answer(given, wallet)
        answer.spends = [
            .init(
                outpoint: Outpoint(TransactionID(hashing: [1]), 0), spender: [1], height: 101,
                script: nil)
        ]
        #expect(answer.unprovenSpend(in: given.state) == nil)
    }

    @Test func `a prompt says which of a real node's facts were checked`() {
        var given = Given()
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: 1_000_000)
        given.readings["pay"] = Given.pay(10_000, .unspecified)
        given.receive("pay")
        #expect(given.prompt(wallet: wallet)["checked"] == nil)
        var seen = ChainObserved(chain: .dash, network: .sandbox)
        seen.identity = "genesis 00ff"
        given.when(.chainObserved(seen))
        let checked = given.prompt(wallet: wallet)["checked"]
        #expect(checked?.contains("genesis 00ff") == true)
    }
}
