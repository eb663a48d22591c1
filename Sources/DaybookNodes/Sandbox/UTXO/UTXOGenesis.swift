import DaybookChains
import DaybookCrypto
import DaybookEncoding

/// How a chain begins: nothing of it needs a row.
struct UTXOGenesis: Sendable {
    /// The height that a chain without blocks has.
    let height: Int
    /// The coins of the faucet; nil where there is no faucet.
    let transaction: UTXOTransaction?
    let txid: TransactionID?
    /// What the faucet's coins pay to.
    let faucetScript: Bytes
    private let chain: Chain

    /// How many coins the faucet begins with, and how large each is, in duffs.
    static let coins = 100
    static let coinAmount = 20_000 * Duffs.perCoin

    /// The beginning of a chain. Those with a faucet are made once: its key and its coins take
    /// longer than most questions.
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
        // A hundred empty blocks lie on the faucet's coins, so that they are mature.
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

    /// The hash of a block that has no row.
    func blockHash(at height: Int) -> TransactionID {
        TransactionID(hashing: Bytes("Daybook sandbox \(chain.rawValue) block \(height)".utf8))
    }

    /// The faucet's key, which is public knowledge: SHA-256 of a sentence, one for each chain.
    static func faucetKey(_ chain: Chain) -> PrivateKey {
        let secret = SHA256.hash(Bytes("Daybook sandbox faucet \(chain.rawValue)".utf8))
        guard let key = PrivateKey(SecretBytes(copying: secret)) else {
            preconditionFailure("the digests of two sentences are below the group's order")
        }
        return key
    }
}
