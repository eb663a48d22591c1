import DaybookChains
import DaybookCrypto
import DaybookEncoding

/// The keys of a chain's rows.
struct UTXOKeys {
    private let prefix: Bytes

    init(_ chain: Chain) {
        prefix = Bytes("\(chain.rawValue)/".utf8)
    }

    /// How many times the chain was reorganised.
    var forks: Bytes { named("forks") }

    var switches: Bytes { named("switches") }

    /// Before the blocks, by height.
    var blocks: Bytes { named("block/") }

    /// Before the ids of the mempool's transactions, in the order of their coming.
    var pool: Bytes { named("pool/") }

    func block(_ height: Int) -> Bytes { blocks + BigEndian.bytes(UInt64(height)) }

    func pooled(_ number: UInt64) -> Bytes { pool + BigEndian.bytes(number) }

    func transaction(_ txid: TransactionID) -> Bytes { named("transaction/") + txid.bytes }

    /// Which transaction spends an output.
    func spender(_ outpoint: Outpoint) -> Bytes { named("spender/") + Self.outpoint(outpoint) }

    /// Before the outputs that a script has or had.
    func outputs(_ script: Bytes) -> Bytes { named("output/") + SHA256.hash(script) }

    func output(_ script: Bytes, _ outpoint: Outpoint) -> Bytes {
        outputs(script) + Self.outpoint(outpoint)
    }

    /// The output that ends a key.
    static func outpoint(endOf key: Bytes) -> Outpoint? {
        guard key.count >= 36, let txid = TransactionID(Bytes(key.suffix(36).prefix(32)))
        else { return nil }
        return Outpoint(txid, BigEndian.number(key.suffix(4)))
    }

    private func named(_ name: String) -> Bytes { prefix + Bytes(name.utf8) }

    private static func outpoint(_ outpoint: Outpoint) -> Bytes {
        outpoint.txid.bytes + BigEndian.fourBytes(outpoint.index)
    }
}
