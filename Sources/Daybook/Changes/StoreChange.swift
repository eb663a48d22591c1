public import DaybookEncoding

/// The changes by some events: hints to front ends to read something again, never the values.
public struct StoreChange: Codable, Hashable, Sendable, Identifiable {
    /// The last event that the changes follow from.
    ///
    /// A subscription `after` this position continues with what follows.
    public let position: Position
    /// The changes, each once, in the order in which they first occurred.
    public let changes: [Change]

    /// The position.
    public var id: Position { position }

    /// A change from its parts.
    public init(position: Position, changes: [Change]) {
        self.position = position
        self.changes = changes
    }

    /// One thing that has changed.
    public struct Change: Codable, Hashable, Sendable {
        /// The kind of thing.
        public let what: What
        /// The request, for `request` and `callback`; nil if it may be any pending request.
        public let request: RequestID?
        /// The wallet, for `wallet` and `balance`.
        public let wallet: WalletID?

        /// A change of a thing.
        public init(_ what: What, request: RequestID? = nil, wallet: WalletID? = nil) {
            self.what = what
            self.request = request
            self.wallet = wallet
        }
    }

    /// The kinds of things that change.
    public enum What: String, Codable, Hashable, Sendable, CaseIterable {
        /// A request: its status, its prompt or what is known of its payment.
        case request
        /// A wallet's balance, or its history.
        case balance
        /// A callback is there, or was delivered.
        case callback
        /// A wallet: it was added, removed, unlocked or locked, or its next address is another one.
        case wallet
        /// A chain: its tip, its prices, or whether its node answers.
        case node
        /// The settings that decisions depend on.
        case policy
    }
}
