import DaybookChains
import DaybookDomain
import DaybookEncoding
@testable import DaybookNodes
import Testing

/// The answers of a Dash node about the times of blocks.
struct CoreBlockTimeTests {
    private func times(
        _ core: FakeCore, _ blocks: [NamedBlock], tip: Bytes? = nil
    ) async throws -> BlockTimes {
        let transport = ScriptedTransport { call, _ in core.reply(call) }
        let node = UTXONode(
            core.parameters, transport, retries: RPCRetryPolicy(pauses: []) { _ in })
        return try await node.times(
            of: blocks, below: .init(height: core.tip.height, hash: tip ?? core.tip.hash))
    }

    @Test func `the times of several blocks come with one question`() async throws {
        var core = try FakeCore()
        let first = core.pay([(1, 500)], at: 120)
        let second = core.pay([(1, 700)], at: 130)
        core.blockTimes = [120: .int(1_700_000_000), 130: .int(1_700_000_150)]
        let found = try await times(
            core, [
                NamedBlock(height: 120, txid: first.displayed),
                NamedBlock(height: 130, txid: second.displayed),
            ])
        #expect(found.told == [
            .init(height: 120, time: 1_700_000_000_000_000),
            .init(height: 130, time: 1_700_000_150_000_000),
        ])
        #expect(found.unclear.isEmpty)
    }

    @Test(arguments: [
        nil, .null, .string("1700000000"), .number("1.5"), .int(-1), .number("1e30"),
        .number("18446744073709551615"), .array([]),
    ] as [JSON?])
    func `an answer that is no time is left out and named`(answer: JSON?) async throws {
        var core = try FakeCore()
        let txid = core.pay([(1, 500)], at: 120)
        core.blockTimes[120] = answer
        let found = try await times(core, [NamedBlock(height: 120, txid: txid.displayed)])
        #expect(found.told.isEmpty)
        #expect(found.unclear.map(\.kind) == [.blockTime])
        #expect(found.unclear.map(\.height) == [120])
    }

    @Test func `a transaction in another block, or in none, tells no time of this one`()
        async throws
    {
        var core = try FakeCore()
        let other = core.pay([(1, 500)], at: 121)
        let unconfirmed = core.pay([(1, 700)])
        core.blockTimes = [121: .int(1_700_000_000)]
        let unknown = Bytes(repeating: 9, count: 32)
        for txid in [other.displayed, unconfirmed.displayed, unknown] {
            let found = try await times(core, [NamedBlock(height: 120, txid: txid)])
            #expect(found.told.isEmpty)
            #expect(found.unclear.map(\.height) == [120])
        }
    }

    @Test func `nothing counts of another chain than that of the answer`() async throws {
        var core = try FakeCore()
        let txid = core.pay([(1, 500)], at: 120)
        core.blockTimes = [120: .int(1_700_000_000)]
        let blocks = [NamedBlock(height: 120, txid: txid.displayed)]
        #expect(
            try await times(core, blocks, tip: Bytes(repeating: 1, count: 32)) == BlockTimes())
    }
}
