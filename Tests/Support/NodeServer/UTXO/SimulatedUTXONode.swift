import DaybookChains
import DaybookCrypto
import DaybookEncoding
import DaybookNodes

/// A Dash or Axe node on a sandbox chain.
struct SimulatedUTXONode: ServedNode {
    let parameters: UTXOParameters
    private var rows = MemoryRows()
    /// Scripts that pay to a bare key, by the hash of the key: the node lists them with addresses.
    var bareKeyScripts: [Bytes: Set<Bytes>] = [:]
    /// The hashes of the blocks that were taken for invalid.
    private var invalidated: Set<String> = []
    /// When a transaction of the mempool was first seen, in seconds since 1970.
    var seen: [TransactionID: UInt64] = [:]

    init(_ parameters: UTXOParameters) {
        self.parameters = parameters
    }

    /// The chain.
    var sandbox: UTXOSandbox {
        get { UTXOSandbox(rows, parameters) }
        _modify {
            var sandbox = UTXOSandbox(rows, parameters)
            // A second reference would make every write copy.
            rows = MemoryRows()
            defer { if let changed = sandbox.rows as? MemoryRows { rows = changed } }
            yield &sandbox
        }
    }

    var isAxe: Bool { parameters.chain == .axe }

    mutating func answer(_ call: ReceivedCall, _ settings: NodeServer.Settings) throws -> JSON {
        if sandbox.switches.isSilent { throw Silence() }
        for txid in sandbox.mempool where seen[txid] == nil {
            seen[txid] = settings.now / 1_000_000
        }
        let parameters = try UTXOParams(call)
        switch call.method {
        case "getblockhash", "getblockchaininfo", "getbestblockhash", "getblockcount",
            "getnetworkinfo", "getmempoolinfo", "getrawmempool", "spork", "mnsync",
            "getbestchainlock", "estimatesmartfee", "validateaddress", "getblockheader":
            return try chainAnswer(call.method, parameters, settings)
        case "getaddressutxos", "getaddressmempool", "getaddressdeltas", "getaddresstxids",
            "getaddressbalance":
            guard settings.hasAddressIndex else {
                throw NodeRefusal(-5, "No information available for address")
            }
            return try addressAnswer(call.method, parameters)
        case "getrawtransaction": return try rawTransaction(parameters, settings)
        case "gettxout": return try output(parameters, settings)
        case "sendrawtransaction": return try send(parameters)
        case "generatetoaddress": return try generate(parameters, settings)
        case "invalidateblock": return try invalidate(parameters, settings)
        case "reconsiderblock":
            let hash = try parameters.hash(0, "blockhash")
            if !invalidated.contains(hash) { _ = try height(of: hash, settings) }
            return .null
        default: throw NodeRefusal(-32601, "Method not found")
        }
    }

    /// A block's hash; the first one is as the real network's.
    func blockHash(at height: Int, _ settings: NodeServer.Settings) -> String? {
        if height == 0 {
            let known = settings.genesis ?? Self.genesis(parameters)
            return known ?? sandbox.blockHash(at: 0)?.hex
        }
        return sandbox.blockHash(at: height)?.hex
    }

    func height(of hash: String, _ settings: NodeServer.Settings) throws -> Int {
        let tip = sandbox.tip.height
        guard let height = (0...tip).last(where: { blockHash(at: $0, settings) == hash }) else {
            throw NodeRefusal(-5, "Block not found")
        }
        return height
    }

    static func genesis(_ parameters: UTXOParameters) -> String? {
        switch (parameters.chain, parameters.network) {
        case (.dash, .mainnet): "00000ffd590b1485b3caadc19b22e6379c733355108f107a430458cdf3407ab6"
        case (.dash, .testnet): "00000bafbc94add76cb75e2ec92894837288a481e5c005f6563d91623bf8bc2c"
        case (.dash, .regtest): "000008ca1832a4baf228eb1553c03d3a2c8e02399550dd6ea8d65cec3ef23d2e"
        case (.axe, .mainnet): "00000c33631ca6f2f61368991ce2dc03306b5bb50bf7cede5cfbba6db38e52e6"
        case (.axe, .testnet): "000005b709662e7bc5e89c71d3aba6c9d4623b4bbf44ac205caec55f4cefb483"
        case (.axe, .regtest): "2026b8850f3774a0536152ba868c4dcbde9aef5ffc28a5d23f76f80e9b46e565"
        default: nil
        }
    }
}

// MARK: - What changes the chain

extension SimulatedUTXONode {
    private mutating func send(_ arguments: UTXOParams) throws -> JSON {
        if let second = arguments[1] {
            if isAxe, second.boolValue == nil {
                throw NodeRefusal(-3, "Expected type bool, got \(second.typeName)")
            }
            if !isAxe, second.numberLiteral == nil, second.stringValue == nil {
                throw NodeRefusal(-3, "Amount is not a number or string")
            }
        }
        // Text that is not hexadecimal is refused like bytes that are no transaction.
        let bytes = Hex.decode(try arguments.string(0)) ?? []
        var after = sandbox
        let answer = after.submit(bytes)
        if !isAxe, case .accepted(let txid) = answer, let highest = Self.rate(arguments[1]),
            let fee = fee(of: txid, in: after), fee * 1000 > highest * UInt64(bytes.count)
        {
            throw NodeRefusal(
                -25, "Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)")
        }
        sandbox = after
        switch answer {
        case .accepted(let txid):
            if let transaction = try? UTXOTransaction.parse(bytes) { learn(transaction) }
            return .string(txid.hex)
        case .refused(let refusal): throw NodeRefusal(refusal)
        case .silence: throw Silence()
        }
    }

    /// The rate above which the caller wants no transaction, in duffs for 1000 bytes.
    private static func rate(_ parameter: JSON?) -> UInt64? {
        let text = parameter?.numberLiteral ?? parameter?.stringValue
        // A request may have an exponent here, which none of our own amounts has.
        guard let rate = text.flatMap({ Double($0) }), rate > 0 else { return nil }
        return UInt64((rate * Double(Duffs.perCoin)).rounded())
    }

    private mutating func learn(_ transaction: UTXOTransaction) {
        for output in transaction.outputs {
            guard case .p2pk(let key) = Script(output.script) else { continue }
            bareKeyScripts[Hash160.hash(key), default: []].insert(output.script)
        }
    }

    private mutating func generate(
        _ arguments: UTXOParams, _ settings: NodeServer.Settings
    ) throws -> JSON {
        let count = try arguments.int(0)
        guard let address = address(try arguments.string(1)) else {
            throw NodeRefusal(-5, "Error: Invalid address")
        }
        let before = sandbox.tip.height
        sandbox.mine(count, at: settings.now, to: address.script)
        let heights = (before + 1)..<(sandbox.tip.height + 1)
        return .array(heights.compactMap { blockHash(at: $0, settings).map { .string($0) } })
    }

    /// The sandbox has no chain without a successor: the lost blocks are replaced at once.
    private mutating func invalidate(
        _ arguments: UTXOParams, _ settings: NodeServer.Settings
    ) throws -> JSON {
        let hash = try arguments.hash(0, "blockhash")
        let height = try height(of: hash, settings)
        invalidated.insert(hash)
        _ = sandbox.reorganise(sandbox.tip.height - height + 1, at: settings.now)
        return .null
    }

    /// An address of this chain and network.
    func address(_ text: String) -> UTXOAddress? {
        guard let address = UTXOAddress(text, chain: parameters.chain),
            address.format == parameters.format
        else { return nil }
        return address
    }
}

// MARK: - Money for tests

extension SimulatedUTXONode {
    /// Pays from coinbases of the server's own, which are mined when there are none.
    mutating func fund(_ text: String, _ duffs: UInt64, at now: UInt64) throws -> TransactionID {
        guard let address = address(text) else { throw NodeRefusal(-5, "Invalid address") }
        let secret = SHA256.hash(Bytes("Daybook node server".utf8))
        guard let key = PrivateKey(SecretBytes(copying: secret)) else {
            throw NodeRefusal(-4, "no key")
        }
        let own = UTXOAddress(key.publicKey, parameters)
        var coins = matureCoins(own.scriptPubKey, duffs + 100_000)
        if coins.isEmpty {
            let count = Int(duffs / UTXOSandbox.subsidy) + 2
            sandbox.mine(count, at: now, to: own.script)
            sandbox.mine(100, at: now)
            coins = matureCoins(own.scriptPubKey, duffs + 100_000)
        }
        let total = coins.reduce(0) { $0 + $1.amount }
        let fee = UInt64(coins.count * 148 + 78)
        var transaction = UTXOTransaction(
            inputs: coins.map { UTXOTransaction.Input($0.outpoint) },
            outputs: [
                .init(amount: duffs, script: address.scriptPubKey),
                .init(amount: total - duffs - fee, script: own.scriptPubKey),
            ])
        for (index, coin) in coins.enumerated() {
            let digest = transaction.signatureDigest(input: index, scriptCode: coin.script)
            guard let signature = key.sign(digest: digest) else {
                throw NodeRefusal(-4, "no signature")
            }
            transaction.inputs[index].script = Script.pushing(
                [signature.der + [UTXOTransaction.signatureHashAll], key.publicKey.compressed])
        }
        guard case .accepted(let txid) = sandbox.submit(transaction.serialized()) else {
            throw NodeRefusal(-4, "the funding was refused")
        }
        return txid
    }

    /// Coins that suffice; none where all together do not.
    private func matureCoins(_ script: Bytes, _ duffs: UInt64) -> [UTXOOutput] {
        let height = sandbox.tip.height
        var coins: [UTXOOutput] = []
        for coin in sandbox.outputs(of: [script]) where coin.spender == nil {
            guard let made = coin.height,
                !coin.isCoinbase || height + 1 - made >= RelayPolicy.coinbaseMaturity
            else { continue }
            coins.append(coin)
            if coins.reduce(0, { $0 + $1.amount }) >= duffs { return coins }
        }
        return []
    }
}
