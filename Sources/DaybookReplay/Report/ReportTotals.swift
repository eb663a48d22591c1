import DaybookChains
import DaybookDomain
import DaybookEncoding

/// The sums of what a report lists: by wallet and asset, by month, by sender.
///
/// They follow from the wallets' histories as of the end of the log: a payment that came to
/// nothing counts nowhere. A movement's time is its block's, where a node told it.
struct ReportTotals {
    private(set) var accounts: [BalanceKey: Account] = [:]
    private(set) var months: [MonthKey: Sum] = [:]
    private(set) var senders: [KeyText: Sender] = [:]
    /// The assets of `accounts`, in order: the script's data names an asset by its place here.
    private(set) var assets: [BookAsset] = []

    /// A log has only as many senders in a list of their own; all others are one.
    private static let mostSenders = 1000

    /// The amounts that came into wallets and went out.
    struct Sum {
        var received = SignedAmount.zero
        /// Without the fees.
        var sent = SignedAmount.zero
        var fees = SignedAmount.zero
        /// The amount that left with a wallet that was removed.
        var removed = SignedAmount.zero

        mutating func add(_ movement: ReportMovement) {
            let amount = movement.row.amount
            switch movement.kind {
            case .received: received = received.adding(amount)
            case .sent, .moved, .fee, .failed:
                let fee = SignedAmount(movement.fee ?? .zero)
                fees = fees.adding(fee)
                sent = sent.adding(amount.negated).adding(fee.negated)
            case .removed: removed = removed.adding(amount.negated)
            case .undone: break
            }
        }
    }

    /// A wallet's asset.
    struct Account {
        var opening = SignedAmount.zero
        var sum = Sum()

        var closing: SignedAmount {
            opening.adding(sum.received).adding(sum.sent.negated).adding(sum.fees.negated)
                .adding(sum.removed.negated)
        }
    }

    /// A month and an asset.
    struct MonthKey: Hashable, Comparable {
        let month: String
        let asset: Int

        static func < (left: MonthKey, right: MonthKey) -> Bool {
            left.month == right.month ? left.asset < right.asset : left.month < right.month
        }
    }

    /// The requests of one sender, and its payments.
    struct Sender {
        var requests = 0
        var completed = 0
        var paid: [Int: Sum] = [:]
    }

    init(_ index: ReportIndex) {
        let state = index.state
        state.balances.walk { key, _ in
            if index.scope.holds(key.first) { accounts[key] = Account() }
            return true
        }
        for key in accounts.keys.sorted() {
            guard let asset = state.bookAsset(key.text, of: key.first) else { continue }
            if !assets.contains(asset) { assets.append(asset) }
        }
        state.requests.walk { id, row in
            guard index.listed(id) != nil, let name = row.request?.caller?.scheme else {
                return true
            }
            let isCompleted = state.status(of: row) == .completed
            change(sender: name) { sender in
                sender.requests += 1
                sender.completed += isCompleted ? 1 : 0
            }
            return true
        }
        ReportMovement.walk(index) { add($0, index) }
    }

    private mutating func add(_ movement: ReportMovement, _ index: ReportIndex) {
        let key = BalanceKey(movement.wallet, movement.row.asset)
        guard let asset = asset(key, index.state) else { return }
        if index.scope.isBefore(movement.time) {
            let opening = accounts[key, default: Account()].opening
            accounts[key]?.opening = opening.adding(movement.row.amount)
            return
        }
        accounts[key, default: Account()].sum.add(movement)
        let month = String(Timestamp.day(movement.time).prefix(7))
        months[MonthKey(month: month, asset: asset), default: Sum()].add(movement)
        let caller = movement.request.flatMap { index.state.request($0)?.request?.caller?.scheme }
        if let caller { change(sender: caller) { $0.paid[asset, default: Sum()].add(movement) } }
    }

    private mutating func change(sender name: String, _ change: (inout Sender) -> Void) {
        let key = KeyText(name)
        let isKept = senders[key] != nil || senders.count < Self.mostSenders
        change(&senders[isKept ? key : Self.others, default: Sender()])
    }

    private static let others = KeyText("all others")

    /// The place of an asset in the list of assets.
    func asset(_ key: BalanceKey, _ state: State) -> Int? {
        state.bookAsset(key.text, of: key.first).flatMap { assets.firstIndex(of: $0) }
    }
}

extension BookAsset {
    /// The contract of a token, because a token can call itself anything.
    var contract: String? { isCoin ? nil : name }

    /// The symbol, and the contract of a token.
    var label: String { contract.map { "\(symbol) (token \($0))" } ?? symbol }

    /// An amount in whole coins, or in units where the number of decimals is unknown.
    func text(_ amount: SignedAmount) -> String {
        (amount.isNegative ? "−" : "")
            + (decimals.map { DecimalAmount.format(amount.magnitude, decimals: $0) }
                ?? "\(amount.magnitude.decimal) units")
    }

    var json: JSON {
        .record([
            "chain": .string(chain.rawValue), "network": .string(network.rawValue),
            "symbol": .string(Text.escaped(symbol)), "label": .string(Text.escaped(label)),
            "decimals": decimals.map { .int($0) },
        ])
    }
}

/// A change of a wallet's balance in an asset by one transaction.
struct ReportMovement {
    let wallet: WalletID
    let row: HistoryRow
    let kind: HistoryMeaning.Kind
    let fee: UInt256?
    /// The request that made the transaction.
    let request: RequestID?

    var time: UInt64 { row.date }

    /// Hands out the movements up to the end of the period, those before it included.
    static func walk(_ index: ReportIndex, _ body: (ReportMovement) -> Void) {
        index.state.history.walk(index.scope.wallet.map { .first($0) }) { key, row in
            let meaning = index.state.meaning(of: row, in: key.first)
            let movement = ReportMovement(
                wallet: key.first, row: row, kind: meaning.kind, fee: meaning.fee,
                request: meaning.request)
            if !index.scope.isAfter(movement.time) { body(movement) }
            return true
        }
    }
}
