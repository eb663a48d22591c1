import DaybookChains
import DaybookEncoding
import Testing
import TestSupport

struct ICONReceiptTests {
    /// The recorded answers to `icx_getTransactionResult` that are results.
    private func answers(in file: String) throws -> [JSON] {
        try #require(try Fixture.json("icon/\(file)").arrayValue).compactMap { exchange in
            guard exchange["request"]?.text(at: "method") == "icx_getTransactionResult" else {
                return nil
            }
            return exchange["response"]?["result"]
        }
    }

    @Test(arguments: ["goloop.json", "goloop-extra.json", "goloop-irc2.json"])
    func `every recorded result is read`(file: String) throws {
        let answers = try answers(in: file)
        #expect(answers.count >= 4)
        for answer in answers {
            let receipt = try #require(ICONReceipt(answer))
            #expect("0x" + Hex.encode(receipt.hash) == answer.text(at: "txHash"))
            #expect(ICONInteger.text(receipt.stepUsed) == answer.text(at: "stepUsed"))
            #expect(receipt.stepPrice == UInt256(12_500_000_000))
            #expect((receipt.failure == nil) == (answer.text(at: "status") == "0x1"))
        }
    }

    @Test func `a failure keeps its code and text, and its fee`() throws {
        let receipts = try answers(in: "goloop-irc2.json").compactMap { ICONReceipt($0) }
        let failed = try #require(receipts.first { $0.failure?.code == 0xa })
        #expect(failed.failure?.message == "OutOfStep")
        #expect(failed.fee == UInt256(182_509 * 12_500_000_000))
        let paid = try #require(receipts.first { $0.logs.count == 1 })
        #expect(IRC2.Transfer(paid.logs[0]) != nil)
    }

    @Test(arguments: [
        ("status", #""0x2""#), ("status", #""0x0""#), ("blockHeight", #""1""#),
        ("stepUsed", #""0x01""#), ("txHash", #""0x12""#), ("stepPrice", "null"),
    ]) func `a result that is not believable is not read`(key: String, value: String) throws {
        let answer = try #require(try answers(in: "goloop.json").first)
        let members = try #require(answer.objectValue).map { member in
            member.name == key
                ? JSON.Member(name: key, value: try JSON.parse(Bytes(value.utf8))) : member
        }
        #expect(ICONReceipt(.object(members)) == nil)
    }
}
