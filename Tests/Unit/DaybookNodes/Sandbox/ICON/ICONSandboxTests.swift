import DaybookChains
import DaybookEncoding
import Testing

@testable import DaybookNodes

struct ICONSandboxTests {
    @Test func `it begins with all ICX and tokens at the faucet`() {
        let sandbox = ICONSandbox(MemoryRows())
        #expect(sandbox.tip.height == 0)
        #expect(ICONSandbox.faucet.text == "hxe7af5fcfd8dfc67530a01a0e403882687528dfcb")
        #expect(sandbox.balance(of: ICONSandbox.faucet) == ICONSandbox.supply)
        #expect(ICONSandbox.supply.decimal == "800460000000000000000000000")
        #expect(sandbox.tokens(of: ICONSandbox.faucet) == ICONSandbox.tokenSupply)
        #expect(ICONSandbox.token.text == "cxb0776ee37f5b45bfaea8cff1d8232fbb6122ec32")
    }

    @Test func `a transfer moves its value and costs its fee`() throws {
        var scene = try ICONScene()
        try scene.fundAlice(2)
        let receipt = try scene.run(scene.draft(value: ICONScene.icx), stepLimit: 200_000)
        #expect(receipt.failure == nil)
        #expect(receipt.stepUsed == UInt256(100_000))
        #expect(receipt.height == 2)
        #expect(scene.sandbox.tip.height == 2)
        #expect(scene.sandbox.balance(of: scene.bob) == ICONScene.icx)
        #expect(scene.sandbox.balance(of: scene.alice).decimal == "998750000000000000")
    }

    @Test func `everything less the fee leaves nothing`() throws {
        var scene = try ICONScene()
        try scene.fundAlice(1)
        let fee = UInt256(1_250_000_000_000_000)
        let rest = try #require(ICONScene.icx.subtracting(fee))
        #expect(try scene.run(scene.draft(value: rest), stepLimit: 100_000).failure == nil)
        #expect(scene.sandbox.balance(of: scene.alice) == .zero)
    }

    @Test func `a message's bytes cost steps`() throws {
        var scene = try ICONScene()
        try scene.fundAlice()
        var draft = scene.draft(value: nil)
        draft.payload = .message(Bytes("hello".utf8))
        #expect(try scene.sandbox.estimateSteps(draft.params) == 102_800)
        #expect(try scene.run(draft).stepUsed == UInt256(102_800))
    }

    @Test func `data of half a mebibyte is taken and a byte more is not`() throws {
        var scene = try ICONScene()
        try scene.fundAlice()
        var draft = scene.draft(value: nil)
        // Two quotes and 0x are four of the bytes of compact JSON.
        draft.payload = .message(Bytes(repeating: 7, count: (512 * 1024 - 4) / 2))
        guard case .accepted = try scene.send(draft, stepLimit: 200_000_000) else {
            Issue.record("refused")
            return
        }
        draft.payload = .message(Bytes(repeating: 7, count: (512 * 1024 - 4) / 2 + 1))
        let answer = try scene.send(draft, stepLimit: 200_000_000)
        let refusal = ICONRefusal.system("E2005:Failed to verify transaction")
        #expect(answer == .refused(refusal))
    }

    @Test func `the same transaction is taken once, while it waits and after`() throws {
        var scene = try ICONScene()
        try scene.fundAlice()
        let params = try scene.signed(scene.draft())
        guard case .accepted(let hash) = scene.sandbox.submit(params, at: scene.now) else {
            Issue.record("refused")
            return
        }
        #expect(scene.sandbox.result(of: hash) == .pending)
        #expect(scene.sandbox.pending == [hash])
        let again = scene.sandbox.submit(params, at: scene.now)
        #expect(again == .refused(.system("E2000:DuplicateTransaction")))
        scene.sandbox.mine(at: scene.now)
        let late = scene.sandbox.submit(params, at: scene.now)
        #expect(late == .refused(.system("E2011:CommittedTransaction")))
        #expect(scene.sandbox.pending == [])
    }

    @Test func `another's signature, another network and a wrong time are refused`() throws {
        var scene = try ICONScene()
        try scene.fundAlice()
        let forged = try scene.signed(scene.draft(), key: 2)
        let failed = ICONRefusal.system("E2005:Failed to verify transaction")
        #expect(scene.sandbox.submit(forged, at: scene.now) == .refused(failed))
        var draft = scene.draft()
        draft.nid = 1
        let wrong = ICONRefusal.system("E1006:ValidateNetwork(nid=0x3) fail")
        #expect(try scene.send(draft) == .refused(wrong))
        let params = try scene.signed(scene.draft())
        let old = ICONRefusal.system("E2002:Expired(min-1s)")
        #expect(scene.sandbox.submit(params, at: scene.now + 301_000_000) == .refused(old))
        let early = ICONRefusal.system("E2003:FutureTx(max+1µs)")
        #expect(scene.sandbox.submit(params, at: scene.now - 300_000_001) == .refused(early))
    }

    @Test func `a step limit or balance that is too low is refused with the figures`() throws {
        var scene = try ICONScene()
        let poor = "E2106:OutOfBalance(balance:0, value:1250000000000001)"
        #expect(try scene.send(scene.draft()) == .refused(.system(poor)))
        let short = "E2105:NotEnoughStep(txStepLimit:99999, minStep:100000)"
        #expect(try scene.send(scene.draft(), stepLimit: 99_999) == .refused(.system(short)))
        let most = try #require(UInt256(hex: String(repeating: "f", count: 64)))
        let wide = "E2106:OutOfBalance(balance:0, value:\(UInt256.max.decimal))"
        #expect(try scene.send(scene.draft(value: most)) == .refused(.system(wide)))
    }

    @Test func `a call needs the name of its method`() throws {
        var scene = try ICONScene()
        try scene.fundAlice()
        let draft = scene.call("", [])
        let refusal = ICONRefusal.system("E2005:Failed to verify transaction")
        #expect(try scene.send(draft, stepLimit: 1_000_000) == .refused(refusal))
    }

    @Test func `ICX that goes to a contract without a call comes back, less the fee`() throws {
        var scene = try ICONScene()
        try scene.fundAlice()
        for (to, code) in [(ICONSandbox.token, 0x3), (ICONAddress.system, 0x6)] {
            let before = scene.sandbox.balance(of: scene.alice)
            let receipt = try scene.run(scene.draft(to: to))
            #expect(receipt.failure?.code == UInt64(code))
            #expect(receipt.stepUsed == UInt256(125_000))
            let fee = try #require(receipt.fee)
            #expect(scene.sandbox.balance(of: scene.alice) == before.subtracting(fee))
        }
    }

    @Test func `all faulty fields are named`() throws {
        var scene = try ICONScene()
        let params = try JSON.parse(Bytes(#"{"version":"0x3","value":"1","nonce":"2"}"#.utf8))
        let text = "InvalidParams: fail to validate, "
            + "required('from','to','stepLimit','timestamp','nid','signature'),"
            + "t_int('value','nonce')"
        let refusal = ICONRefusal(code: -32602, message: text)
        #expect(scene.sandbox.submit(params, at: scene.now) == .refused(refusal))
        let number = try JSON.parse(Bytes(#"{"value":1}"#.utf8))
        let type = "InvalidParams: fail to unmarshal, 'value' must be jsonrpc.HexInt type"
        #expect(
            scene.sandbox.submit(number, at: scene.now)
                == .refused(ICONRefusal(code: -32602, message: type)))
    }

    @Test func `a transaction without funds waits, and is dropped after its time`() throws {
        var scene = try ICONScene()
        try scene.fundAlice(1)
        let most = try #require(UInt256(decimal: "600000000000000000"))
        guard case .accepted = try scene.send(scene.draft(value: most)),
            case .accepted(let second) = try scene.send(
                scene.draft(to: ICONSandbox.faucet, value: most))
        else {
            Issue.record("refused")
            return
        }
        #expect(scene.sandbox.mine(at: scene.now).count == 1)
        #expect(scene.sandbox.result(of: second) == .pending)
        #expect(scene.sandbox.result(of: second).refusal(for: second) == .pending)
        scene.sandbox.mine(at: scene.now + 300_000_000)
        #expect(scene.sandbox.result(of: second) == .unknown)
        #expect(
            scene.sandbox.result(of: second).refusal(for: second)?.message
                == "NotFound: E1005:not found tx=0x" + Hex.encode(second))
    }

    @Test func `blocks go forward in time and their hashes differ`() throws {
        var scene = try ICONScene()
        scene.sandbox.mine(-1, at: scene.now)
        scene.sandbox.mine(3, at: scene.now)
        #expect(scene.sandbox.tip.height == 3)
        #expect(scene.sandbox.tip.time == scene.now + 2)
        let hash = scene.sandbox.tip.hash
        scene.sandbox.mine(at: scene.now)
        #expect(scene.sandbox.tip.hash != hash)
        #expect(scene.sandbox.tip.time == scene.now + 3)
    }

    @Test func `a reorganisation takes balances back and lets transactions wait again`() throws {
        var scene = try ICONScene()
        try scene.fundAlice()
        let before = scene.sandbox.balance(of: scene.alice)
        let tip = scene.sandbox.tip
        let receipt = try scene.run(scene.draft(value: ICONScene.icx), stepLimit: 100_000)
        #expect(scene.sandbox.reorganise(1) == [receipt.hash])
        #expect(scene.sandbox.tip == tip)
        #expect(scene.sandbox.balance(of: scene.alice) == before)
        #expect(scene.sandbox.balance(of: scene.bob) == .zero)
        #expect(scene.sandbox.result(of: receipt.hash) == .pending)
        #expect(scene.sandbox.mine(at: scene.now) == [receipt])
        #expect(scene.sandbox.reorganise(3) == nil)
        #expect(scene.sandbox.reorganise(0) == nil)
        #expect(scene.sandbox.tip.height == 2)
        #expect(scene.sandbox.reorganise(2)?.count == 2)
        #expect(scene.sandbox.tip == ICONTip.beginning)
    }

    @Test func `the same calls give the same rows`() throws {
        func rows() throws -> [Row] {
            var scene = try ICONScene()
            try scene.fundAlice()
            try scene.giveAliceTokens()
            _ = try scene.run(scene.draft(), stepLimit: 100_000)
            scene.sandbox.switches.isSilent = true
            return scene.sandbox.rows.scan(prefix: [], after: nil, limit: .max)
        }
        let first = try rows()
        #expect(first.count > 10)
        #expect(try rows() == first)
    }

    @Test func `the faucet pays twice at one time`() throws {
        var scene = try ICONScene()
        let first = try scene.sandbox.fund(scene.alice, loop: UInt256(5), at: scene.now)
        let second = try scene.sandbox.fund(scene.alice, loop: UInt256(5), at: scene.now)
        #expect(first != second)
        #expect(scene.sandbox.mine(at: scene.now).count == 2)
        #expect(scene.sandbox.balance(of: scene.alice) == UInt256(10))
    }

    @Test func `the faucet does not pay more than it has`() throws {
        var scene = try ICONScene()
        let alice = scene.alice
        let now = scene.now
        let refusal = #expect(throws: ICONRefusal.self) {
            try scene.sandbox.fund(alice, loop: ICONSandbox.supply, at: now)
        }
        #expect(refusal?.message.hasPrefix("SystemError: E2106:OutOfBalance(") == true)
    }
}
