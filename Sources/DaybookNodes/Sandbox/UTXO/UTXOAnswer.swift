package import DaybookChains

/// What comes back when a transaction is sent.
package enum UTXOAnswer: Hashable, Sendable {
    /// It is in the mempool.
    case accepted(TransactionID)
    /// It is not.
    case refused(UTXORefusal)
    /// No answer comes; the transaction may be in the mempool all the same.
    case silence
}
