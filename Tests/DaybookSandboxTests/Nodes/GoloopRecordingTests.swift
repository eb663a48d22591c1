import DaybookChains
import DaybookEncoding
import DaybookSandbox
import NodeServer
import Testing

/// goloop 1.4.4 as recorded, against the server that stands for it.
struct GoloopRecordingTests {
    @Test(arguments: [("goloop.json", 86), ("goloop-extra.json", 31), ("goloop-irc2.json", 12)])
    func `the sandbox answers as goloop does`(file: String, compared: Int) throws {
        let server = try NodeServer(.icon)
        // The recorded node ran without --validate_tx_on_send.
        server.settings.time = 0
        server.icon { $0.switches.takesUnpayable = true }
        var player = RecordingPlayer(server)
        player.substitutions = [
            ("cx3c70e865acff1a244dbc0cb7845ea6ab2c4fcfe9", ICONSandbox.token.text)
        ]
        for exchange in try RecordingPlayer.exchanges("icon/\(file)") {
            guard !Self.isSignedForAnotherToken(exchange, file) else { continue }
            try prepare(server, for: exchange)
            try player.play(exchange)
        }
        player.check(
            Self.known[file] ?? [], unanswered: Self.unanswered[file] ?? [])
        #expect(player.compared == compared)
    }

    /// The times of these are off on purpose; the others are sent at their own time.
    private static let lateBy: [String: Int64] = [
        "timestamp 10 min ago": 600_000_000, "timestamp 10 min ahead": -600_000_000,
        "timestamp in ms": 1_793_400_000_000_000, "sent again, expired": 300_214_695,
    ]

    /// The recorded token was deployed, ours is there from the beginning: what was signed for the
    /// one can't be sent to the other.
    private static func isSignedForAnotherToken(
        _ exchange: RecordedExchange, _ file: String
    ) -> Bool {
        guard file == "goloop-irc2.json" else { return false }
        let isRefused = exchange.status == 400 && exchange.body.contains("-32602")
        switch exchange.request["method"]?.stringValue {
        case "icx_sendTransaction", "icx_getTransactionResult": return !isRefused
        default: return false
        }
    }

    /// Sets the clock, and mines what the recorded node had mined by itself.
    private func prepare(_ server: NodeServer, for exchange: RecordedExchange) throws {
        let params = exchange.request["params"]
        if let time = params?["timestamp"]?.stringValue.flatMap(ICONInteger.parseSmall) {
            let late = Self.lateBy[exchange.label] ?? 0
            server.settings.time = UInt64(Int64(clamping: time) + late)
        }
        let now = server.settings.now
        switch exchange.request["method"]?.stringValue {
        case "icx_sendTransactionAndWait" where exchange.status == 200:
            let signed = try #require(params)
            server.icon { sandbox in
                _ = sandbox.submit(signed, at: now)
                sandbox.mine(at: now)
            }
        case "icx_getTransactionResult" where exchange.status == 200:
            server.mine()
        case "icx_getTransactionResult" where exchange.body.contains("-31004"):
            // What waits without funds is dropped when its time is over.
            server.icon { _ = $0.mine(at: now + 300_000_000) }
        default: break
        }
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
        "goloop-irc2.json": [
            KnownDifference("icx_call", "result", label: "name", token),
            KnownDifference("icx_call", "result", label: "symbol", token),
            KnownDifference("icx_call", "result", label: "totalSupply", token),
            KnownDifference("icx_call", "result", label: "balanceOf", token),
            KnownDifference("debug_estimateStep", "result", token),
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
