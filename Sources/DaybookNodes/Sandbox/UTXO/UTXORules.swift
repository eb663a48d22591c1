import DaybookChains
import DaybookCrypto
import DaybookEncoding

/// The rules that depend on the transaction alone, in the nodes' order.
enum UTXORules {
    /// `CheckTransaction`: the consensus rules.
    static func checkConsensus(_ transaction: UTXOTransaction, size: Int) throws(UTXOFault) {
        guard !transaction.inputs.isEmpty else { throw .rule("bad-txns-vin-empty", .invalid) }
        guard !transaction.outputs.isEmpty else { throw .rule("bad-txns-vout-empty", .invalid) }
        guard size <= maximumBlockSize else { throw .rule("bad-txns-oversize", .invalid) }
        for output in transaction.outputs {
            // The wire format has a signed number, so the highest bit means a negative amount.
            guard output.amount <= UInt64(Int64.max) else {
                throw .rule("bad-txns-vout-negative", .invalid)
            }
            guard output.amount <= Duffs.maximum else {
                throw .rule("bad-txns-vout-toolarge", .invalid)
            }
        }
        guard Duffs.sum(transaction.outputs.map(\.amount)) != nil else {
            throw .rule("bad-txns-txouttotal-toolarge", .invalid)
        }
        guard Set(transaction.inputs.map(\.outpoint)).count == transaction.inputs.count else {
            throw .rule("bad-txns-inputs-duplicate", .invalid)
        }
        guard transaction.type == 0 else { throw .rule("bad-txns-type", .invalid) }
        guard !transaction.isCoinbase else { throw .rule("coinbase", .invalid) }
        guard !transaction.inputs.contains(where: { $0.outpoint == .null }) else {
            throw .rule("bad-txns-prevout-null", .invalid)
        }
    }

    /// `IsStandardTx`: the relay rules, which are stricter than those for blocks.
    static func checkStandard(
        _ transaction: UTXOTransaction, size: Int, on chain: Chain
    ) throws(UTXOFault) {
        guard (1...3).contains(transaction.version) else { throw .rule("version", .nonstandard) }
        guard size <= RelayPolicy.maximumSize else { throw .rule("tx-size", .nonstandard) }
        for input in transaction.inputs {
            guard input.script.count <= RelayPolicy.maximumInputScript else {
                throw .rule("scriptsig-size", .nonstandard)
            }
            guard Script.pushes(input.script) != nil else {
                throw .rule("scriptsig-not-pushonly", .nonstandard)
            }
        }
        var dataOutputs = 0
        for output in transaction.outputs {
            let script = Script(output.script)
            switch script {
            case .p2pkh, .p2sh, .p2pk: break
            case .data(let bytes) where bytes.count <= RelayPolicy.maximumDataScript:
                dataOutputs += 1
            case .data, .other: throw .rule("scriptpubkey", .nonstandard)
            }
            guard output.amount >= RelayPolicy.dust(of: script) else {
                throw .rule("dust", .nonstandard)
            }
        }
        guard dataOutputs <= 1 else { throw .rule("multi-op-return", .nonstandard) }
        guard size >= leastSize || chain == .axe else {
            throw .rule("tx-size-small", .nonstandard)
        }
    }

    /// `IsFinalTx`: the lock time, a height or a time, must have passed in the next block.
    static func checkFinal(_ transaction: UTXOTransaction, tip: UTXOTip) throws(UTXOFault) {
        let lockTime = UInt64(transaction.lockTime)
        let passed = lockTime < lockTimesAreTimes
            ? UInt64(tip.height + 1) : tip.time / 1_000_000
        guard lockTime == 0 || lockTime < passed
            || transaction.inputs.allSatisfy({ $0.sequence == UInt32.max })
        else { throw .rule("non-final", .nonstandard) }
    }

    /// Whether a fee exceeds the nodes' limit for absurd fees.
    static func isAboveGuard(fee: UInt64, size: Int, on chain: Chain) -> Bool {
        // Dash limits the fee rate, Axe the fee.
        let guarded = UTXOFees.absurd
        return fee > (chain == .axe ? guarded : guarded * UInt64(size) / 1000)
    }

    private static let maximumBlockSize = 1_000_000

    /// A transaction of 64 bytes could be mistaken for an inner node of the Merkle tree.
    private static let leastSize = 83

    /// Lock times from this number on are seconds since 1970, smaller ones are heights.
    private static let lockTimesAreTimes: UInt64 = 500_000_000
}

/// The beginning of a chain, which is computed and not stored in rows.
struct UTXOGenesis: Sendable {
    /// The height of a chain without mined blocks.
    let height: Int
    /// The transaction with the faucet's coins; nil if there is no faucet.
    let transaction: UTXOTransaction?
    let txid: TransactionID?
    /// The script of the faucet's coins.
    let faucetScript: Bytes
    private let chain: Chain

    /// The number of the faucet's coins at the beginning, and the size of each in duffs.
    static let coins = 100
    static let coinAmount = 20_000 * Duffs.perCoin

    /// The beginning of a chain.
    ///
    /// Those with a faucet are cached, because its key and coins take longer than most queries.
    static func of(_ parameters: UTXOParameters) -> Self {
        withFaucet.first { $0.chain == parameters.chain && parameters.network == .sandbox }
            ?? Self(parameters)
    }

    private static let withFaucet = [Chain.dash, .axe].compactMap { chain in
        UTXOParameters.of(chain, .sandbox).map { Self($0) }
    }

    private init(_ parameters: UTXOParameters) {
        chain = parameters.chain
        faucetScript = Script.p2pkh(
            Hash160.hash(Self.faucetKey(chain).publicKey.compressed)
        ).bytes
        guard parameters.network == .sandbox else {
            (height, transaction, txid) = (0, nil, nil)
            return
        }
        // A hundred empty blocks make the faucet's coins mature.
        height = RelayPolicy.coinbaseMaturity
        let coin = UTXOTransaction.Output(
            amount: Self.coinAmount, script: faucetScript)
        let name = Bytes("Daybook sandbox \(chain.rawValue)".utf8)
        let transaction = UTXOTransaction(
            inputs: [UTXOTransaction.Input(.null, script: Script.pushing([name]))],
            outputs: Array(repeating: coin, count: Self.coins))
        self.transaction = transaction
        txid = transaction.txid
    }

    /// The hash of a block without a row.
    func blockHash(at height: Int) -> TransactionID {
        TransactionID(hashing: Bytes("Daybook sandbox \(chain.rawValue) block \(height)".utf8))
    }

    /// The faucet's key, which is public: the SHA-256 of a sentence with the chain's name.
    static func faucetKey(_ chain: Chain) -> PrivateKey {
        let secret = SHA256.hash(Bytes("Daybook sandbox faucet \(chain.rawValue)".utf8))
        guard let key = PrivateKey(SecretBytes(copying: secret)) else {
            preconditionFailure("the digests of two sentences are below the group's order")
        }
        return key
    }
}
