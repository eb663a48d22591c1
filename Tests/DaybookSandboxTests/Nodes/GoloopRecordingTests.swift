import DaybookChains
import DaybookEncoding
import DaybookSandbox
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

    /// What differs, and why.
    private static let known: [String: [KnownDifference]] = [
        "goloop.json": results + [
            KnownDifference("icx_getBlockByHeight", "result.block_hash", hashes),
            KnownDifference(
                "icx_getBlockByHeight", "result.confirmed_transaction_list",
                "the sandbox begins without a transaction that says how"),
            KnownDifference("icx_getBlockByHeight", "result.merkle_tree_root_hash", hashes),
            KnownDifference("icx_getLastBlock", "result.block_hash", hashes),
            KnownDifference("icx_getLastBlock", "result.prev_block_hash", hashes),
            KnownDifference("icx_getLastBlock", "result.height", heights),
            KnownDifference("icx_getLastBlock", "result.time_stamp", heights),
            KnownDifference("icx_getLastBlock", "result.peer_id", "nobody else validates"),
            KnownDifference("icx_getNetworkInfo", "result.latest", heights),
            KnownDifference("icx_getTransactionByHash", "result.blockHash", hashes),
            KnownDifference("icx_getTransactionByHash", "result.blockHeight", heights),
            KnownDifference(
                "icx_getTransactionResult", "result.cumulativeStepUsed", label: "  its result",
                together),
            KnownDifference(
                "icx_getTransactionResult", "result.txIndex", label: "  its result", together),
            KnownDifference(
                "icx_sendTransaction", "error", label: "data too large",
                "the recording has a note in place of the data"),
            KnownDifference(
                "icx_sendTransaction", "error.message", label: "timestamp 10 min ago", moments),
            KnownDifference(
                "icx_sendTransaction", "error.message", label: "timestamp 10 min ahead", moments),
            KnownDifference(
                "icx_sendTransaction", "error.message", label: "timestamp in ms", moments),
        ],
        "goloop-extra.json": results + [
            KnownDifference(
                "icx_getTransactionResult", "error", label: "result of the first, now funded",
                "the sandbox executes at once what it mines")
        ],
        "goloop-irc2.json": results + [
            KnownDifference(
                "icx_getTransactionResult", "result.logsBloom", "no wallet asks a Bloom filter"),
            KnownDifference("icx_call", "result", label: "name", token),
            KnownDifference("icx_call", "result", label: "symbol", token),
            KnownDifference("icx_call", "result", label: "totalSupply", token),
        ],
    ]

    private static let results = [
        KnownDifference("icx_getTransactionResult", "result.blockHash", hashes),
        KnownDifference("icx_getTransactionResult", "result.blockHeight", heights),
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
