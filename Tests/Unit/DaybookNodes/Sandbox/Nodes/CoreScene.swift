import DaybookChains
import DaybookEncoding
import DaybookNodes
import NodeServer
import Testing

/// The situations of the Dash and Axe recordings, where their own exchanges do not make them.
///
/// The keys of the recorded wallets are not known, so that their transactions are made again with
/// keys of ours, and what came of them is looked for under its new name.
struct CoreScene {
    var player: RecordingPlayer
    private let server: NodeServer
    private let parameters: UTXOParameters

    init(_ chain: Chain) throws {
        server = try NodeServer(chain)
        server.settings.time = 1_795_215_235_000_000
        // A node alone has no masternodes that could lock anything.
        server.utxo { $0.switches.withholdsLocks = true }
        player = RecordingPlayer(server)
        parameters = try #require(UTXOParameters.of(chain, .regtest))
    }

    mutating func prepareAxe(for label: String) throws {
        switch label {
        case "getaddressbalance 100": try mine(100, "yT3FCKMxCNqZhdGNjLzk6fRNH2skQa4xXf")
        case "SRT confirmed, outputs spent": try mine(1, "yic9m4mS5d2oEFjQfQ3j3ZsG1JwoXLB9SL")
        case "dust 545": try mine(10, "yic9m4mS5d2oEFjQfQ3j3ZsG1JwoXLB9SL")
        default: break
        }
    }

    mutating func prepareDash(for label: String) throws {
        switch label {
        case "getblockchaininfo late": server.mine(1)
        case "getaddressmempool E": try payE()
        case "E utxos", "rawtx": server.mine()
        case "rawtx after reorg": server.mine(2)
        case "SRT E->C": try payFromE()
        case "invalidateblock":
            let tip = server.utxo { $0.tip.hash.hex }
            let lost = "27279dc7e88f0e28061d0fb164a6899d6163c0afc389489a91542042f1f94539"
            player.substitutions.append((lost, tip))
        case "send to p2pk": try payToKey()
        case "utxos p2pk+p2pkh under one address": server.mine()
        case "P2PK spent as P2PKH": try spendFromKey()
        case "estimatesmartfee late": server.settings.feeRate = 5_224
        default: break
        }
    }

    private func mine(_ count: Int, _ address: String) throws {
        let script = try #require(UTXOAddress(address, chain: parameters.chain)).script
        server.utxo { $0.mine(count, at: 1_795_215_235_000_000, to: script) }
    }

    // MARK: - A payment, before and after a reorganisation

    private var e: Payer { Payer(0x21, parameters) }

    private mutating func payE() throws {
        let txid = try server.fund(e.address.text, 250_000_000, mined: false)
        player.substitutions += [
            ("yiv1ya3GXarFGc1RKYAZzXWkXi7B6RWA96", e.address.text),
            ("f7dc90202f2fb3e10c9a97e8cd5acde13850b11a", Hex.encode(e.address.hash)),
            ("bde890f3ffc1e21829cd3b69f17a8ac13a10cb8e15f0f47dcd8304a193af65b9", txid.hex),
        ]
    }

    private mutating func payFromE() throws {
        let c = try #require(UTXOAddress("yLjpPU2uMD5utJYUJoWbg7ccVmPUcvdj1b", chain: .dash))
        let coins = server.utxo { $0.unspent(e) }
        let transaction = e.pay(
            [
                .init(amount: 100_000_000, script: c.scriptPubKey),
                .init(amount: 149_999_774, script: e.script),
            ], from: coins)
        try substitute(transaction, for: "SRT E->C")
    }

    // MARK: - An output to a bare key

    private var f: Payer { Payer(0x22, parameters) }

    private mutating func payToKey() throws {
        let funding = try server.fund(f.address.text, 300_000_000)
        player.substitutions += [
            ("yN7yBB9fM8ndaXXQP1D3hzSbc2iK3DFwMP", f.address.text),
            ("13c493697575e0e01f26798536b5b4e660f80af2", Hex.encode(f.address.hash)),
            (
                "02f26dbf1ab982cf485e74716044bf3b1aa093c9b325f00c7bbd680d056aeb06ad",
                Hex.encode(f.publicKey.compressed)
            ),
            ("4bdcc828a2292604152140b0adccb1314ac8e62d9e23292f604a1f897eacc893", funding.hex),
        ]
        let coins = server.utxo { $0.unspent(f) }
        let key = Script.p2pk(f.publicKey.compressed)
        let transaction = f.pay(
            [
                .init(amount: 100_000_000, script: key.bytes),
                .init(amount: 199_999_000, script: f.script),
            ], from: coins)
        try substitute(transaction, for: "send to p2pk")
    }

    private mutating func spendFromKey() throws {
        let key = Script.p2pk(f.publicKey.compressed).bytes
        let coins = server.utxo { $0.outputs(of: [key]) }
        try substitute(f.send(coins, to: f.script), for: "P2PK spent as P2PKH")
    }

    /// Sends our transaction where the recording sends its own, and looks for it by its id.
    private mutating func substitute(_ own: UTXOTransaction, for label: String) throws {
        let exchanges = try RecordingPlayer.exchanges("recordings/dash.jsonl")
        let exchange = try #require(exchanges.first { $0.label == label })
        let hex = try #require(exchange.request["params"]?.arrayValue?.first?.stringValue)
        let bytes = try #require(Hex.decode(hex))
        let recorded = try UTXOTransaction.parse(bytes)
        // The bytes go first: the names of addresses and keys would else change them.
        player.substitutions.insert((hex, Hex.encode(own.serialized())), at: 0)
        player.substitutions.append((recorded.txid.hex, own.txid.hex))
    }
}
