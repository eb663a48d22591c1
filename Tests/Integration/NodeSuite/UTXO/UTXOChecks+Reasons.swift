import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookSystem

/// Checks of a client's names for the reasons why a transaction is not taken yet.
extension UTXOChecks {
    static func reasoning<Driver: UTXODriver>() -> [Check<Driver>] {
        lacking() + waiting()
    }

    private static func lacking<Driver: UTXODriver>() -> [Check<Driver>] {
        [
            Check("a row of unconfirmed payments that is too long is named") { driver in
                let payer = try NewPayer(driver.parameters)
                var coin = try await payer.funded(1_000_000, by: driver)
                try await driver.mine()
                for _ in 0..<RelayPolicy.ancestorLimit {
                    let next = try payer.send(coin, to: payer.script)
                    try await driver.send(next.serialized())
                    coin = NewPayer.Funds(
                        outpoint: Outpoint(next.txid, 0), amount: coin.amount - 1000)
                }
                let last = try payer.send(coin, to: payer.script)
                try expectOpen(await driver.broadcast(last), [.tooManyUnconfirmed])
                try await driver.mine()
                try expect(
                    "the answer after a block", await driver.broadcast(last), is: .accepted)
            },
            Check("a fee below what nodes relay is named") { driver in
                let (payer, coin) = try await funded(driver)
                let transaction = try payer.send(coin, to: payer.script, fee: 1)
                // A full mempool asks for more than the relay fee, and looks at that first.
                try expectOpen(
                    await driver.broadcast(transaction), [.feeBelowRelay, .feeTooLow])
            },
            Check("coins that the node has never heard of are named") { driver in
                let payer = try NewPayer(driver.parameters)
                let nowhere = TransactionID(hashing: try Entropy.bytes(32))
                let coin = NewPayer.Funds(outpoint: Outpoint(nowhere, 0), amount: 1_000_000)
                let transaction = try payer.send(coin, to: payer.script)
                try expectOpen(await driver.broadcast(transaction), [.coinsUnknown])
            },
        ]
    }

    private static func waiting<Driver: UTXODriver>() -> [Check<Driver>] {
        [
            Check("a conflict in the mempool is named, and one with a block") { driver in
                let (payer, coin) = try await funded(driver)
                let first = try payer.send(coin, to: payer.script)
                try await driver.send(first.serialized())
                let rival = try payer.send(coin, to: payer.script, fee: 9000)
                let look = try await driver.look([payer.address], [first.txid])
                if look.status(first.txid)?.locked != true {
                    try expectOpen(await driver.broadcast(rival), [.mempoolConflict])
                }
                try await driver.mine()
                let answer = await driver.broadcast(rival)
                try expect("the answer after a block", answer.answer, is: .refused)
                try expect("its reason", NodeReason(answer), is: .coinsSpent)
            },
            Check("a payment before its time is named, and taken when it has come") { driver in
                let (payer, coin) = try await funded(driver)
                let height = try await driver.tip().height
                let later = try payer.spend(
                    [coin], on: [.init(amount: 999_000, script: payer.script)],
                    notBefore: UInt32(height) + 2)
                try expectOpen(await driver.broadcast(later), [.notFinal])
                try await driver.mine(2)
                try expect(
                    "the answer two blocks later", await driver.broadcast(later), is: .accepted)
            },
        ]
    }

    /// The transaction may be taken later, and the reason is one of these.
    static func expectOpen(_ answer: BroadcastAnswered, _ reasons: [NodeReason]) throws {
        try expect("the answer", answer.answer, is: .unknown)
        let reason = try require(NodeReason(answer), "there is no reason")
        try expect(reasons.contains(reason), "the reason is \(reason)")
    }
}
