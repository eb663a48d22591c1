/// What was looked at when a wallet was restored from its words.
public struct WalletSearch: Codable, Hashable, Sendable {
    /// How many unused addresses of each branch were asked about.
    public let gap: Int
    /// The accounts that were asked about, 0, 1, and on to the first unused one.
    public let accounts: [Account]
    /// Whether DIP 9's path of mixed coins was used; nil if it was not asked about.
    public let isCoinJoinUsed: Bool?
    /// Why the search ended early; nil if it did not.
    public let problem: NodeProblem?

    /// An account that was asked about.
    public struct Account: Codable, Hashable, Sendable {
        /// The account's number.
        public let number: Int
        /// Whether one of its addresses was paid before.
        public let isUsed: Bool

        /// An account for previews and tests of a front end.
        public init(number: Int, isUsed: Bool) {
            (self.number, self.isUsed) = (number, isUsed)
        }
    }

    /// Whether nothing was found where it was looked for.
    public var isEmpty: Bool {
        problem == nil && isCoinJoinUsed != true && !accounts.contains { $0.isUsed }
    }

    /// A search for previews and tests of a front end.
    public init(
        gap: Int, accounts: [Account], isCoinJoinUsed: Bool? = nil, problem: NodeProblem? = nil
    ) {
        (self.gap, self.accounts) = (gap, accounts)
        (self.isCoinJoinUsed, self.problem) = (isCoinJoinUsed, problem)
    }
}
