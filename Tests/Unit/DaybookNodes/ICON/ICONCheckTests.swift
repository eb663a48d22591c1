import DaybookChains
import DaybookDomain
import DaybookEncoding
@testable import DaybookNodes
import Testing

struct ICONCheckTests {
    private static func notes(
        debug reply: ScriptedTransport.Reply? = .result(.string("0x186a0")),
        after microseconds: Int64 = 0
    ) async throws -> [String] {
        let debug = reply.map { reply in ICONServer { _, _ in reply } }
        let now = UInt64(Int64(ICONServer.time) + microseconds)
        return try await ICONServer().node(debug: debug, at: now).check().notes
    }

    @Test func `a node that can serve a wallet stands at its last block`() async throws {
        let debug = ICONServer { _, _ in .result(.string("0x186a0")) }
        let standing = try await ICONServer().node(debug: debug).check()
        let tip = "406665133969dd32af2d53bfeaff2e4dd65dfd54c11c88d8a1a1f67e1ca2b5a5"
        #expect(standing == NodeState(height: 373, tip: Hex.decode(tip) ?? []))
    }

    @Test func `a node of another network, or of another time, can't`() async {
        await #expect(
            throws: ChainFailure(.wrongChain, "the node is of the network 0x3, not 0x1")
        ) { try await ICONServer().node(.mainnet).check() }
        await #expect(
            throws: ChainFailure(
                .clock, "this computer's clock is 2 days behind the node's last block")
        ) { try await ICONServer().node(at: ICONServer.time - 172_800_000_000).check() }
    }

    @Test(arguments: [
        (Network.mainnet, "0x7"), (.mainnet, "0x3"), (.testnet, "0x1"), (.regtest, "0x2"),
    ])
    func `another kind of network's id is never taken for this one's`(
        network: Network, nid: String
    ) async {
        let server = ICONServer("icx_getNetworkInfo", .result(.record(["nid": .string(nid)])))
        await #expect { try await server.node(network).check() } throws: {
            ($0 as? ChainFailure)?.reason == .wrongChain
        }
    }

    @Test func `a test network may have an id of its own, and it is said`() async throws {
        let server = ICONServer("icx_getNetworkInfo", .result(.record(["nid": .string("0x7")])))
        let debug = ICONServer { _, _ in .result(.string("0x186a0")) }
        #expect(
            try await server.node(.testnet, debug: debug).check().notes
                == ["the network's id is 0x7: only wallets that were added with it fit"])
    }

    @Test func `a wrong clock or an old last block is worth a note`() async throws {
        #expect(try await Self.notes(after: -10_000_000) == [])
        #expect(
            try await Self.notes(after: -90_000_000)
                == ["this computer's clock is 90 seconds behind the node's last block"])
        #expect(try await Self.notes(after: 300_000_000) == [])
        #expect(
            try await Self.notes(after: 3 * 3_600_000_000)
                == [
                    """
                    the last block is 3 hours old: the node has stopped or is catching up, \
                    or its network makes no blocks while nothing happens
                    """
                ])
    }

    @Test func `a node without estimates serves all the same, and it is said`() async throws {
        #expect(
            try await Self.notes(debug: nil)
                == ["calls of contracts get no estimate: no debug endpoint is set"])
        #expect(
            try await Self.notes(debug: ICONServer.reply("unknown method"))
                == [
                    """
                    calls of contracts get no estimate: \
                    the node does not know the call debug_estimateStep
                    """
                ])
        #expect(try await Self.notes(debug: ICONServer.reply("estimateStep, no balance")) == [])
    }
}
