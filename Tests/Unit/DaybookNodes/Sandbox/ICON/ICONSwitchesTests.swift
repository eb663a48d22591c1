import DaybookChains
import DaybookEncoding
import Testing

@testable import DaybookNodes

struct ICONSwitchesTests {
    private func scene() throws -> ICONScene {
        var scene = try ICONScene()
        try scene.fundAlice()
        return scene
    }

    @Test func `one transaction is refused with the given words`() throws {
        var scene = try scene()
        let refusal = ICONRefusal(code: -31001, message: "PoolOverflow: full")
        scene.sandbox.switches.refuseNext = refusal
        #expect(try scene.send(scene.draft()) == .refused(refusal))
        guard case .accepted = try scene.send(scene.draft()) else {
            Issue.record("refused twice")
            return
        }
    }

    @Test func `an answer is lost, but the transaction is not`() throws {
        var scene = try scene()
        scene.sandbox.switches.losesNextAnswer = true
        #expect(try scene.send(scene.draft()) == .nothing)
        let hash = try scene.draft().transaction(stepLimit: UInt256(100_000)).hash
        #expect(scene.sandbox.result(of: hash) == .pending)
        let again = ICONRefusal(code: -31000, message: "SystemError: E2000:DuplicateTransaction")
        #expect(try scene.send(scene.draft()) == .refused(again))
    }

    @Test func `a silent network takes nothing until it speaks again`() throws {
        var scene = try scene()
        scene.sandbox.switches.isSilent = true
        #expect(try scene.send(scene.draft()) == .nothing)
        #expect(scene.sandbox.pending == [])
        scene.sandbox.switches.isSilent = false
        guard case .accepted = try scene.send(scene.draft()) else {
            Issue.record("refused")
            return
        }
    }

    @Test func `a lost transaction does not arrive, and nothing is said after it`() throws {
        var scene = try scene()
        scene.sandbox.switches.losesNext = true
        #expect(try scene.send(scene.draft()) == .nothing)
        #expect(scene.sandbox.pending == [] && scene.sandbox.switches.isSilent)
    }

    @Test func `a transaction waits for funds, and vanishes with too few steps`() throws {
        var scene = try ICONScene()
        scene.sandbox.switches.takesUnpayable = true
        guard case .accepted(let poor) = try scene.send(scene.draft()),
            case .accepted(let short) = try scene.send(scene.draft(), stepLimit: 99_999)
        else {
            Issue.record("refused")
            return
        }
        scene.sandbox.mine(at: scene.now)
        #expect(scene.sandbox.result(of: poor) == .pending)
        #expect(scene.sandbox.result(of: short) == .unknown)
        _ = try scene.sandbox.fund(scene.alice, loop: ICONScene.icx, at: scene.now)
        #expect(scene.sandbox.mine(2, at: scene.now).map(\.hash).last == poor)
    }

    @Test func `switches are rows, and no rows when all is well`() throws {
        var scene = try scene()
        let rows = scene.sandbox.rows.scan(prefix: [], after: nil, limit: .max)
        scene.sandbox.switches.refuseNext = ICONRefusal(code: -1, message: "no")
        scene.sandbox.switches.losesNext = true
        scene.sandbox.switches.losesNextAnswer = true
        scene.sandbox.switches.takesUnpayable = true
        let other = ICONSandbox(scene.sandbox.rows)
        #expect(other.switches == scene.sandbox.switches)
        scene.sandbox.switches = ICONSandbox.Switches()
        #expect(scene.sandbox.rows.scan(prefix: [], after: nil, limit: .max) == rows)
    }
}

struct GoDurationTests {
    @Test(arguments: [
        (0, "0s"), (1, "1µs"), (999, "999µs"), (214_695, "214.695ms"), (1_500, "1.5ms"),
        (1_000_000, "1s"), (1_000_001, "1.000001s"), (60_000_000, "1m0s"),
        (298_069_975, "4m58.069975s"), (299_999_617, "4m59.999617s"),
        (3_600_000_000, "1h0m0s"), (1_793_420_702_974_335, "498172h25m2.974335s"),
    ]) func `a duration is printed as Go prints it`(microseconds: UInt64, expected: String) {
        #expect(GoDuration.text(microseconds) == expected)
    }
}
