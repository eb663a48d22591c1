/// The search for the used addresses of a wallet that was restored from its words.
public struct WalletSearch: Codable, Hashable, Sendable {
    /// How many unused addresses of each branch were asked about.
    public let gap: Int
    /// The accounts that were asked about, 0, 1, and on to the first unused one.
    public let accounts: [Account]
    /// Why the search ended early; nil if it did not.
    public let problem: NodeProblem?

    /// An account that was asked about.
    public struct Account: Codable, Hashable, Sendable {
        /// The account's number.
        public let number: Int
        /// Whether one of its addresses was paid before.
        public let isUsed: Bool
        /// Whether an address of its mixed coins (DIP 9) was paid before.
        public let isCoinJoinUsed: Bool

        /// An account for previews and tests of a front end.
        public init(number: Int, isUsed: Bool, isCoinJoinUsed: Bool = false) {
            (self.number, self.isUsed, self.isCoinJoinUsed) = (number, isUsed, isCoinJoinUsed)
        }

        /// Whether it was used in any way.
        var isFound: Bool { isUsed || isCoinJoinUsed }
    }

    /// Whether DIP 9's path of mixed coins was used on any account; nil if none was asked about.
    public var isCoinJoinUsed: Bool? {
        accounts.isEmpty ? nil : accounts.contains(where: \.isCoinJoinUsed)
    }

    /// Whether nothing was found where it was looked for.
    public var isEmpty: Bool { problem == nil && !accounts.contains(where: \.isFound) }

    /// A search for previews and tests of a front end.
    public init(gap: Int, accounts: [Account], problem: NodeProblem? = nil) {
        (self.gap, self.accounts, self.problem) = (gap, accounts, problem)
    }
}
