import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookNodes

extension UTXOChecks {
    static func sending<Driver: UTXODriver>() -> [Check<Driver>] {
        [
            Check("a good transaction is accepted, and again while it waits") { driver in
                let (payer, transaction) = try await ready(driver)
                try expect(
                    "the answer", await driver.broadcast(transaction), is: .accepted)
                try expect(
                    "the second answer", await driver.broadcast(transaction), is: .accepted)
                let answer = try await driver.look([payer.address], [transaction.txid])
                try expect("what is free", answer.free.map(\.amount), is: [999_000])
            },
            Check("a transaction of a block is accepted again") { driver in
                let (_, transaction) = try await ready(driver)
                try await driver.send(transaction.serialized())
                try await driver.mine()
                try expect(
                    "the answer", await driver.broadcast(transaction), is: .accepted)
            },
            Check("a transaction of a block is accepted again, all of it spent") { driver in
                let (payer, transaction) = try await ready(driver)
                try await driver.send(transaction.serialized())
                try await driver.mine()
                let coin = NewPayer.Funds(outpoint: Outpoint(transaction.txid, 0), amount: 999_000)
                try await driver.send(try payer.send(coin, to: payer.script).serialized())
                try await driver.mine()
                try expect(
                    "the answer", await driver.broadcast(transaction), is: .accepted)
            },
            Check("a payment can spend what an unconfirmed one brought") { driver in
                let payer = try NewPayer(driver.parameters)
                let coin = try await payer.funded(1_000_000, by: driver)
                let transaction = try payer.send(coin, to: payer.script)
                try expect(
                    "the answer", await driver.broadcast(transaction), is: .accepted)
            },
        ]
    }

    static func refusing<Driver: UTXODriver>() -> [Check<Driver>] {
        [
            Check("a rival of a waiting transaction is not taken") { driver in
                let (payer, coin) = try await funded(driver)
                let first = try payer.send(coin, to: payer.script)
                try await driver.send(first.serialized())
                let rival = try payer.send(coin, to: payer.script, fee: 9000)
                let sent = await driver.broadcast(rival)
                try expect(sent.answer != .accepted, "the rival is taken")
                let answer = try await driver.look([payer.address], [first.txid])
                // An unlocked payment can be dropped, and then its conflict is accepted after all.
                if answer.status(first.txid)?.locked != true {
                    try expect("the answer", sent.answer, is: .unknown)
                }
                try expect("what is free", answer.free.map(\.outpoint.txid), is: [first.txid])
            },
            Check("a coin that a block has spent is spent for good") { driver in
                let payer = try NewPayer(driver.parameters)
                let coin = try await payer.funded(1_000_000, by: driver)
                try await driver.send(try payer.send(coin, to: payer.script).serialized())
                try await driver.mine()
                try await expectRefused(try payer.send(coin, to: payer.script, fee: 9000), driver)
            },
            Check("a wrong signature is refused") { driver in
                var (_, transaction) = try await ready(driver)
                transaction.outputs[0].amount -= 1
                try await expectRefused(transaction, driver)
            },
            Check("more than there is can't be spent") { driver in
                let payer = try NewPayer(driver.parameters)
                let coin = try await payer.funded(1_000_000, by: driver)
                let transaction = try payer.spend(
                    [coin], on: [.init(amount: 1_000_001, script: payer.script)])
                try await expectRefused(transaction, driver)
            },
        ]
    }

    static func minding<Driver: UTXODriver>() -> [Check<Driver>] {
        [
            Check("dust is refused where the node minds it") { driver in
                guard driver.isStandardOnly else {
                    throw NotPossible("this chain takes what is not standard")
                }
                let payer = try NewPayer(driver.parameters)
                let coin = try await payer.funded(10_000, by: driver)
                let transaction = try payer.spend(
                    [coin],
                    on: [
                        .init(amount: RelayPolicy.p2pkhDust - 1, script: payer.script),
                        .init(amount: 8_000, script: payer.script),
                    ])
                try await expectRefused(transaction, driver)
            },
            Check("a fee too low is not accepted") { driver in
                let payer = try NewPayer(driver.parameters)
                let coin = try await payer.funded(1_000_000, by: driver)
                let transaction = try payer.send(coin, to: payer.script, fee: 1)
                let answer = await driver.broadcast(transaction)
                try expect(answer.answer != .accepted, "it is accepted")
            },
            Check("bytes that are no transaction are refused") { driver in
                let (_, transaction) = try await ready(driver)
                let answer = await driver.client.broadcast(
                    Bytes(transaction.serialized().dropLast()),
                    txid: transaction.txid.displayed)
                try expect("the answer", answer.answer, is: .refused)
            },
        ]
    }

    /// Somebody with a coin in a block, and a transaction that spends it, not sent yet.
    private static func ready(
        _ driver: some UTXODriver
    ) async throws -> (NewPayer, UTXOTransaction) {
        let payer = try NewPayer(driver.parameters)
        let coin = try await payer.funded(1_000_000, by: driver)
        try await driver.mine()
        return (payer, try payer.send(coin, to: payer.script))
    }

    private static func expectRefused(
        _ transaction: UTXOTransaction, _ driver: some UTXODriver
    ) async throws {
        let answer = await driver.broadcast(transaction)
        try expect("the answer", answer.answer, is: .refused)
        try expect(answer.message?.isEmpty == false, "the refusal has no reason")
        let status = try await driver.look([], [transaction.txid]).status(transaction.txid)
        try expect(status == nil, "the refused transaction is there")
    }
}
