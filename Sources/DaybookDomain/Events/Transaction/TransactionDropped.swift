package import DaybookEncoding

/// The network will never have a transaction any more of which its caller was told.
///
/// The coins that it held back are free again.
package struct TransactionDropped: TransactionFate {
    package static let type = "transaction.dropped"
    package let wallet: WalletID
    package let txid: Bytes

    package init(wallet: WalletID, txid: Bytes) {
        self.wallet = wallet
        self.txid = txid
    }
}
