import DaybookChains
import DaybookDomain
import DaybookEncoding

extension UTXOChecks {
    static func receiving<Driver: UTXODriver>() -> [Check<Driver>] {
        [
            Check("a receipt is seen at once, to the duff") { driver in
                let payer = try NewPayer(driver.parameters)
                let txid = try await driver.pay([
                    .init(amount: 1_234_567, script: payer.script),
                    .init(amount: 7_654_321, script: payer.script),
                ])
                let answer = try await driver.look([payer.address], [txid])
                try expect(
                    "what it has", answer.standing,
                    is: outputs([1_234_567, 7_654_321], txid, payer, height: nil))
                let status = try require(answer.status(txid), "the transaction is absent")
                try expect("its height", status.height, is: nil)
                try expect("whether it failed", status.failure, is: nil)
            },
            Check("a block confirms what was received") { driver in
                let payer = try NewPayer(driver.parameters)
                let txid = try await driver.pay([.init(amount: 1_234_567, script: payer.script)])
                try await driver.mine()
                let tip = try await driver.tip()
                try await driver.mine()
                let answer = try await driver.look([payer.address], [txid])
                try expect(
                    "what it has", answer.standing,
                    is: outputs([1_234_567], txid, payer, height: tip.height))
                try expect("its height", answer.status(txid)?.height, is: tip.height)
            },
            Check("a miner's coin can be spent a hundred blocks later") { driver in
                let payer = try NewPayer(driver.parameters)
                try await driver.mine(1, to: payer.address)
                let height = try await driver.tip().height
                try await driver.mine(RelayPolicy.coinbaseMaturity - 2)
                let free = try await driver.look([payer.address]).free
                let coin = try require(free.first, "the coin is absent")
                try expect("whether it is a miner's", coin.coinbase, is: true)
                try expect("its height", coin.height, is: height)
                let funds = NewPayer.Funds(outpoint: coin.outpoint, amount: coin.amount)
                let spending = try payer.send(funds, to: payer.script)
                let early = await driver.broadcast(spending)
                try expect(early.answer != .accepted, "it is accepted a block too early")
                try await driver.mine()
                let answer = await driver.broadcast(spending)
                try expect("the answer a block later", answer, is: .accepted)
            },
            Check("InstantSend is on where it locks, and what is locked says so") { driver in
                let payer = try NewPayer(driver.parameters)
                let txid = try await driver.pay([.init(amount: 1_234_567, script: payer.script)])
                let answer = try await driver.look([payer.address], [txid])
                let isOn = try require(answer.instantSend, "it is not said whether it is on")
                if isOn, driver.locks == nil {
                    throw NotPossible("it is on, and only its network knows when it locks")
                }
                try expect("whether it is on", isOn, is: driver.locks ?? false)
                try expect("whether it is locked", answer.status(txid)?.locked, is: isOn)
            },
        ]
    }

    static func outputs(
        _ amounts: [UInt64], _ txid: TransactionID, _ payer: NewPayer, height: UInt64?
    ) -> [ChainObserved.Output] {
        amounts.enumerated().map { index, amount in
            ChainObserved.Output(
                outpoint: Outpoint(txid, UInt32(index)), script: payer.script, amount: amount,
                height: height, coinbase: false)
        }
    }
}
