package import DaybookEncoding

/// The block that had the transaction is no longer part of the chain.
package struct TransactionReorganised: TransactionFate {
    package static let type = "transaction.reorganised"
    package let wallet: WalletID
    package let txid: Bytes

    package init(wallet: WalletID, txid: Bytes) {
        self.wallet = wallet
        self.txid = txid
    }
}
