import DaybookEncoding
import Foundation
import Testing
import TestSupport

/// The inputs of tools/dev fuzz that were worth keeping, and all faults that it ever found.
struct CorpusTests {
    @Test(arguments: Harness.all)
    func `the laws hold for every input that was kept`(_ harness: Harness) async throws {
        let inputs = try Fixture.hexLines("fuzz/\(harness.name).hex")
        #expect(!inputs.isEmpty)
        for input in inputs + [[], [0], Bytes(repeating: 0xff, count: 99)] {
            do {
                try await harness.run(input)
            } catch {
                Issue.record("\(error): \(Hex.encode(input))")
            }
        }
    }

    @Test func `an input that a planted bug is found by breaks its law`() async throws {
        let found: [(name: String, input: Bytes)] = [
            ("long-integer", [0x18, 0x05]), ("lost-sign", Bytes("-1".utf8)),
            ("trailing-byte", [0xf6, 0xf6]),
            ("deep-trap", Bytes("dashwallet://request=address&account=7&sender=ab".utf8)),
        ]
        for (name, input) in found {
            let control = try #require(Harness.controls.first { $0.name == name })
            await #expect(throws: BrokenLaw.self) { try await control.run(input) }
        }
    }
}

extension Harness: CustomTestStringConvertible {
    var testDescription: String { name }
}
