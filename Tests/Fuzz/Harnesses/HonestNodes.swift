import DaybookChains
import DaybookDomain
import DaybookEncoding
@testable import DaybookNodes

/// A chain of Dash of which one payment is known, in the words of Dash Core.
struct HonestChain: Sendable {
    let watched: ChainQuery.Watched
    let bytes: Bytes
    /// As displayed.
    let txid: Bytes
    private let genesis: String

    init?(_ parameters: UTXOParameters) {
        let script = Script.p2pkh(Bytes(repeating: 1, count: 20))
        guard let address = UTXOAddress(script, parameters),
            let network = CoreNetwork.of(parameters)
        else { return nil }
        watched = .init(address: address.text, script: script.bytes, isUsed: false)
        let parent = Outpoint(TransactionID(hashing: [1]), 0)
        let transaction = UTXOTransaction(
            inputs: [UTXOTransaction.Input(parent)],
            outputs: [.init(amount: 5000, script: script.bytes)])
        bytes = transaction.serialized()
        txid = Bytes(transaction.txid.bytes.reversed())
        genesis = network.genesis
    }

    /// The result of a call; nil for a call that there is not.
    @Sendable func answer(_ method: String, _ parameters: JSON) -> JSON? {
        let tip = String(repeating: "ab", count: 32)
        switch method {
        case "getblockhash":
            return .string(parameters.arrayValue?.first?.intValue == 0 ? genesis : tip)
        case "getblockchaininfo":
            return .record([
                "chain": .string("regtest"), "blocks": .int(9), "bestblockhash": .string(tip),
                "initialblockdownload": .bool(false),
            ])
        case "getbestblockhash": return .string(tip)
        case "getaddressmempool": return .array([])
        case "getaddressdeltas":
            return .array([.record(["txid": .string(Hex.encode(txid)), "height": .int(4)])])
        case "getrawtransaction":
            guard parameters.arrayValue?.first == .string(Hex.encode(txid)) else { return nil }
            return .record([
                "hex": .string(Hex.encode(bytes)), "blockhash": .string(tip), "height": .int(4),
                "confirmations": .int(6),
            ])
        case "getmempoolinfo":
            return .record([
                "mempoolminfee": .number("0.00001"), "minrelaytxfee": .number("0.00001"),
            ])
        case "estimatesmartfee": return .record(["feerate": .number("0.00002")])
        case "spork": return .record(["SPORK_2_INSTANTSEND_ENABLED": .bool(true)])
        case "sendrawtransaction": return .string(Hex.encode(txid))
        default: return nil
        }
    }
}

/// An ICON network with one account, one token and one transaction, in the words of goloop.
enum HonestICON {
    static let time: UInt64 = 1_795_216_217_196_745
    static let holder = "hxe7af5fcfd8dfc67530a01a0e403882687528dfcb"
    static let token = "cx3c70e865acff1a244dbc0cb7845ea6ab2c4fcfe9"
    static let txid = Bytes(repeating: 0xcd, count: 32)

    @Sendable static func answer(_ method: String, _ parameters: JSON) -> JSON? {
        switch method {
        case "icx_getNetworkInfo": return .record(["nid": .string("0x3")])
        case "icx_getLastBlock":
            return .record([
                "height": .int(1000), "time_stamp": .int(time),
                "block_hash": .string(String(repeating: "ef", count: 32)),
            ])
        case "icx_getBalance": return .string("0x2961fff8ca4a62327800000")
        case "icx_getTransactionResult":
            return .record([
                "txHash": .string("0x" + Hex.encode(txid)), "blockHeight": .string("0x3e0"),
                "stepUsed": .string("0x186a0"), "stepPrice": .string("0x2e90edd00"),
                "eventLogs": .array([]), "status": .string("0x1"),
            ])
        case "icx_sendTransaction": return .string("0x" + Hex.encode(txid))
        case "debug_estimateStep": return .string("0x30d40")
        case "icx_call": return call(parameters["data"]?["method"]?.stringValue ?? "")
        default: return nil
        }
    }

    private static func call(_ method: String) -> JSON? {
        switch method {
        case "getStepPrice": .string("0x2e90edd00")
        case "getStepCosts":
            .record([
                "default": .string("0x186a0"), "input": .string("0xc8"),
                "contractCall": .string("0x61a8"),
            ])
        case "getMaxStepLimit": .string("0x9502f900")
        case "symbol": .string("TKN")
        case "decimals": .string("0x12")
        case "balanceOf": .string("0x64")
        default: nil
        }
    }
}
