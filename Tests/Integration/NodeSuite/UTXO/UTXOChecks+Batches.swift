import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookNodes

/// Several transactions that are sent together.
extension UTXOChecks {
    static func batching<Driver: UTXODriver>() -> [Check<Driver>] {
        [
            Check("payments that depend on each other are sent together, in order") { driver in
                let row = try await row(driver)
                try expect("the answers", await driver.broadcast(row), is: accepted(row.count))
                try await driver.mine()
                try await expectInBlock(row, driver)
            },
            Check("one that is refused among several leaves the others") { driver in
                let payer = try NewPayer(driver.parameters)
                var all: [UTXOTransaction] = []
                for _ in 0..<3 {
                    let coin = try await payer.funded(1_000_000, by: driver)
                    all.append(try payer.send(coin, to: payer.script))
                }
                try await driver.mine()
                // Its signature is over another amount.
                all[1].outputs[0].amount -= 1
                let answers = await driver.broadcast(all).map(\.answer)
                try expect("the answers", answers, is: [.accepted, .refused, .accepted])
            },
            Check("a payment whose coins were not taken is not refused for good") { driver in
                let (payer, coin) = try await funded(driver)
                let parent = try payer.send(coin, to: payer.script, fee: 1)
                let made = NewPayer.Funds(outpoint: Outpoint(parent.txid, 0), amount: 999_999)
                let child = try payer.send(made, to: payer.script)
                let answers = await driver.broadcast([parent, child])
                try expect("the number of answers", answers.count, is: 2)
                try expectOpen(answers[0], [.feeBelowRelay, .feeTooLow])
                try expectOpen(answers[1], [.coinsUnknown])
            },
            Check("nothing to send and nothing to fetch have no answers") { driver in
                try expect("the answers", await driver.broadcast([]), is: [])
                try expect(
                    "the transactions", try await driver.client.transactions([]), is: [])
            },
            Check("transactions that a reorganisation dropped are sent again in order") { driver in
                let payer = try NewPayer(driver.parameters)
                try await driver.mine(1, to: payer.address)
                try await driver.mine(RelayPolicy.coinbaseMaturity - 1)
                let free = try await driver.look([payer.address]).free
                let coin = try require(free.first, "the miner's coin is absent")
                guard coin.amount > 10_000 else { throw NotPossible("a block pays too little") }
                let row = try row(
                    of: NewPayer.Funds(outpoint: coin.outpoint, amount: coin.amount), payer)
                try expect("the answers", await driver.broadcast(row), is: accepted(row.count))
                try await driver.mine()
                // The coin is too young then, and nodes forget all that hangs on it.
                try await driver.takeBack(3)
                try await driver.mine(3)
                try expect("the answers", await driver.broadcast(row), is: accepted(row.count))
                try await driver.mine()
                try await expectInBlock(row, driver)
            },
        ]
    }

    /// Checks for nodes that cost an embedded chain too much time.
    package static func ofNodes() -> [Check<NodeUTXODriver>] {
        [
            Check("more payments than a request holds are all sent") { driver in
                let payers = try (0..<260).map { _ in try NewPayer(driver.parameters) }
                let txid = try await driver.pay(
                    payers.map { .init(amount: 10_000, script: $0.script) })
                try await driver.mine()
                let all = try payers.enumerated().map { index, payer in
                    let coin = NewPayer.Funds(
                        outpoint: Outpoint(txid, UInt32(index)), amount: 10_000)
                    return try payer.send(coin, to: payer.script)
                }
                try expect("the answers", await driver.broadcast(all), is: accepted(all.count))
                let fetched = try await driver.client.transactions(all.map(\.txid.displayed))
                try expect("what is fetched", fetched, is: all.map { $0.serialized() })
                try await driver.mine()
            },
            Check("another chain of the same name is told by its block 1") { driver in
                try await driver.mine()
                let identity = try require(
                    try await driver.look([]).identity, "there is no identity")
                var question = ChainQuery()
                question.identity = identity
                let again = try await driver.client.observe(question, progress: nil)
                try expect("the identity", again.identity, is: identity)
                question.identity = ChainIdentityText.ofAnother(identity)
                try await expectWrongChain(question, driver.client)
            },
        ]
    }

    /// Three payments, each of what the one before it made.
    private static func row(_ driver: some UTXODriver) async throws -> [UTXOTransaction] {
        let payer = try NewPayer(driver.parameters)
        let coin = try await payer.funded(1_000_000, by: driver)
        try await driver.mine()
        return try row(of: coin, payer)
    }

    private static func row(
        of coin: NewPayer.Funds, _ payer: NewPayer
    ) throws -> [UTXOTransaction] {
        var (coin, row) = (coin, [UTXOTransaction]())
        for _ in 0..<3 {
            let next = try payer.send(coin, to: payer.script)
            row.append(next)
            coin = NewPayer.Funds(outpoint: Outpoint(next.txid, 0), amount: coin.amount - 1000)
        }
        return row
    }

    private static func accepted(_ count: Int) -> [BroadcastAnswered] {
        Array(repeating: .accepted, count: count)
    }

    private static func expectInBlock(
        _ transactions: [UTXOTransaction], _ driver: some UTXODriver
    ) async throws {
        let answer = try await driver.look([], transactions.map(\.txid))
        for transaction in transactions {
            _ = try require(
                answer.status(transaction.txid)?.height, "\(transaction.txid.hex) is in no block")
        }
    }
}

/// How a chain that was seen before is spoken of.
enum ChainIdentityText {
    /// The identity of a chain of the same name whose block 1 is another one.
    static func ofAnother(_ identity: String) -> String {
        let last = identity.last == "0" ? "1" : "0"
        return identity.dropLast() + last
    }
}

/// The node must say that its chain is not the one that was seen before.
func expectWrongChain(_ question: ChainQuery, _ client: any ChainClient) async throws {
    do throws(ChainFailure) {
        _ = try await client.observe(question, progress: nil)
    } catch {
        return try expect("the reason", error.reason, is: .wrongChain)
    }
    throw Broken(description: "it is taken for the same chain")
}
