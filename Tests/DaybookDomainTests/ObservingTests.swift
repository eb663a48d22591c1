import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Testing

@testable import DaybookDomain

/// What a node's answer adds to what is known, whether it tells all or only what came last.
struct ObservingTests {
    @Test(arguments: 0..<40)
    func `an answer that begins at the last tip says as much as one that has everything`(
        seed: UInt64
    ) {
        var model = ChainModel(seed: seed)
        var (all, last) = (Given(), Given())
        for key in 1...3 as ClosedRange<UInt8> {
            _ = all.add(.dash, key: key)
            _ = last.add(.dash, key: key)
        }
        model.scripts = ChainQuestion(.dash, .sandbox, in: all.state).watched.map(\.script)
        for _ in 0..<30 {
            model.step()
            let question = ChainQuestion(.dash, .sandbox, in: all.state)
            for news in model.answer(to: question, whole: true).news(
                in: all.state, to: question, forRequest: false)
            {
                all.when(.chainObserved(news))
            }
            let partial = ChainQuestion(.dash, .sandbox, in: last.state)
            for news in model.answer(to: partial, whole: false).news(
                in: last.state, to: partial, forRequest: false)
            {
                last.when(.chainObserved(news))
            }
            #expect(rows(all) == rows(last))
            #expect(balance(all) == model.balance)
        }
    }

    @Test func `an answer that was heard before is no news`() {
        var model = ChainModel(seed: 7)
        var given = Given()
        _ = given.add(.dash)
        model.scripts = ChainQuestion(.dash, .sandbox, in: given.state).watched.map(\.script)
        for _ in 0..<20 { model.step() }
        for whole in [true, false] {
            let question = ChainQuestion(.dash, .sandbox, in: given.state)
            let answer = model.answer(to: question, whole: whole)
            for news in answer.news(in: given.state, to: question, forRequest: false) {
                given.when(.chainObserved(news))
            }
            #expect(answer.news(in: given.state, to: question, forRequest: false).isEmpty)
        }
    }

    /// Dash, paid from the only coin and without change, in a block.
    private func paid(_ given: inout Given, change: Bool) -> (wallet: UInt64, txid: Bytes) {
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: change ? 1_000_000 : 10_200)
        given.readings["pay"] = Given.pay(10_000, .unspecified)
        given.receive("pay")
        given.approve(wallet: wallet)
        given.sign()
        given.when(
            .broadcastAnswered(BroadcastAnswered(answer: .accepted)), request: given.request)
        return (wallet, given.state.request(given.request)?.txid ?? [])
    }

    private func answer(_ given: Given, _ wallet: UInt64) -> ChainAnswer {
        var answer = ChainAnswer(chain: .dash, network: .sandbox)
        answer.height = 101
        answer.tip = [1]
        for key in [Key.outputs(wallet), Key.spentOutputs(wallet)] {
            for (_, row) in given.state.list(key, OutputRow.self) where row.output.height == 90 {
                var output = row.output
                output.spentBy = nil
                output.spentHeight = nil
                answer.outputs.append(output)
            }
        }
        return answer
    }

    @Test(arguments: [true, false])
    func `a payment that the network forgot is sent again, and keeps its coins`(change: Bool) {
        var given = Given()
        let (wallet, txid) = paid(&given, change: change)
        let before = given.state.balance(wallet, "DASH").available
        let question = ChainQuestion(.dash, .sandbox, in: given.state)
        var answer = answer(given, wallet)
        let signed = given.state.request(given.request)?.signed
        let missing = answer.missing(in: given.state, to: question)
        #expect(missing.map(\.txid) == [txid])
        #expect(missing.map(\.bytes) == [signed?.bytes])
        for item in missing { answer.hold(item, for: question) }
        #expect(answer.missing(in: given.state, to: question).isEmpty)
        for news in answer.news(in: given.state, to: question, forRequest: false) {
            given.when(.chainObserved(news))
        }
        #expect(given.state.coins(wallet).allSatisfy { $0.coin.confirmations == 0 })
        #expect(given.state.balance(wallet, "DASH").available >= before)
        #expect(given.state.balance(wallet, "DASH").confirmed == .zero)
    }

    @Test func `a payment without change that a reorganisation lost is sent again`() {
        var given = Given()
        let (wallet, txid) = paid(&given, change: false)
        let question = ChainQuestion(.dash, .sandbox, in: given.state)
        var mined = answer(given, wallet)
        mined.spends = mined.outputs.map {
            .init(outpoint: $0.outpoint, spender: txid, height: 101)
        }
        mined.transactions = [.init(txid: txid, height: 101, locked: false)]
        for news in mined.news(in: given.state, to: question, forRequest: false) {
            given.when(.chainObserved(news))
        }
        #expect(ChainQuestion(.dash, .sandbox, in: given.state).transactions.isEmpty)
        let next = ChainQuestion(.dash, .sandbox, in: given.state)
        var lost = answer(given, wallet)
        let missing = lost.missing(in: given.state, to: next)
        #expect(missing.map(\.txid) == [txid])
        for item in missing { lost.hold(item, for: next) }
        var types: [String] = []
        for news in lost.news(in: given.state, to: next, forRequest: false) {
            types += given.when(.chainObserved(news)).types
        }
        #expect(types == ["transaction.reorganised"])
        #expect(given.state.balance(wallet, "DASH").available == .zero)
    }

    @Test func `what the network will not take again frees its coins and is said to have failed`() {
        var given = Given()
        let (wallet, _) = paid(&given, change: false)
        let question = ChainQuestion(.dash, .sandbox, in: given.state)
        var answer = answer(given, wallet)
        for item in answer.missing(in: given.state, to: question) { answer.drop(item) }
        var types: [String] = []
        for news in answer.news(in: given.state, to: question, forRequest: false) {
            types += given.when(.chainObserved(news)).types
        }
        #expect(types == ["transaction.dropped"])
        #expect(given.state.balance(wallet, "DASH").available == UInt256(10_200))
        let kinds = given.state.list(Key.history(wallet), HistoryRow.self).map(\.row.kind)
        #expect(kinds.last == .failed)
    }

    @Test func `a prompt says what of a real node's word was checked`() {
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

    private func rows(_ given: Given) -> [Bytes] {
        ["outputs/", "spent/", "balances/", "immature/"].flatMap { table in
            given.state.rows.scan(prefix: Bytes(table.utf8), after: nil, limit: .max)
                .flatMap { [$0.key, $0.value] }
        }
    }

    private func balance(_ given: Given) -> UInt64 {
        given.state.wallets(of: .dash).reduce(0) { sum, wallet in
            let row = given.state.balance(wallet.id, "DASH")
            return sum + (UInt64(row.confirmed.decimal) ?? 0)
                + (UInt64(row.unconfirmed.decimal) ?? 0)
        }
    }
}

/// A chain in a few lines: transactions in blocks or the mempool, and blocks that come and go.
private struct ChainModel {
    struct Transaction {
        let txid: TransactionID
        let inputs: [Outpoint]
        let outputs: [(script: Bytes, amount: UInt64)]
        var height: UInt64?
    }

    var scripts: [Bytes] = []
    private var transactions: [Transaction] = []
    private var hashes: [Bytes] = [[0]]
    private var random: UInt64
    private var made: UInt8 = 0

    init(seed: UInt64) { random = seed &* 2_654_435_761 &+ 1 }

    private mutating func next(_ bound: Int) -> Int {
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((random >> 33) % UInt64(bound))
    }

    mutating func step() {
        switch next(10) {
        case 0...2: pay([])
        case 3...5:
            if let coin = unspent.randomElement(&random) { pay([coin]) }
        case 6, 7: mine()
        case 8: reorganise()
        default: forget()
        }
    }

    private mutating func pay(_ inputs: [Outpoint]) {
        made += 1
        let outputs = (0...next(2)).map { _ in
            (scripts[next(scripts.count)], UInt64(next(9) + 1))
        }
        transactions.append(
            Transaction(
                txid: TransactionID(Bytes(repeating: made, count: 32))!, inputs: inputs,
                outputs: outputs, height: nil))
    }

    private mutating func mine() {
        hashes.append([UInt8(hashes.count), UInt8(next(256))])
        for index in transactions.indices where transactions[index].height == nil {
            transactions[index].height = UInt64(hashes.count - 1)
        }
    }

    /// Takes one or two blocks back; their transactions wait again, and a new block may come.
    private mutating func reorganise() {
        let depth = min(next(2) + 1, hashes.count - 1)
        hashes.removeLast(depth)
        for index in transactions.indices {
            guard let height = transactions[index].height, height >= hashes.count else { continue }
            transactions[index].height = nil
        }
        if next(2) == 0 { hashes.append([UInt8(hashes.count), UInt8(next(256))]) }
    }

    /// The mempool loses its youngest transaction.
    private mutating func forget() {
        if let last = transactions.last, last.height == nil { transactions.removeLast() }
    }

    private var spends: [ChainAnswer.Spend] {
        transactions.flatMap { transaction in
            transaction.inputs.map {
                ChainAnswer.Spend(
                    outpoint: $0, spender: Bytes(transaction.txid.bytes.reversed()),
                    height: transaction.height)
            }
        }
    }

    private var outputs: [ChainObserved.Output] {
        transactions.flatMap { transaction in
            transaction.outputs.enumerated().map { index, output in
                ChainObserved.Output(
                    outpoint: Outpoint(transaction.txid, UInt32(index)), script: output.script,
                    amount: output.amount, height: transaction.height, coinbase: false)
            }
        }
    }

    private var unspent: [Outpoint] {
        let spent = Set(spends.map(\.outpoint))
        return outputs.map(\.outpoint).filter { !spent.contains($0) }
    }

    var balance: UInt64 {
        let spent = Set(spends.map(\.outpoint))
        return outputs.filter { !spent.contains($0.outpoint) }.reduce(0) { $0 + $1.amount }
    }

    func answer(to question: ChainQuestion, whole: Bool) -> ChainAnswer {
        var answer = ChainAnswer(chain: .dash, network: .sandbox)
        answer.height = UInt64(hashes.count - 1)
        answer.tip = hashes[hashes.count - 1]
        var since: UInt64 = 0
        if !whole, let tip = question.tip, tip.height < hashes.count,
            hashes[Int(tip.height)] == tip.hash
        {
            since = tip.height + 1
        }
        answer.since = since
        let isUsed = Dictionary(
            question.watched.map { ($0.script, $0.isUsed) }, uniquingKeysWith: { $0 || $1 })
        let heard = Set(
            transactions.filter { transaction in
                guard let height = transaction.height, height < since else { return true }
                return transaction.outputs.contains { isUsed[$0.script] == false }
            }.map(\.txid))
        answer.outputs = outputs.filter { heard.contains($0.outpoint.txid) }
        answer.spends = spends.filter {
            TransactionID(Bytes($0.spender.reversed())).map(heard.contains) == true
        }
        return answer
    }
}

extension Array {
    fileprivate func randomElement(_ random: inout UInt64) -> Element? {
        guard !isEmpty else { return nil }
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return self[Int((random >> 33) % UInt64(count))]
    }
}
