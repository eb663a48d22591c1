@testable import DaybookChains
import DaybookCrypto
import DaybookDomain
import DaybookEncoding
@testable import DaybookNodes

/// A node of Dash or Axe with a chain that a test makes up, which answers as real ones do.
struct FakeCore: Sendable {
    var parameters: UTXOParameters
    var height: UInt64 = 200
    /// Blocks of different forks have different hashes.
    var fork: UInt8 = 0
    var held: [Held] = []
    /// Its answer about the time of a block.
    var blockTimes: [UInt64: JSON] = [:]
    var isLoading = false
    var estimate: String? = "0.00005224"
    var floor = "0.00001000"
    var sporks: ScriptedTransport.Reply = .result(
        .record(["SPORK_2_INSTANTSEND_ENABLED": .bool(true)]))
    var keepsAddresses = true
    var keepsTransactions = true

    /// A transaction that the node has.
    struct Held: Sendable {
        let transaction: UTXOTransaction
        let txid: TransactionID
        /// Nil in the mempool.
        var height: UInt64?

        init(_ transaction: UTXOTransaction, at height: UInt64?) {
            self.transaction = transaction
            txid = transaction.txid
            self.height = height
        }
    }

    init(_ chain: Chain = .dash, _ network: Network = .regtest) throws {
        guard let parameters = UTXOParameters.of(chain, network) else { throw Missing() }
        self.parameters = parameters
    }

    struct Missing: Error {}

    // MARK: - Making up

    func address(_ number: UInt8) -> ChainQuery.Watched {
        let script = script(number)
        let text = UTXOAddress(script, parameters)?.text ?? ""
        return .init(address: text, script: script.bytes, isUsed: false)
    }

    private func key(_ number: UInt8) -> PrivateKey? {
        PrivateKey(SecretBytes(copying: SHA256.hash([number])))
    }

    private func script(_ number: UInt8) -> Script {
        .p2pkh(Hash160.hash(key(number)?.publicKey.compressed ?? []))
    }

    /// A transaction with a signature for each input that spends what an address was paid.
    func signed(
        _ transaction: UTXOTransaction, hashType: UInt8 = UTXOTransaction.signatureHashAll
    ) -> UTXOTransaction {
        var signed = transaction
        for (index, input) in transaction.inputs.enumerated() {
            guard let spent = output(input.outpoint),
                let number = (0...UInt8.max).first(where: { script($0).bytes == spent.script }),
                let key = key(number),
                let digest = transaction.signatureDigest(
                    input: index, scriptCode: spent.script, hashType: hashType),
                let signature = key.sign(digest: digest)
            else { continue }
            signed.inputs[index].script = Script.pushing(
                [signature.der + [hashType], key.publicKey.compressed])
        }
        return signed
    }

    /// A transaction that pays amounts to addresses, in a block or not.
    @discardableResult
    mutating func pay(
        _ payments: [(UInt8, UInt64)], from inputs: [Outpoint]? = nil, at height: UInt64? = nil
    ) -> TransactionID {
        let nonce = UInt32(held.count)
        let stranger = TransactionID(hashing: [9, UInt8(truncatingIfNeeded: nonce), fork])
        let transaction = UTXOTransaction(
            inputs: (inputs ?? [Outpoint(stranger, nonce)]).map { UTXOTransaction.Input($0) },
            outputs: payments.map { number, amount in
                .init(amount: amount, script: address(number).script)
            })
        let item = Held(signed(transaction), at: height)
        held.append(item)
        return item.txid
    }

    func hash(_ height: UInt64) -> String {
        if height == 0 { return CoreNetwork.of(parameters)?.genesis ?? "" }
        return TransactionID(hashing: [fork, UInt8(height % 251), UInt8(height / 251)]).hex
    }

    var tip: ChainQuery.Tip {
        .init(height: height, hash: Bytes((TransactionID(hex: hash(height)) ?? .zero).displayed))
    }

    // MARK: - Answering

    func reply(_ call: ScriptedTransport.Call) -> ScriptedTransport.Reply {
        let parameter = call.parameters.arrayValue?.first ?? .null
        switch call.method {
        case "getblockhash":
            guard let asked = parameter.intValue, asked >= 0, asked <= height else {
                return .error(-8, "Block height out of range")
            }
            return .result(.string(hash(UInt64(asked))))
        case "getblockchaininfo":
            return .result(.record([
                "chain": .string(CoreNetwork.of(parameters)?.name ?? ""), "blocks": .int(height),
                "bestblockhash": .string(hash(height)),
                "difficulty": .number("4.656542373906925e-10"),
                "initialblockdownload": .bool(isLoading),
            ]))
        case "getbestblockhash": return .result(.string(hash(height)))
        case "getaddressmempool": return entries(parameter) { $0 == nil }
        case "getaddressdeltas":
            let start = parameter["start"]?.intValue ?? 0
            let end = parameter["end"]?.intValue ?? 0
            return entries(parameter) { height in
                height.map { start <= Int64($0) && Int64($0) <= end } ?? false
            }
        case "getrawtransaction": return transaction(parameter.stringValue ?? "")
        case "getmempoolinfo":
            return .result(.record([
                "mempoolminfee": .number(floor), "minrelaytxfee": .number("0.00001000"),
            ]))
        case "estimatesmartfee":
            return .result(.record([
                "feerate": estimate.map { .number($0) },
                "errors": estimate == nil
                    ? .array([.string("Insufficient data or no feerate found")]) : nil,
                "blocks": .int(estimate == nil ? 0 : 6),
            ]))
        case "spork": return sporks
        default: return .error(-32601, "Method not found")
        }
    }

    private func entries(
        _ parameter: JSON, in wanted: (UInt64?) -> Bool
    ) -> ScriptedTransport.Reply {
        guard keepsAddresses else { return .error(-5, "No information available for address") }
        var entries: [JSON] = []
        for text in parameter["addresses"]?.arrayValue ?? [] {
            guard let text = text.stringValue,
                let script = UTXOAddress(text, chain: parameters.chain)?.scriptPubKey
            else { return .error(-5, "Invalid address") }
            for item in held where wanted(item.height) {
                let txid = item.txid
                for output in item.transaction.outputs where output.script == script {
                    entries.append(entry(text, txid, Int64(output.amount), item.height))
                }
                for input in item.transaction.inputs {
                    guard let spent = output(input.outpoint), spent.script == script
                    else { continue }
                    entries.append(entry(text, txid, -Int64(spent.amount), item.height))
                }
            }
        }
        return .result(.array(entries))
    }

    private func entry(
        _ address: String, _ txid: TransactionID, _ satoshis: Int64, _ height: UInt64?
    ) -> JSON {
        .record([
            "address": .string(address), "txid": .string(txid.hex), "index": .int(0),
            "satoshis": .int(satoshis), "height": height.map { .int($0) },
            "timestamp": height == nil ? .int(1_795_215_235) : nil,
        ])
    }

    private func output(_ outpoint: Outpoint) -> UTXOTransaction.Output? {
        held.first { $0.txid == outpoint.txid }.flatMap { item in
            item.transaction.outputs.indices.contains(Int(outpoint.index))
                ? item.transaction.outputs[Int(outpoint.index)] : nil
        }
    }

    private func transaction(_ txid: String) -> ScriptedTransport.Reply {
        let use = "Use gettransaction for wallet transactions."
        guard let id = TransactionID(hex: txid), let item = held.first(where: { $0.txid == id }),
            keepsTransactions || item.height == nil
        else {
            return .error(
                -5, keepsTransactions
                    ? "No such mempool or blockchain transaction. " + use
                    : "No such mempool transaction. Use -txindex or provide a block hash to enable"
                        + " blockchain transaction queries. " + use)
        }
        return .result(.record([
            "txid": .string(txid), "hex": .string(Hex.encode(item.transaction.serialized())),
            "blockhash": item.height.map { .string(hash($0)) },
            "height": item.height.map { .int($0) },
            "blocktime": item.height.flatMap { blockTimes[$0] },
            "confirmations": item.height.map { .int(height - $0 + 1) },
            "instantlock": .bool(false), "instantlock_internal": .bool(false),
            "chainlock": .bool(false),
        ]))
    }
}

/// Scans a node without waiting.
func observe(
    _ transport: ScriptedTransport, _ parameters: UTXOParameters, _ question: ChainQuery,
    progress: ChainProgress? = nil
) async throws(ChainFailure) -> ChainSnapshot {
    try await UTXONode(parameters, transport, retries: RPCRetryPolicy(pauses: []) { _ in })
        .observe(question, progress: progress)
}

extension FakeCore {
    /// The answer of this node without a fault.
    func observe(_ question: ChainQuery) async throws(ChainFailure) -> ChainSnapshot {
        try await DaybookNodesTests.observe(
            ScriptedTransport { call, _ in reply(call) }, parameters, question)
    }
}
