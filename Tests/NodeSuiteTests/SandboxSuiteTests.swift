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

/// A check that can't be tried on a chain has a reason, and passes.
func expectHeld(_ verdict: Verdict, _ location: SourceLocation = #_sourceLocation) {
    if case .failed(let why) = verdict { Issue.record("\(why)", sourceLocation: location) }
}
