import DaybookChains
package import DaybookDomain
package import DaybookEncoding

/// Folds events from the log's start, and says of each what it did to the book.
///
/// For example:
///
///     var keeper = Bookkeeper()
///     for event in events { if let entry = keeper.take(event) { … } }
package struct Bookkeeper {
    /// The state after the last event.
    package private(set) var state: State
    private let changes = RowChanges(
        under: [Key.balances, Key.worlds, Key.outputs, Key.spentOutputs])
    /// What the last answer of a node said of transactions: their fees, on ICON.
    private var statuses: [ChainObserved.TransactionStatus] = []

    /// A keeper of an empty book, with rows to fold into.
    package init(_ rows: any Rows = MemoryRows()) {
        state = State(WatchedRows(rows, noting: changes))
    }

    /// Takes an event in; nil if it moved nothing.
    package mutating func take(_ event: Event) -> BookEntry? {
        if case .chainObserved(let data) = event.payload { statuses = data.transactions }
        state.evolve(event)
        // What changed is noted where it is written.
        state.save()
        let changed = changes.take()
        let postings = changed.flatMap { self.postings($0.key, $0.old) }
        let outputs = OutputMovements(changed, state)
        if postings.isEmpty, outputs.isEmpty { return nil }
        return BookEntry(
            position: event.position, time: event.time, type: type(of: event.payload.data).type,
            request: event.request, postings: postings,
            movements: movements(of: event, postings, outputs))
    }

    // MARK: - Postings

    private func postings(_ key: Bytes, _ old: Bytes?) -> [BookEntry.Posting] {
        if ByteOrder.begins(key, with: Key.balances) { return walletPostings(key, old) }
        if ByteOrder.begins(key, with: Key.worlds) { return worldPostings(key, old) }
        return []
    }

    private func walletPostings(_ key: Bytes, _ old: Bytes?) -> [BookEntry.Posting] {
        let wallet = Self.wallet(key, after: Key.balances)
        guard let name = Key.asset(ofBalance: key), let asset = asset(name, of: wallet) else {
            return []
        }
        let before: BalanceRow = Self.row(old) ?? BalanceRow()
        let after: BalanceRow = state.get(key) ?? BalanceRow()
        return BalanceRow.Part.allCases.compactMap { part in
            let change = SignedAmount(from: before[part], to: after[part])
            guard change != .zero else { return nil }
            return BookEntry.Posting(
                account: .wallet(wallet, part), asset: asset, amount: change,
                balance: after[part])
        }
    }

    private func worldPostings(_ key: Bytes, _ old: Bytes?) -> [BookEntry.Posting] {
        let names = key.dropFirst(Key.worlds.count).split(separator: 0)
            .map { String(decoding: $0, as: UTF8.self) }
        guard names.count == 3, let chain = Chain(rawValue: names[0]),
            let network = Network(rawValue: names[1])
        else { return [] }
        let before: WorldRow = Self.row(old) ?? WorldRow()
        let after: WorldRow = state.get(key) ?? WorldRow()
        // Both only grow: what the world was paid is its gain, what it paid in its loss.
        let change = SignedAmount(from: before.paidOut, to: after.paidOut)
            .adding(SignedAmount(from: before.paidIn, to: after.paidIn).negated)
        if change == .zero { return [] }
        let unit = state.unit(of: names[2], chain, network)
        return [
            BookEntry.Posting(
                account: .world(chain, network),
                asset: BookEntry.Asset(
                    chain: chain, network: network, name: names[2], symbol: unit.symbol,
                    decimals: unit.decimals),
                amount: change, balance: nil)
        ]
    }

    // MARK: - Movements

    private func movements(
        of event: Event, _ postings: [BookEntry.Posting], _ outputs: OutputMovements
    ) -> [BookEntry.Movement] {
        switch event.payload {
        case .chainObserved:
            return outputs.sums.compactMap { sum in
                guard let row: WalletRow = state.get(Key.wallet(sum.wallet)),
                    let coin = UTXOParameters.of(row.wallet.chain, row.wallet.network)?.coinName,
                    let asset = asset(coin, of: sum.wallet)
                else { return nil }
                return movement(sum.wallet, asset, sum.amount, sum.txid, isUndone: sum.isUndone)
            }
        case .walletRemoved:
            return totals(postings).compactMap {
                movement($0.wallet, $0.asset, $0.amount, nil, kind: .removed)
            }
        case .transactionReorganised(let data):
            return totals(postings).compactMap {
                movement($0.wallet, $0.asset, $0.amount, data.txid, kind: .reversed)
            }
        case .transactionConfirmed(let data):
            return totals(postings).compactMap {
                movement($0.wallet, $0.asset, $0.amount, data.txid)
            }
        default:
            return totals(postings).compactMap {
                movement($0.wallet, $0.asset, $0.amount, nil)
            }
        }
    }

    private func movement(
        _ wallet: UInt64, _ asset: BookEntry.Asset, _ amount: SignedAmount, _ txid: Bytes?,
        isUndone: Bool = false, kind: BookEntry.Kind? = nil
    ) -> BookEntry.Movement? {
        if amount == .zero { return nil }
        let row: TransactionRow? = txid.flatMap {
            state.get(Key.transaction(asset.chain, asset.network, $0))
        }
        let request = row?.request.flatMap { state.request($0) }
        let direction: BookEntry.Kind = amount.isNegative ? .sent : .received
        let kind = kind ?? (isUndone ? .reversed : direction)
        // Another wallet of ours that the transaction pays bears none of its fee.
        let isPayer = kind == .sent && row?.wallet == wallet
        return BookEntry.Movement(
            wallet: wallet, asset: asset, kind: kind, amount: amount,
            fee: isPayer ? fee(txid, asset.chain, request) : nil, txid: txid,
            request: row?.request, caller: request?.request?.caller?.scheme)
    }

    /// On a chain of outputs the fee is known beforehand; on ICON only the node's answer says it.
    private func fee(_ txid: Bytes?, _ chain: Chain, _ request: RequestRow?) -> UInt256? {
        guard let request else { return nil }
        if chain != .icon { return request.prepared?.fee }
        return statuses.first { $0.txid == txid }?.fee
    }

    /// What each wallet's holdings of each asset changed by, in the order of the postings.
    private func totals(
        _ postings: [BookEntry.Posting]
    ) -> [(wallet: UInt64, asset: BookEntry.Asset, amount: SignedAmount)] {
        var totals: [(wallet: UInt64, asset: BookEntry.Asset, amount: SignedAmount)] = []
        for posting in postings {
            guard case .wallet(let wallet, _) = posting.account else { continue }
            if let index = totals.firstIndex(
                where: { $0.wallet == wallet && $0.asset == posting.asset })
            {
                totals[index].amount = totals[index].amount.adding(posting.amount)
            } else {
                totals.append((wallet, posting.asset, posting.amount))
            }
        }
        return totals
    }

    // MARK: - Names

    private func asset(_ name: String, of wallet: UInt64) -> BookEntry.Asset? {
        guard let row: WalletRow = state.get(Key.wallet(wallet)) else { return nil }
        let unit = state.unit(of: name, row.wallet.chain, row.wallet.network)
        return BookEntry.Asset(
            chain: row.wallet.chain, network: row.wallet.network, name: name,
            symbol: unit.symbol, decimals: unit.decimals)
    }

    /// The wallet that a key names behind its table's name.
    static func wallet(_ key: Bytes, after prefix: Bytes) -> UInt64 {
        BigEndian.number(key.dropFirst(prefix.count).prefix(8))
    }

    /// The row that was there before; what `State.get` would have noted as damage is none here.
    static func row<Row: StateRow>(_ bytes: Bytes?) -> Row? {
        guard let bytes, let record = try? EncodedCBOR(bytes) else { return nil }
        return try? Row(Fields(record, path: "row"))
    }
}
