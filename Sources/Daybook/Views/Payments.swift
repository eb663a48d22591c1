public import DaybookEncoding

/// A callback URL for the front end to open.
public struct Callback: Codable, Hashable, Sendable, Identifiable {
    /// The request that it answers.
    public let request: RequestID
    /// The exact URL to open.
    public let url: String
    /// Whether the front end has opened it.
    public let isDelivered: Bool

    /// The request's id: a request has at most one callback.
    public var id: RequestID { request }

    /// A callback of a request.
    public init(request: RequestID, url: String, isDelivered: Bool = false) {
        self.request = request
        self.url = url
        self.isDelivered = isDelivered
    }
}

/// A payment that is signed and not yet in a block.
public struct InFlightPayment: Codable, Hashable, Sendable, Identifiable {
    /// Its request: `signed` until a node has accepted the transaction, then `sent`.
    ///
    /// `reason` says why no node has accepted it, `advice` what the user can do.
    public let request: WalletRequest
    /// The wallet that pays.
    public let wallet: WalletID?
    /// The wallet's label.
    public let walletLabel: String?
    /// When it was signed.
    public let since: Timestamp?
    /// When a node last gave a new reason for not accepting it.
    public let asked: Timestamp?
    /// The amounts that it reserves until the chain shows it.
    public let held: [Held]

    /// The request's id.
    public var id: RequestID { request.id }

    /// A payment for previews and tests of a front end.
    public init(
        request: WalletRequest, wallet: WalletID? = nil, walletLabel: String? = nil,
        since: Timestamp? = nil, asked: Timestamp? = nil, held: [Held] = []
    ) {
        (self.request, self.wallet, self.walletLabel) = (request, wallet, walletLabel)
        (self.since, self.asked, self.held) = (since, asked, held)
    }

    /// An amount that a payment reserves.
    public struct Held: Codable, Hashable, Sendable {
        /// `DASH`, `AXE`, `ICX` or a token's contract address.
        public let asset: String
        /// The asset's symbol.
        public let symbol: String
        /// The number of decimals of a whole coin; nil if the token's is not known.
        public let decimals: Int?
        /// The amount.
        public let amount: MinorAmount

        /// A reserved amount.
        public init(asset: String, symbol: String, decimals: Int?, amount: MinorAmount) {
            (self.asset, self.symbol) = (asset, symbol)
            (self.decimals, self.amount) = (decimals, amount)
        }

        /// The amount and its unit, such as `0.5 DASH`.
        public var text: String {
            guard let decimals else { return "\(amount) units of \(asset)" }
            return "\(amount.inCoins(decimals: decimals)) \(symbol)"
        }
    }
}

/// A change of a payment that a sync found, or an attempt to send it.
public struct PaymentChange: Codable, Hashable, Sendable, Identifiable {
    /// The changed thing.
    public let kind: Kind
    /// The payment's request in its current state; `reason` and `advice` say more.
    public let request: WalletRequest

    /// The request's id: a round names each payment once.
    public var id: RequestID { request.id }

    /// A change of a payment.
    public init(kind: Kind, request: WalletRequest) {
        self.kind = kind
        self.request = request
    }

    /// The kinds of changes.
    public enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// It was sent, and a node accepted it.
        case sent
        /// It was sent, and no node accepted it.
        case notTaken
        /// A node that had lost it accepted it again.
        case sentAgain
        /// Its block is no longer in the chain.
        case reorganised
        /// It has failed.
        case failed
        /// It is not paid, although the caller was told that it is.
        case lost
        /// Its cancellation is in a block or locked, so that it can't be executed any more.
        case cancelled
        /// It had been given up, but is in a block.
        case executed
    }
}
