import DaybookChains
import DaybookEncoding
import DaybookNodes
import Testing

/// The steps are those that the recorded contract used for calls of the same size.
struct ICONTokenTests {
    private static let to = ("_to", "hx5b97bc7e0a18d4a7a825e150ae59ef4e5c9fba2e")
    private static let half = ("_value", "0x6f05b59d3b20000")

    private func scene() throws -> ICONScene {
        var scene = try ICONScene()
        try scene.fundAlice()
        try scene.giveAliceTokens()
        return scene
    }

    @Test func `a transfer moves tokens, costs steps and is reported`() throws {
        var scene = try scene()
        let draft = scene.call("transfer", [Self.to, Self.half])
        #expect(try scene.sandbox.estimateSteps(draft.params) == 0x2e2ca)
        let before = scene.sandbox.balance(of: scene.alice)
        let receipt = try scene.run(draft)
        #expect(receipt.failure == nil)
        #expect(receipt.stepUsed == UInt256(0x2e2ca))
        let fee = try #require(receipt.fee)
        #expect(scene.sandbox.balance(of: scene.alice) == before.subtracting(fee))
        #expect(scene.sandbox.tokens(of: scene.bob) == UInt256(500_000_000_000_000_000))
        let transfer = try #require(receipt.logs.first.flatMap { IRC2.Transfer($0) })
        #expect(transfer.from == scene.alice)
        #expect(transfer.to == scene.bob)
        #expect(transfer.value == UInt256(500_000_000_000_000_000))
        #expect(receipt.logs[0].contract == ICONSandbox.token)
    }

    @Test func `a transfer to a holder costs less, one with data more`() throws {
        var scene = try scene()
        _ = try scene.run(scene.call("transfer", [Self.to, Self.half]))
        let data = ("_data", "0x68656c6c6f")
        let small = scene.call("transfer", [Self.to, ("_value", "0x1"), data])
        #expect(try scene.run(small).stepUsed == UInt256(0x2cd9e))
        var second = scene.call("transfer", [Self.to, Self.half])
        second.nonce = UInt256(1)
        #expect(try scene.run(second).stepUsed == UInt256(0x2c8ee))
    }

    @Test func `all of the tokens can go`() throws {
        var scene = try scene()
        let all = ("_value", ICONInteger.text(scene.sandbox.tokens(of: scene.alice)))
        #expect(try scene.run(scene.call("transfer", [Self.to, all])).failure == nil)
        #expect(scene.sandbox.tokens(of: scene.alice) == .zero)
        #expect(scene.sandbox.tokens(of: scene.bob).decimal == "1000000000000000000000")
    }

    @Test func `tokens that go to their holder stay`() throws {
        var scene = try scene()
        let to = ("_to", scene.alice.text)
        #expect(try scene.run(scene.call("transfer", [to, Self.half])).failure == nil)
        #expect(scene.sandbox.tokens(of: scene.alice).decimal == "1000000000000000000000")
    }

    @Test(arguments: [
        (0x2c8ed, 0x2c8ed, "OutOfStep"), (0x2c8ee, 0x2c8ee, nil),
    ]) func `a limit that is one step short fails at the limit`(
        limit: UInt64, used: UInt64, failure: String?
    ) throws {
        var scene = try scene()
        _ = try scene.run(scene.call("transfer", [Self.to, Self.half]))
        var draft = scene.call("transfer", [Self.to, Self.half])
        draft.nonce = UInt256(1)
        let held = scene.sandbox.tokens(of: scene.bob)
        let receipt = try scene.run(draft, stepLimit: limit)
        #expect(receipt.stepUsed == UInt256(used))
        #expect(receipt.failure?.message == failure)
        #expect(receipt.failure?.code == (failure == nil ? nil : 0xa))
        #expect((scene.sandbox.tokens(of: scene.bob) == held) == (failure != nil))
    }

    struct Failing: Sendable, CustomTestStringConvertible {
        let name: String
        let parameters: [(String, String)]
        var value: UInt64?
        var method = "transfer"
        let code: UInt64
        let message: String
        let used: UInt64
        let estimate: String

        var testDescription: String { name }
    }

    private static let failing = [
        Failing(
            name: "over the balance", parameters: [to, ("_value", "0xc9f2c9cd04674edea40000000")],
            code: 0x22, message: "Reverted(2)", used: 0x25431,
            estimate: "SCOREError(-30034): E0034:Out of balance"),
        Failing(
            name: "without _value", parameters: [to], code: 6, message: "InvalidParameter",
            used: 0x22920, estimate: "SCOREError(-30006): E0006:MissingParam(param=_value)"),
        Failing(
            name: "an unknown parameter", parameters: [to, half, ("x", "0x1")], code: 6,
            message: "InvalidParameter", used: 0x24798,
            estimate: "SCOREError(-30006): E0006:UnexpectedParam"),
        Failing(
            name: "with ICX", parameters: [to, half], value: 1, code: 4,
            message: "MethodNotPayable", used: 0x23fc8,
            estimate: "SCOREError(-30004): E0004:MethodNotPayable"),
        Failing(
            name: "an unknown method", parameters: [], method: "nope", code: 3,
            message: "MethodNotFound", used: 128_400,
            estimate: "SCOREError(-30003): E0003:Method(nope)NotFound"),
        Failing(
            name: "a value that is no integer", parameters: [to, ("_value", "1")], code: 6,
            message: "InvalidParameter", used: 144_200,
            estimate: "SCOREError(-30006): E0006:InvalidParameter(param=_value)"),
    ]

    @Test(arguments: failing)
    func `a call that fails is in a block and pays its fee`(_ failing: Failing) throws {
        var scene = try scene()
        let value = failing.value.map { UInt256($0) }
        let draft = scene.call(failing.method, failing.parameters, value: value)
        let refusal = #expect(throws: ICONRefusal.self) {
            try scene.sandbox.estimateSteps(draft.params)
        }
        #expect(refusal?.message == failing.estimate)
        let before = scene.sandbox.balance(of: scene.alice)
        let receipt = try scene.run(draft)
        #expect(receipt.failure?.code == failing.code)
        #expect(receipt.failure?.message == failing.message)
        #expect(receipt.stepUsed == UInt256(failing.used))
        #expect(receipt.logs == [])
        let fee = try #require(receipt.fee)
        #expect(scene.sandbox.balance(of: scene.alice) == before.subtracting(fee))
        #expect(scene.sandbox.tokens(of: scene.bob) == .zero)
    }

    @Test func `the token answers the standard's questions`() throws {
        let sandbox = try scene().sandbox
        let token = ICONSandbox.token
        #expect(try sandbox.ask(token, .name) == .string("Sandbox Token"))
        #expect(try sandbox.ask(token, .symbol) == .string("SBX"))
        #expect(try sandbox.ask(token, .decimals) == .string("0x12"))
        let supply = try sandbox.ask(token, .totalSupply).stringValue.flatMap(ICONInteger.parse)
        #expect(supply == UInt256(decimal: "1000000000000000000000000000"))
        let held = try sandbox.ask(token, .balance(of: try ICONScene().alice))
        #expect(held == .string("0x3635c9adc5dea00000"))
    }

    @Test(arguments: [
        (#"{"method":"nope"}"#, "SCOREError(-30003): E0003:MethodNotFound"),
        (#"{"method":"balanceOf"}"#, "SCOREError(-30006): E0006:MissingParam(param=_owner)"),
        (
            #"{"method":"transfer"}"#,
            "SCOREError(-30009): E0009:AccessingWritableFromReadOnly(transfer)"
        ),
    ]) func `a question that cannot be answered is refused`(data: String, text: String) throws {
        let sandbox = try scene().sandbox
        let question = try JSON.parse(Bytes(data.utf8))
        let refusal = #expect(throws: ICONRefusal.self) {
            try sandbox.call(ICONSandbox.token, question)
        }
        #expect(refusal?.message == text)
    }

    @Test func `another contract is not there`() throws {
        let sandbox = try scene().sandbox
        let refusal = #expect(throws: ICONRefusal.self) {
            try sandbox.ask(ICONAddress.system, .name)
        }
        #expect(refusal?.code == -30002)
        #expect(refusal?.message == "SCOREError(-30002): E0002:ContractNotFound")
    }
}
