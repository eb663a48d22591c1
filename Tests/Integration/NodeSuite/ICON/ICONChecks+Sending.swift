import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookNodes

extension ICONChecks {
    static func sending<Driver: ICONDriver>() -> [Check<Driver>] {
        [
            Check("a transaction is accepted, again while it waits, and again in a block") {
                driver in
                let transaction = try await ready(driver)
                let first = await driver.broadcast(transaction)
                try expect("the answer", first, is: .accepted)
                let second = await driver.broadcast(transaction)
                try expect("the second answer", second, is: .accepted)
                try await driver.advance()
                let status = try await driver.look(transactions: [transaction.hash])
                    .status(transaction.hash)
                _ = try require(status?.height, "it is in no block")
                let third = await driver.broadcast(transaction)
                try expect("the answer afterwards", third, is: .accepted)
            },
            Check("an account without coins can't pay") { driver in
                let (payer, receiver) = (try Account(), try Account())
                let fees = try await fees(driver)
                let draft = try await payer.pay(receiver.address, UInt256(1), on: driver)
                let transaction = try payer.sign(draft, steps: fees.steps.transfer)
                let answer = await driver.broadcast(transaction)
                // Some nodes look at the balance at once, others when they make a block.
                try expect(answer.answer != .unknown, "the answer is unknown")
                try await driver.advance()
                let status = try await driver.look(transactions: [transaction.hash])
                    .status(transaction.hash)
                try expect("its height", status?.height, is: nil)
                try expect(
                    "the receiver's", try await driver.balance(receiver.address), is: .zero)
            },
        ]
    }

    static func refusing<Driver: ICONDriver>() -> [Check<Driver>] {
        [
            Check("another's signature is refused") { driver in
                let (payer, other) = (try await funded(driver), try Account())
                let draft = try await payer.pay(other.address, UInt256(1), on: driver)
                try await expectRefused(try other.sign(draft, steps: 100_000), driver)
            },
            Check("another network's transaction is refused") { driver in
                let payer = try await funded(driver)
                var draft = try await payer.pay(payer.address, UInt256(1), on: driver)
                draft.nid += 1
                try await expectRefused(try payer.sign(draft, steps: 100_000), driver)
            },
            Check("a transaction of ten minutes ago is refused") { driver in
                let payer = try await funded(driver)
                var draft = try await payer.pay(payer.address, UInt256(1), on: driver)
                draft.timestamp -= 600_000_000
                try await expectRefused(
                    try payer.sign(draft, steps: 100_000), driver, naming: ["Expired", "clock"])
            },
            Check("a transaction of in ten minutes is not accepted") { driver in
                let payer = try await funded(driver)
                var draft = try await payer.pay(payer.address, UInt256(1), on: driver)
                draft.timestamp += 600_000_000
                let answer = await driver.broadcast(try payer.sign(draft, steps: 100_000))
                try expect(answer.answer != .accepted, "it is accepted")
                try expectReason(answer, among: ["FutureTx", "clock"])
            },
        ]
    }

    /// A payment that can be made, not sent yet.
    private static func ready(_ driver: some ICONDriver) async throws -> SignedTransaction {
        let payer = try await funded(driver)
        let draft = try await payer.pay(try Account().address, UInt256(1), on: driver)
        return try payer.sign(draft, steps: try await fees(driver).steps.transfer)
    }

    private static func expectRefused(
        _ transaction: SignedTransaction, _ driver: some ICONDriver, naming words: [String] = []
    ) async throws {
        let answer = await driver.broadcast(transaction)
        try expect("the answer", answer.answer, is: .refused)
        if !words.isEmpty { try expectReason(answer, among: words) }
        try await driver.advance()
        let status = try await driver.look(transactions: [transaction.hash])
            .status(transaction.hash)
        try expect("its height", status?.height, is: nil)
    }

    private static func expectReason(
        _ answer: BroadcastAnswered, among words: [String]
    ) throws {
        let message = answer.message ?? ""
        try expect(
            words.contains { message.contains($0) }, "the reason is \(message)")
    }
}
