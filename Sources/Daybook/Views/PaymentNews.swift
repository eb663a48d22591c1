/// What a sync tried with a payment, or found out about it.
public struct PaymentNews: Equatable, Sendable {
    /// What it is.
    public let kind: Kind
    /// The payment's request as it stands now; `reason` and `advice` say more.
    public let request: WalletRequest

    /// What can be new of a payment.
    public enum Kind: String, Sendable {
        /// It was sent, and a node took it.
        case sent
        /// It was sent, and no node took it.
        case notTaken
        /// A node had lost it, was given it again, and took it.
        case sentAgain
        /// Its block is no longer of the chain.
        case reorganised
        /// It has failed.
        case failed
        /// The caller was told that it is paid, and it is not.
        case lost
        /// Its cancellation is in a block, or locked: it can be executed no more.
        case cancelled
        /// It had been given up, and a block has it after all.
        case executed
    }
}
