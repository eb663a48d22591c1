package import DaybookChains
package import DaybookEncoding

/// An output of a chain, spent or not.
package struct UTXOOutput: Hashable, Sendable {
    /// The transaction that spends an output.
    package struct Spender: Hashable, Sendable {
        /// The transaction.
        package let txid: TransactionID
        /// The height of its block; nil while it is in the mempool.
        package let height: Int?
    }

    /// Where the output is.
    package let outpoint: Outpoint
    /// Duffs.
    package let amount: UInt64
    /// Who may spend it.
    package let script: Bytes
    /// The height of its block; nil while it is in the mempool.
    package let height: Int?
    /// Whether it pays a miner.
    package let isCoinbase: Bool
    /// Whether InstantSend has locked the transaction that made it.
    package let isLocked: Bool
    /// What spends it; nil while nothing does.
    package let spender: Spender?
}
