import DaybookChains
import DaybookEncoding

/// Coins that a wallet has and can't spend now: how much, held by what, and until when.
struct Shortage {
    private var items: [Item] = []

    /// Coins that become free when one thing happens.
    private struct Item {
        let cause: Cause
        var amount: UInt256
    }

    /// The reasons why coins can't be spent.
    private enum Cause: Equatable {
        /// A request's transaction is to spend them.
        case reserved(by: RequestID)
        /// They are change at the end of a chain of payments; the first one, if it is ours.
        case chain(from: RequestID?)
        /// No block has the transaction of somebody else that brought them.
        case unconfirmed
        /// The user froze them.
        case frozen
        /// They are a block reward, which can be spent from this height on.
        case immature(until: UInt64)
    }

    private let coin: TokenUnit
    private let untils: [RequestID: String]

    /// The coins of a Dash or Axe wallet.
    init(
        of wallet: WalletID, _ owner: WalletAdded, _ state: State,
        _ chains: inout UnconfirmedChains
    ) {
        coin = owner.chain.rules.coin
        var found: [Item] = []
        var requests: [RequestID: String] = [:]
        let tip = state.chain(owner.chain, owner.network).height
        let rows = state.outputs.rows(.first(wallet)).map(\.row)
        for row in rows where row.output.spentBy == nil {
            guard let cause = Self.cause(row, at: tip, state, &chains) else { continue }
            let amount = UInt256(row.output.amount)
            if let index = found.firstIndex(where: { $0.cause == cause }) {
                found[index].amount = found[index].amount.adding(amount) ?? .max
            } else {
                found.append(Item(cause: cause, amount: amount))
            }
            if case .reserved(let id) = cause { requests[id] = Self.until(id, state) }
        }
        items = found
        untils = requests
    }

    /// The amounts of an ICON wallet that requests reserve, in the coin or a token.
    init(of wallet: WalletID, asset: String, in unit: TokenUnit, _ state: State) {
        coin = unit
        var requests: [RequestID: String] = [:]
        for id in state.inFlight() {
            guard let row = state.request(id), row.payment?.wallet == wallet else { continue }
            for item in state.held(by: id, row) where item.asset == asset {
                items.append(Item(cause: .reserved(by: id), amount: item.amount))
                requests[id] = Self.until(id, state)
            }
        }
        untils = requests
    }

    private static func cause(
        _ row: OutputRow, at tip: UInt64, _ state: State, _ chains: inout UnconfirmedChains
    ) -> Cause? {
        if let id = row.reservedBy { return .reserved(by: id) }
        if row.isFrozen { return .frozen }
        let output = row.output
        guard let height = output.height else {
            guard row.isOurs else { return .unconfirmed }
            let package = chains.package(of: output.outpoint.txid, state)
            if package.takes(childOf: RemedySpending.size) { return nil }
            return .chain(from: chains.first(of: package, state))
        }
        let depth = UInt64(RelayPolicy.coinbaseMaturity)
        guard output.coinbase, !row.isMature, height < .max - depth else { return nil }
        return .immature(until: height + depth)
    }

    /// The event that ends a request's reservation.
    private static func until(_ id: RequestID, _ state: State) -> String {
        guard let row = state.request(id) else { return "it ends" }
        if row.request?.chain.rules.ledger == .accounts {
            let end = row.payment?.until.map { ", or it expires at \(Timestamp.seconds($0))" }
            return "a block has its transaction\(end ?? "")"
        }
        switch row.status {
        case .approved, .signed:
            return "a node shows its transaction, or you reject it (daybook reject \(id))"
        case .received, .deferred, .pending, .sent, .completed, .refused, .coalesced, .rejected,
            .expired, .failed, .cancelled:
            return "a sync shows its transaction, and the change comes back"
        }
    }

    /// The holders of the lacking coins, and until when; nil if those would not be enough.
    func reason(lacking: UInt64) -> String? { reason(lacking: UInt256(lacking)) }

    /// The holders of the lacking amount, and until when; nil if it would not be enough.
    func reason(lacking: UInt256) -> String? {
        let all = items.reduce(UInt256.zero) { $0.adding($1.amount) ?? .max }
        guard !items.isEmpty, all >= lacking else { return nil }
        let largest = items.enumerated().sorted {
            $0.element.amount == $1.element.amount
                ? $0.offset < $1.offset : $0.element.amount > $1.element.amount
        }.map(\.element)
        let shown = largest.prefix(Self.shown).map(sentence)
        let rest = items.count - shown.count
        return (shown + (rest > 0 ? ["\(rest) more hold smaller amounts"] : []))
            .joined(separator: "; ")
    }

    /// The number of causes that are named.
    private static let shown = 3

    private func sentence(_ item: Item) -> String {
        let amount = DecimalAmount.format(item.amount, decimals: coin.decimals)
        let text = "\(amount) \(coin.asset)"
        switch item.cause {
        case .reserved(let id):
            return "request \(id) reserves \(text) until \(untils[id] ?? "it ends")"
        case .chain(let first):
            let end = first.map { "request \($0), the first of them" } ?? "the first of them"
            return "\(text) are the change of as many payments in a row as nodes take without a"
                + " block: wait until a block has \(end)"
        case .unconfirmed: return "\(text) were received and can be spent once a block has them"
        case .frozen: return "\(text) are frozen until you unfreeze them (daybook coin unfreeze)"
        case .immature(let height):
            return "\(text) of block rewards can be spent from block \(height) on"
        }
    }
}
