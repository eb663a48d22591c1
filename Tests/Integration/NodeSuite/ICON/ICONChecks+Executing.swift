import DaybookChains
import DaybookDomain
import DaybookEncoding

extension ICONChecks {
    static func executing<Driver: ICONDriver>() -> [Check<Driver>] {
        [
            Check("a payment arrives, and costs exactly what the steps cost") { driver in
                let (payer, receiver) = (try await funded(driver), try Account())
                let fees = try await fees(driver)
                let draft = try await payer.pay(receiver.address, UInt256(300_000_007), on: driver)
                let status = try await driver.execute(
                    try payer.sign(draft, steps: fees.steps.transfer))
                let fee = try loop(fees.steps.transfer, fees.price)
                _ = try require(status.height, "it is in no block")
                try expect("its failure", status.failure, is: nil)
                try expect("its fee", status.fee, is: fee)
                let wanted = try rest(UInt256(300_000_007), fee)
                try expect("the payer's", try await driver.balance(payer.address), is: wanted)
                let arrived = try await driver.balance(receiver.address)
                try expect("the receiver's", arrived, is: UInt256(300_000_007))
            },
            Check("all there is less the fee leaves nothing") { driver in
                let (payer, receiver) = (try await funded(driver), try Account())
                let fees = try await fees(driver)
                let all = try rest(try loop(fees.steps.transfer, fees.price))
                let draft = try await payer.pay(receiver.address, all, on: driver)
                _ = try await driver.execute(try payer.sign(draft, steps: fees.steps.transfer))
                try expect("the payer's", try await driver.balance(payer.address), is: .zero)
                try expect("the receiver's", try await driver.balance(receiver.address), is: all)
            },
            Check("a message costs by its length") { driver in
                let (payer, receiver) = (try await funded(driver), try Account())
                let fees = try await fees(driver)
                let draft = try await payer.pay(
                    receiver.address, UInt256(1), message: Bytes("hello".utf8), on: driver)
                let size = UInt64(ICONSteps.dataSize(of: draft.params))
                let used = fees.steps.transfer + size * fees.steps.inputByte
                let status = try await driver.execute(
                    try payer.sign(draft, steps: used + 50_000))
                let fee = try loop(used, fees.price)
                try expect("its fee", status.fee, is: fee)
                try expect("the payer's", try await driver.balance(payer.address),
                    is: try rest(UInt256(1), fee))
            },
        ]
    }

    static func calling<Driver: ICONDriver>() -> [Check<Driver>] {
        [
            Check("a call of no contract fails, and is charged for") { driver in
                let payer = try await funded(driver)
                let fees = try await fees(driver)
                let nowhere = try require(
                    ICONAddress(kind: .contract, hash: Bytes(try Account().address.hash)),
                    "no address was made")
                let draft = ICONDraft(
                    from: payer.address, to: nowhere, value: nil,
                    payload: .call(method: "transfer", parameters: []),
                    timestamp: try await driver.now(), nid: driver.nid)
                let status = try await driver.execute(
                    try payer.sign(draft, steps: 10 * fees.steps.transfer))
                _ = try require(status.height, "it is in no block")
                let failure = try require(status.failure, "it did not fail")
                try expect(failure.contains("ContractNotFound"), "it failed by \(failure)")
                let fee = try require(status.fee, "it cost nothing")
                try expect(fee > .zero, "it cost nothing")
                try expect(
                    "the payer's", try await driver.balance(payer.address), is: try rest(fee))
            },
            Check("tokens go by the steps that were estimated") { driver in
                let token = try knownToken(driver)
                let (payer, receiver) = (try await funded(driver), try Account())
                try await driver.payTokens(payer.address, amount: UInt256(1000))
                let transfer = IRC2.Transfer(
                    from: payer.address, to: receiver.address, value: UInt256(400))
                let draft = ICONDraft.tokenTransfer(
                    transfer, of: token, timestamp: try await driver.now(), nid: driver.nid)
                guard let estimate = try await driver.look(estimate: draft.params).estimate else {
                    throw NotPossible("no node is set that estimates")
                }
                let status = try await driver.execute(try payer.sign(draft, steps: estimate))
                try expect("its failure", status.failure, is: nil)
                let fee = try require(status.fee, "it has no fee")
                let price = try await fees(driver).price
                try expect(fee <= (try loop(estimate, price)), "it cost more than was estimated")
                try expect(
                    "the payer's ICX", try await driver.balance(payer.address), is: try rest(fee))
                try expect("the payer's", try await driver.balance(payer.address, of: token),
                    is: UInt256(600))
                try expect(
                    "the receiver's", try await driver.balance(receiver.address, of: token),
                    is: UInt256(400))
            },
        ]
    }
}
