import DaybookChains
import DaybookDomain
import DaybookNodes

/// The checks that every client of a Dash or Axe chain must pass.
package enum UTXOChecks {
    /// All of them; each uses keys that nobody had before, and any state of the chain.
    package static func all<Driver: UTXODriver>(_: Driver.Type) -> [Check<Driver>] {
        let parts: [[Check<Driver>]] = [
            looking(), telling(), receiving(), spending(), sending(), refusing(), minding(),
            reasoning(), understanding(), batching(), reorganising(),
        ]
        return parts.flatMap(\.self)
    }

    /// A new payer with a confirmed coin of a million duffs.
    static func funded<Driver: UTXODriver>(_ driver: Driver) async throws
        -> (payer: NewPayer, coin: NewPayer.Funds)
    {
        let payer = try NewPayer(driver.parameters)
        let coin = try await payer.funded(1_000_000, by: driver)
        try await driver.mine()
        return (payer, coin)
    }
}

extension UTXOChecks {
    static func reorganising<Driver: UTXODriver>() -> [Check<Driver>] {
        [
            Check("a block that was seen is known again until it is lost") { driver in
                try await driver.mine()
                let answer = try await driver.look([])
                var question = ChainQuery()
                question.tip = .init(height: answer.height, hash: answer.tip)
                try await driver.mine()
                let after = try await driver.client.observe(question, progress: nil)
                try expect("what is told", after.since, is: answer.height + 1)
                try await driver.takeBack(2)
                try await driver.mine(3)
                let later = try await driver.client.observe(question, progress: nil)
                try expect("what is told once it is lost", later.since, is: 0)
            },
            Check("a lost block's transactions wait again, and are confirmed again") { driver in
                let payer = try NewPayer(driver.parameters)
                let txid = try await driver.pay([.init(amount: 1_234_567, script: payer.script)])
                try await driver.mine()
                let before = try await driver.tip()
                try await driver.takeBack(1)
                let between = try await driver.look([payer.address], [txid])
                try expect(between.tip != before.hash, "the tip is still that of the lost block")
                try expect("what it has", between.standing,
                    is: outputs([1_234_567], txid, payer, height: nil))
                let status = try require(between.status(txid), "the transaction is absent")
                try expect("its height", status.height, is: nil)
                try await driver.mine(2)
                let after = try await driver.look([payer.address], [txid])
                let height = try require(after.status(txid)?.height, "it is in no block again")
                try expect("what it has", after.standing,
                    is: outputs([1_234_567], txid, payer, height: height))
            },
            Check("a coin whose spending was lost with its block is still spent") { driver in
                let (payer, coin) = try await funded(driver)
                let spending = try payer.send(coin, to: payer.script)
                try await driver.send(spending.serialized())
                try await driver.mine()
                try await driver.takeBack(2)
                let answer = try await driver.look([payer.address])
                try expect("what is free", answer.free.map(\.outpoint.txid), is: [spending.txid])
                try await driver.mine(3)
            },
        ]
    }
}
