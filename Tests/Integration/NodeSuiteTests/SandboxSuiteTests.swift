import DaybookChains
import NodeSuite
import Testing

struct SandboxSuiteTests {
    @Test(arguments: [Chain.dash, .axe], UTXOChecks.all(SandboxUTXODriver.self))
    func `the embedded Dash and Axe chains hold`(
        chain: Chain, check: Check<SandboxUTXODriver>
    ) async throws {
        for locks in [true, false] {
            let driver = try await SandboxUTXODriver(chain, locks: locks)
            expectHeld(await check.run(on: driver))
        }
    }

    @Test(arguments: ICONChecks.all(SandboxICONDriver.self))
    func `the embedded ICON network holds`(check: Check<SandboxICONDriver>) async throws {
        expectHeld(await check.run(on: try SandboxICONDriver()))
    }
}

/// A check may be not possible only for a reason that lies in the chain at hand.
func expectHeld(_ verdict: CheckResult, _ location: SourceLocation = #_sourceLocation) {
    switch verdict {
    case .held: return
    case .failed(let why): Issue.record("\(why)", sourceLocation: location)
    case .notPossible(let why):
        let known = [
            "the sandbox is no real chain", "the sandbox is no real network",
            "this chain takes what is not standard",
        ]
        #expect(known.contains(why), sourceLocation: location)
    }
}
