import DaybookDomain
public import DaybookEncoding
import DaybookReplay

/// The change of a wallet's balance of one asset by one transaction.
///
/// The amounts of all entries of an asset add up to its balance, confirmed and unconfirmed. A
/// payment between two wallets is in both histories.
public struct HistoryEntry: Codable, Hashable, Sendable, Identifiable {
    /// Its number in the wallet's history: from 1, in the order in which they were recorded.
    public let id: UInt64
    /// The event that recorded the transaction first.
    public let position: Position
    /// The transaction's kind.
    public let kind: Kind
    /// When it was recorded first.
    public let time: Timestamp
    /// The height of its block; nil if none is recorded.
    public let height: UInt64?
    /// When its block was made as its node says; nil if it did not say.
    public let blockTime: Timestamp?
    /// `DASH`, `AXE`, `ICX` or a token's contract address.
    public let asset: String
    /// The asset's symbol.
    public let symbol: String
    /// The number of decimals of a whole coin; nil if the token's is not known.
    public let decimals: Int?
    /// The wallet's gain, or its loss as a negative amount; the fee is in it.
    public let amount: MinorAmount
    /// The part of the amount that was the fee, of the same asset.
    ///
    /// Nil if another wallet paid for the transaction, or if it was not made by this store.
    public let fee: MinorAmount?
    /// The address that a request's transaction pays.
    public let recipient: String?
    /// The transaction's id or hash in hex; nil for a change of a balance that a node reported.
    public let transaction: String?
    /// The request that made the transaction.
    public let request: RequestID?
    /// The request's status, as everywhere else.
    public let status: WalletRequest.Status?
    /// The user's label of the transaction, or else of the request; untrusted if imported.
    public let label: String?
    /// The worth of the amount when it moved, with the same sign: decimal, in `worthCurrency`.
    ///
    /// Nil where no price of the seven days before is recorded.
    public let worth: String?
    /// The currency of `worth`, such as `EUR`.
    public let worthCurrency: String?

    /// An entry for previews and tests of a front end.
    public init(
        id: UInt64, position: Position = 0, kind: Kind,
        time: Timestamp = Timestamp(microseconds: 0), height: UInt64? = nil,
        blockTime: Timestamp? = nil, asset: String, symbol: String, decimals: Int?,
        amount: MinorAmount, fee: MinorAmount? = nil, recipient: String? = nil,
        transaction: String? = nil, request: RequestID? = nil,
        status: WalletRequest.Status? = nil, label: String? = nil, worth: String? = nil,
        worthCurrency: String? = nil
    ) {
        (self.id, self.position, self.kind) = (id, position, kind)
        (self.time, self.height, self.blockTime) = (time, height, blockTime)
        (self.asset, self.symbol, self.decimals) = (asset, symbol, decimals)
        (self.amount, self.fee, self.recipient) = (amount, fee, recipient)
        (self.transaction, self.request, self.status) = (transaction, request, status)
        (self.label, self.worth, self.worthCurrency) = (label, worth, worthCurrency)
    }

    /// The kinds of transactions, as a wallet sees them.
    public enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// More came in than went out.
        case received
        /// More went out than came in.
        case sent
        /// All came back to the wallet but the fee.
        case moved
        /// ICON: the fee of a transaction that sent no ICX.
        case fee
        /// ICON: a block has the transaction, and its execution failed: only the fee is gone.
        case failed
        /// The chain no longer has the transaction: it has changed nothing.
        case undone
        /// The wallet was removed from the store, with its balance.
        case removed
    }
}

extension HistoryEntry {
    /// An entry from its row and the rows of its transaction and request.
    init(
        _ number: UInt64, _ row: HistoryRow, of wallet: WalletID, in state: State,
        priced prices: BookWorth
    ) {
        let meaning = state.meaning(of: row, in: wallet)
        let paid = meaning.isPayer ? meaning.request : nil
        let terms = paid.flatMap { id in
            state.request(id).map { RequestedTerms(id, $0, state) }
        }
        let unit = state.unit(of: row.asset, in: wallet)
        let worth = prices.worth(of: row, in: wallet)
        self.init(
            id: number, position: row.position, kind: Kind(meaning.kind),
            time: Timestamp(microseconds: row.time), height: row.height,
            blockTime: Timestamp(row.blockTime), asset: row.asset, symbol: unit.symbol,
            decimals: unit.decimals, amount: MinorAmount(row.amount),
            fee: meaning.fee.map { MinorAmount($0) }, recipient: terms?.recipient,
            transaction: row.txid.map { Hex.encode($0) }, request: meaning.request,
            status: meaning.request.flatMap { state.request($0) }.map {
                WalletRequest.Status(state.status(of: $0))
            }, label: state.label(ofTransaction: row.txid, by: meaning.request),
            worth: worth?.amount, worthCurrency: worth?.currency)
    }
}

extension MinorAmount {
    fileprivate init(_ amount: SignedAmount) {
        self.init(amount.magnitude, isNegative: amount.isNegative)
    }
}

extension HistoryEntry.Kind {
    fileprivate init(_ kind: HistoryMeaning.Kind) {
        switch kind {
        case .received: self = .received
        case .sent: self = .sent
        case .moved: self = .moved
        case .fee: self = .fee
        case .failed: self = .failed
        case .undone: self = .undone
        case .removed: self = .removed
        }
    }
}
