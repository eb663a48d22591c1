import DaybookChains
import DaybookEncoding
import Testing

struct ICONDraftTests {
    private let payer = ICONAddress("hx0502987e630ea7ebb2bf1d84a65a727109385bcf")
    private let payee = ICONAddress("hx5bfdb090f43a808005ffc27c25b213145e80b7cd")
    private let token = ICONAddress("cxb0776ee37f5b45bfaea8cff1d8232fbb6122ec32")

    private func draft(_ payload: ICONDraft.Payload = .nothing) throws -> ICONDraft {
        ICONDraft(
            from: try #require(payer), to: try #require(payee),
            value: UInt256(1_000_000_000_000_000_000), payload: payload,
            timestamp: 0x563a6cf330136, nid: 2, nonce: UInt256(1))
    }

    @Test func `a transfer and a message are Connect's golden ones`() throws {
        let transfer = try draft().transaction(stepLimit: UInt256(0x12345))
        #expect(
            transfer.hashText
                == "0x0ecfd93340a03105e06ef64c62b0f4a28c059d006c072b2ca4d740640038ca25")
        let message = try draft(.message(Bytes("Hello, ICON!".utf8)))
            .transaction(stepLimit: UInt256(0x12345))
        #expect(
            message.hashText
                == "0x8d1b4315d9545ec37b6256fb89879d0ef9f59c6eb5ed55078bb433066b780b36")
    }

    @Test func `a token's transfer is Connect's golden one`() throws {
        let transfer = IRC2.Transfer(
            from: try #require(payer),
            to: try #require(ICONAddress("hxab2d8215eab14bc6bdd8bfb2c8151257032ecd8b")),
            value: UInt256(1))
        let draft = ICONDraft.tokenTransfer(
            transfer, of: try #require(token), timestamp: 0x563a6cf330136, nid: 1,
            nonce: UInt256(1))
        let transaction = try draft.transaction(stepLimit: UInt256(0x12345))
        #expect(
            transaction.hashText
                == "0x2399583113f9a1ff9dad8d31b155a8e0fd2fa23e68b2a0241fda18e2abd198b0")
    }

    @Test func `a draft has the params that a node's estimate takes`() throws {
        #expect(ICONFields.problems(in: try draft().params, as: .estimate) == [])
        #expect(try draft().params["stepLimit"] == nil)
    }

    @Test func `a call without parameters leaves them out`() throws {
        let params = try draft(.call(method: "hello", parameters: [])).params
        #expect(params["data"]?.text() == #"{"method":"hello"}"#)
    }

    @Test func `an empty message is refused, as the node would`() throws {
        let draft = try draft(.message([]))
        let error = #expect(throws: ICONFieldError.self) {
            try draft.transaction(stepLimit: UInt256(100_000))
        }
        #expect(error?.key == "data")
    }

    @Test func `steps are the default and 200 for each byte of data`() throws {
        let answer = try JSON.parse(
            Bytes(#"{"default":"0x186a0","input":"0xc8","contractCall":"0x61a8"}"#.utf8))
        let steps = try #require(ICONSteps(answer))
        #expect(steps.exact(for: try draft().params) == 100_000)
        #expect(steps.exact(for: try draft(.message(Bytes("hello".utf8))).params) == 102_800)
        #expect(steps.least(dataSize: Int.max) == nil)
        #expect(ICONSteps(.object([])) == nil)
        var toContract = try draft()
        toContract.to = try #require(token)
        #expect(steps.exact(for: toContract.params) == nil)
    }
}
