import DaybookChains
import DaybookEncoding
import DaybookNodes
import NodeServer
import Testing

/// goloop 1.4.4 as recorded, against the server that stands for it.
struct GoloopRecordingTests {
    @Test(arguments: [("goloop.json", 86), ("goloop-extra.json", 31), ("goloop-irc2.json", 39)])
    func `the sandbox answers as goloop does`(file: String, compared: Int) throws {
        var scene = try GoloopScene()
        if file == "goloop-irc2.json" {
            try scene.giveTokensAway(but: try #require(UInt256(hex: "3635c9adc5dea00000")))
        }
        for exchange in try RecordingPlayer.exchanges("icon/\(file)") {
            // The sandbox has its token without having it deployed.
            if exchange.label.hasSuffix("deploy") { continue }
            try scene.prepare(for: exchange)
            try scene.player.play(exchange)
        }
        scene.player.check(Self.known[file] ?? [], unanswered: Self.unanswered[file] ?? [])
        #expect(scene.player.compared == compared)
    }

    /// The differences, with their reasons.
    private static let known: [String: [KnownDifference]] = [
        "goloop.json": results + [
            KnownDifference("icx_getBlockByHeight", "result.block_hash", why: hashes),
            KnownDifference(
                "icx_getBlockByHeight", "result.confirmed_transaction_list",
                why: "the sandbox begins without a transaction that says how"),
            KnownDifference("icx_getBlockByHeight", "result.merkle_tree_root_hash", why: hashes),
            KnownDifference("icx_getLastBlock", "result.block_hash", why: hashes),
            KnownDifference("icx_getLastBlock", "result.prev_block_hash", why: hashes),
            KnownDifference("icx_getLastBlock", "result.height", why: heights),
            KnownDifference("icx_getLastBlock", "result.time_stamp", why: heights),
            KnownDifference("icx_getLastBlock", "result.peer_id", why: "nobody else validates"),
            KnownDifference("icx_getNetworkInfo", "result.latest", why: heights),
            KnownDifference("icx_getTransactionByHash", "result.blockHash", why: hashes),
            KnownDifference("icx_getTransactionByHash", "result.blockHeight", why: heights),
            KnownDifference(
                "icx_getTransactionResult", "result.cumulativeStepUsed", in: "  its result",
                why: together),
            KnownDifference(
                "icx_getTransactionResult", "result.txIndex", in: "  its result", why: together),
            KnownDifference(
                "icx_sendTransaction", "error", in: "data too large",
                why: "the recording has a note in place of the data"),
            KnownDifference(
                "icx_sendTransaction", "error.message", in: "timestamp 10 min ago",
                "timestamp 10 min ahead", "timestamp in ms", why: moments),
        ],
        "goloop-extra.json": results + [
            KnownDifference(
                "icx_getTransactionResult", "error", in: "result of the first, now funded",
                why: "the sandbox executes at once what it mines")
        ],
        "goloop-irc2.json": results + [
            KnownDifference(
                "icx_getTransactionResult", "result.logsBloom",
                why: "no wallet asks a Bloom filter"),
            KnownDifference(
                "icx_call", "result", in: "name", "symbol", "totalSupply", why: token),
        ],
    ]

    private static let results = [
        KnownDifference("icx_getTransactionResult", "result.blockHash", why: hashes),
        KnownDifference("icx_getTransactionResult", "result.blockHeight", why: heights),
    ]

    private static let hashes = "a block's hash is of other contents"
    private static let heights = "the recorded node mined every second, the sandbox when told to"
    private static let together = "what had waited longer is mined together with it here"
    private static let moments = "by how much a time is off depends on the moment"
    private static let token = "it is another token, with another supply"

    /// Calls that Daybook never makes.
    private static let unanswered: [String: Set<String>] = [
        "goloop-extra.json": ["icx_sendTransactionAndWait", "icx_waitTransactionResult"],
        "goloop-irc2.json": ["icx_getScoreApi"],
    ]
}
