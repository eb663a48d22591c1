package import DaybookEncoding

/// InstantSend (or a ChainLock) makes the transaction final.
package struct TransactionLocked: TransactionFate {
    package static let type = "transaction.locked"
    package let wallet: WalletID
    package let txid: Bytes

    package init(wallet: WalletID, txid: Bytes) {
        self.wallet = wallet
        self.txid = txid
    }
}
