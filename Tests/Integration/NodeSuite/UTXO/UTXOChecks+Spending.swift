import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookNodes
import DaybookSystem

extension UTXOChecks {
    static func spending<Driver: UTXODriver>() -> [Check<Driver>] {
        [
            Check("a coin that is spent in the mempool is not offered, its change is") { driver in
                let (payer, coin, spending) = try await spent(driver, afterBlock: true)
                let answer = try await driver.look([payer.address])
                let known = answer.standing.first { $0.outpoint == coin.outpoint }
                try expect("what spends it", known?.spentBy, is: spending.txid.displayed)
                try expect("the spender's height", known?.spentHeight, is: nil)
                try expect("what is free", answer.free, is: [change(spending, payer, nil)])
            },
            Check("a coin that came and went in the mempool is offered no more") { driver in
                let (payer, _, spending) = try await spent(driver, afterBlock: false)
                let answer = try await driver.look([payer.address])
                try expect("what is free", answer.free, is: [change(spending, payer, nil)])
            },
            Check("a block confirms what was spent, and the change") { driver in
                let (payer, coin, spending) = try await spent(driver, afterBlock: true)
                try await driver.mine()
                let height = try await driver.tip().height
                let answer = try await driver.look([payer.address], [spending.txid])
                try expect("what is free", answer.free, is: [change(spending, payer, height)])
                try expect("its height", answer.status(spending.txid)?.height, is: height)
                if let known = answer.standing.first(where: { $0.outpoint == coin.outpoint }) {
                    try expect("what spends it", known.spentBy, is: spending.txid.displayed)
                    try expect("the spender's height", known.spentHeight, is: height)
                }
            },
            Check("transactions come whole and in order, in blocks and waiting") { driver in
                let (_, coin, spending) = try await spent(driver, afterBlock: true)
                let ids = [spending.txid, coin.outpoint.txid, spending.txid]
                let all = try await driver.client.transactions(ids.map(\.displayed))
                try expect("the ids", all.map { TransactionID(hashing: $0) }, is: ids)
                try expect("the first", all.first, is: spending.serialized())
                try expect("of none", try await driver.client.transactions([]), is: [])
            },
            Check("a transaction that nobody made can't be had") { driver in
                let (_, _, spending) = try await spent(driver, afterBlock: false)
                let missing = TransactionID(hashing: try Entropy.bytes(32)).displayed
                do throws(ChainFailure) {
                    _ = try await driver.client.transactions([spending.txid.displayed, missing])
                } catch {
                    try expect("the reason", error.reason, is: .missingTransaction)
                    return try expect(
                        error.message.hasSuffix(Hex.encode(missing)), "it is not named")
                }
                throw Broken(description: "it can")
            },
            Check("the answers from block to block add up to the whole") { driver in
                try await follow(driver)
            },
        ]
    }

    /// Somebody who pays a stranger from a coin, and gets change back.
    private static func spent(
        _ driver: some UTXODriver, afterBlock: Bool
    ) async throws -> (NewPayer, NewPayer.Funds, UTXOTransaction) {
        let payer = try NewPayer(driver.parameters)
        let stranger = try NewPayer(driver.parameters)
        let coin = try await payer.funded(1_000_000, by: driver)
        if afterBlock { try await driver.mine() }
        let spending = try payer.spend(
            [coin],
            on: [
                .init(amount: 400_000, script: stranger.script),
                .init(amount: 599_000, script: payer.script),
            ])
        try await driver.send(spending.serialized())
        return (payer, coin, spending)
    }

    private static func change(
        _ spending: UTXOTransaction, _ payer: NewPayer, _ height: UInt64?
    ) -> ChainObserved.Output {
        ChainObserved.Output(
            outpoint: Outpoint(spending.txid, 1), script: payer.script, amount: 599_000,
            height: height, coinbase: false)
    }

    /// A book that asks only for what is new must have what one that asks for all has.
    private static func follow(_ driver: some UTXODriver) async throws {
        let payer = try NewPayer(driver.parameters)
        var book = KeptWallet(payer, driver.parameters)
        let first = try await payer.funded(1_000_000, by: driver)
        try await book.follow(driver, free: [1_000_000])
        try await driver.mine()
        let second = try await payer.funded(2_000_000, by: driver)
        try await book.follow(driver, free: [1_000_000, 2_000_000])
        try await driver.mine(3)
        try await book.follow(driver, free: [1_000_000, 2_000_000])
        let spending = try payer.send(first, to: payer.script)
        try await driver.send(spending.serialized())
        try await book.follow(driver, free: [999_000, 2_000_000])
        try await driver.mine(2)
        try await book.follow(driver, free: [999_000, 2_000_000])
        try await driver.takeBack(1)
        try await book.follow(driver, free: [999_000, 2_000_000])
        try await driver.mine(3)
        try await driver.send(try payer.send(second, to: payer.script).serialized())
        try await driver.mine(12)
        try await book.follow(driver, free: [999_000, 1_999_000])
        let third = NewPayer.Funds(outpoint: Outpoint(spending.txid, 0), amount: 999_000)
        try await driver.send(try payer.send(third, to: payer.script).serialized())
        try await driver.mine()
        try await book.follow(driver, free: [998_000, 1_999_000])
        try await driver.takeBack(2)
        try await book.follow(driver, free: [998_000, 1_999_000])
        try await driver.mine(3)
        try await book.follow(driver, free: [998_000, 1_999_000])
    }
}
