import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookNodes
import DaybookSystem

/// Checks of the parts of a chain's answers that a client understands, and must not believe.
extension UTXOChecks {
    static func understanding<Driver: UTXODriver>() -> [Check<Driver>] {
        reading() + settingAside() + paying() + following()
    }

    private static func reading<Driver: UTXODriver>() -> [Check<Driver>] {
        [
            Check("nothing of the chain's own answers is set aside") { driver in
                let (payer, coin) = try await funded(driver)
                let spending = try payer.send(coin, to: payer.script)
                try await driver.send(spending.serialized())
                let answer = try await driver.look([payer.address], [spending.txid])
                try expect("what is set aside", answer.setAside, is: [])
            },
            Check("a miner's transaction with a payload is understood") { driver in
                let payer = try NewPayer(driver.parameters)
                try await driver.mine(2, to: payer.address)
                let answer = try await driver.look([payer.address])
                try expect("the miner's coins", answer.standing.map(\.coinbase), is: [true, true])
                try expect("what is set aside", answer.setAside, is: [])
            },
            Check("a payment beside an output of data is found, the data is nobody's") { driver in
                let payer = try NewPayer(driver.parameters)
                // OP_RETURN and four bytes.
                let data: Bytes = [0x6a, 4, 1, 2, 3, 4]
                let coin = try await payer.funded(1_000_000, by: driver)
                try await driver.mine()
                let odd = try payer.spend(
                    [coin],
                    on: [
                        .init(amount: 0, script: data), .init(amount: 9000, script: payer.script),
                        .init(amount: 990_000, script: payer.script),
                    ])
                try await driver.send(odd.serialized())
                let free = try await driver.look([payer.address]).free
                try expect("what it has", free.map(\.amount).sorted(), is: [9000, 990_000])
            },
            Check("the fee rate is estimated, or is the least that the node takes") { driver in
                let answer = try await driver.look([])
                let rate = try require(answer.feeRate, "there is no fee rate")
                try expect(
                    answer.isFeeEstimated || rate >= UTXOFees.leastRate,
                    "the fee rate is \(rate) and nobody has estimated it")
            },
        ]
    }

    private static func settingAside<Driver: UTXODriver>() -> [Check<Driver>] {
        [
            Check("a transaction that was set aside counts once it is understood") { driver in
                try requireRealChain(driver)
                let payer = try NewPayer(driver.parameters)
                let txid = try await driver.pay([.init(amount: 1_234_567, script: payer.script)])
                try await driver.mine()
                let height = try await driver.tip().height
                try await driver.mine(101)
                let tip = try await driver.tip()
                // It is older than the blocks that a scan asks for again.
                var question = ChainQuery()
                question.watched = [
                    .init(address: payer.address.text, script: payer.script, isUsed: true)
                ]
                question.tip = tip
                let without = try await driver.client.observe(question, progress: nil)
                try expect("what a later scan lists", without.outputs, is: [])
                question.setAside = [
                    SetAside(.transaction, txid: txid.displayed, because: "of this check")
                ]
                let answer = try await driver.client.observe(question, progress: nil)
                try expect("what is set aside", answer.setAside, is: [])
                try expect(
                    "what it has", answer.standing,
                    is: outputs([1_234_567], txid, payer, height: height))
            },
            Check("a part set aside that nobody has is forgotten") { driver in
                try requireRealChain(driver)
                let (payer, coin) = try await funded(driver)
                var question = ChainQuery()
                question.watched = [
                    .init(address: payer.address.text, script: payer.script, isUsed: false)
                ]
                question.setAside = [
                    SetAside(.transaction, txid: try Entropy.bytes(32), because: "of this check")
                ]
                let answer = try await driver.client.observe(question, progress: nil)
                try expect("what is set aside", answer.setAside, is: [])
                try expect("what it has", answer.free.map(\.outpoint), is: [coin.outpoint])
            },
        ]
    }

    private static func requireRealChain(_ driver: some UTXODriver) throws {
        guard driver.parameters.network != .sandbox else {
            throw NotPossible("the sandbox is no real chain")
        }
    }

    // MARK: - Fees

    private static func paying<Driver: UTXODriver>() -> [Check<Driver>] {
        [
            Check("a fee of the least rate is taken") { driver in
                let (payer, coin) = try await funded(driver)
                let transaction = try payer.send(coin, to: payer.script, fee: 192)
                try expect("the answer", await driver.broadcast(transaction), is: .accepted)
            },
            Check("a fee of the highest rate that is paid is taken") { driver in
                let (payer, coin) = try await funded(driver)
                let rate = UTXOFees.highestRate
                let fee = UTXOFees.fee(ofBytes: 191, at: rate)
                let transaction = try payer.send(coin, to: payer.script, fee: fee)
                try expect("the answer", await driver.broadcast(transaction), is: .accepted)
            },
            Check("a fee of which a mistake must be the cause is not taken, and named") { driver in
                let payer = try NewPayer(driver.parameters)
                let coin = try await payer.funded(50_000_000, by: driver)
                try await driver.mine()
                let transaction = try payer.send(coin, to: payer.script, fee: 40_000_000)
                let answer = await driver.broadcast(transaction)
                try expect("the answer", answer.answer, is: .refused)
                try expect("its reason", NodeReason(answer), is: .feeTooHigh)
                let sane = try payer.send(coin, to: payer.script)
                try expect("the answer to less", await driver.broadcast(sane), is: .accepted)
            },
        ]
    }

    // MARK: - Chains of payments

    private static func following<Driver: UTXODriver>() -> [Check<Driver>] {
        [
            Check("as many unconfirmed payments as are allowed follow one another") { driver in
                let payer = try NewPayer(driver.parameters)
                var coin = try await payer.funded(1_000_000, by: driver)
                try await driver.mine()
                for number in 1...RelayPolicy.ancestorLimit {
                    let next = try payer.send(coin, to: payer.script)
                    try expect(
                        "the answer to payment \(number)", await driver.broadcast(next),
                        is: .accepted)
                    coin = NewPayer.Funds(
                        outpoint: Outpoint(next.txid, 0), amount: coin.amount - 1000)
                }
                try await driver.mine()
            },
            Check("many small coins pay together where one large one stays") { driver in
                let payer = try NewPayer(driver.parameters)
                let small = Array(
                    repeating: UTXOTransaction.Output(amount: 30_000, script: payer.script),
                    count: 40)
                let txid = try await driver.pay(
                    small + [.init(amount: 100_000_000, script: payer.script)])
                try await driver.mine()
                let coins = (0..<40).map {
                    NewPayer.Funds(outpoint: Outpoint(txid, UInt32($0)), amount: 30_000)
                }
                let receiver = try NewPayer(driver.parameters)
                let payment = try payer.spend(
                    coins, on: [.init(amount: 1_190_000, script: receiver.script)])
                try expect("the answer", await driver.broadcast(payment), is: .accepted)
                let free = try await driver.look([payer.address]).free
                try expect("what stays", free.map(\.amount), is: [100_000_000])
            },
        ]
    }
}
