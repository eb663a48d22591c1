package import DaybookEncoding

/// An unspent output that a wallet could spend.
package struct Coin: Hashable, Sendable {
    /// Where the output is.
    package let outpoint: Outpoint
    /// Duffs.
    package let amount: UInt64
    /// The script of the output.
    package let script: Bytes
    /// How many blocks lie on it, its own included; 0 while it is in no block.
    package let confirmations: Int
    /// Whether it pays a miner, and so is spendable only when it lies deep.
    package let isCoinbase: Bool
    /// Whether InstantSend has locked the transaction that made it.
    package let isLocked: Bool

    /// An output as a node reported it.
    package init(
        outpoint: Outpoint, amount: UInt64, script: Bytes, confirmations: Int,
        isCoinbase: Bool = false, isLocked: Bool = false
    ) {
        self.outpoint = outpoint
        self.amount = amount
        self.script = script
        self.confirmations = confirmations
        self.isCoinbase = isCoinbase
        self.isLocked = isLocked
    }

    /// Whether a node would take a transaction that spends this coin.
    package var isMature: Bool {
        !isCoinbase || confirmations >= RelayPolicy.coinbaseMaturity
    }
}
