package import DaybookEncoding

/// InstantSend (or a ChainLock) makes the transaction final.
package struct TransactionLocked: TransactionFate {
    package static let type = "transaction.locked"
    package let wallet: UInt64
    package let txid: Bytes

    package init(wallet: UInt64, txid: Bytes) {
        self.wallet = wallet
        self.txid = txid
    }
}
