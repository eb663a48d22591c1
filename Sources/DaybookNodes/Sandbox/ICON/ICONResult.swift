package import DaybookChains
package import DaybookEncoding

/// What a node knows of a transaction.
package enum ICONResult: Hashable, Sendable {
    /// It waits for a block.
    case pending
    /// It is in a block, whether it did what it was for or not.
    case executed(ICONReceipt)
    /// It never came, or waited for longer than its time allows.
    case unknown

    /// What `icx_getTransactionResult` says where there is no result.
    package func refusal(for hash: Bytes) -> ICONRefusal? {
        switch self {
        case .pending: .pending
        case .executed: nil
        case .unknown: .unknownTransaction(hash)
        }
    }
}
