import DaybookCalls
import DaybookEncoding
import TestSupport
import Testing

/// The short form of `tools/dev fuzz methods`: the same calls from seeds in place of libFuzzer.
struct MethodTests {
    @Test(arguments: 0..<24)
    func `calls with a wrong value, and calls at once, keep their laws`(seed: UInt64) async throws {
        try await Harness.methods.run(Self.bytes(seed))
    }

    @Test(arguments: [Harness.lostAnswer, .openDoor])
    func `a planted bug is found by the first seeds`(_ control: Harness) async throws {
        for seed in 0..<40 as Range<UInt64> {
            do {
                try await control.run(Self.bytes(seed))
            } catch is BrokenLaw {
                return
            }
        }
        Issue.record("40 seeds have not found it")
    }

    /// 80 calls.
    private static func bytes(_ seed: UInt64) -> Bytes {
        var random = Seeded(seed)
        return (0..<400).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }
}
