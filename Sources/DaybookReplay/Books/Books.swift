import DaybookChains
package import DaybookDomain
package import DaybookEncoding

/// The movements of the wallets in a state, made from the rows of their histories.
///
/// A history has one row for a transaction and asset, so that what a reorganization undid and
/// confirmed again stands once, with the date of its last block. To sort by date, a small key of
/// each row is in memory.
///
/// For example:
///
///     for movement in Books(of: state) { show(movement) }
package struct Books: Sequence {
    private let state: State
    private let wallet: WalletID?
    private let transfers: OwnTransfers
    private let places: [Place]

    /// The place of a history's row in the books.
    struct Place {
        let date: UInt64
        let position: Position
        let row: HistoryKey
    }

    /// The books of all wallets, or of one to which all others are somebody else.
    package init(of state: State, wallet: WalletID? = nil) {
        self.state = state
        self.wallet = wallet
        var places: [Place] = []
        state.history.walk { key, row in
            if row.amount != .zero {
                places.append(Place(date: row.date, position: row.position, row: key))
            }
            return true
        }
        transfers = OwnTransfers(state, places)
        if let wallet { places.removeAll { $0.row.first != wallet } }
        places.sort { ($0.date, $0.position, $0.row) < ($1.date, $1.position, $1.row) }
        self.places = places
    }

    /// The movements in the order of their dates, those of the same date in that of the events.
    package func makeIterator() -> AnyIterator<Movement> {
        var rest = places.makeIterator()
        return AnyIterator {
            while let place = rest.next() {
                guard let entry = Entry(place.row, state) else { continue }
                if let movement = movement(entry) { return movement }
            }
            return nil
        }
    }

    // MARK: - One row

    /// A row of a history, and what it means.
    private struct Entry {
        let key: HistoryKey
        let row: HistoryRow
        let asset: BookAsset
        let meaning: HistoryMeaning
        let request: RequestRow?

        init?(_ key: HistoryKey, _ state: State) {
            guard let row = state.history[key],
                let asset = state.bookAsset(row.asset, of: key.first)
            else { return nil }
            (self.key, self.row, self.asset) = (key, row, asset)
            meaning = state.meaning(of: row, in: key.first)
            request = meaning.request.flatMap { state.request($0) }
        }

        var wallet: WalletID { key.first }
        var amount: UInt256 { row.amount.magnitude }
    }

    /// The movement of a row; nil if another row has it.
    private func movement(_ entry: Entry) -> Movement? {
        let owner = entry.wallet
        return switch entry.meaning.kind {
        case .undone: nil
        case .removed: make(entry, .transfer, payer: owner, sent: entry.amount)
        case .moved: make(entry, .transfer, payer: owner, payee: owner, fee: entry.amount)
        case .failed: make(entry, .fee, payer: owner, fee: entry.amount)
        case .fee:
            // The row of the tokens that it moved has the fee, too.
            rowWithFee(entry) == nil ? make(entry, .fee, payer: owner, fee: entry.amount) : nil
        case .received, .sent:
            transfers.transfer(at: entry.key, entry.row).map { movement(entry, $0) }
                ?? plain(entry)
        }
    }

    private func plain(_ entry: Entry) -> Movement {
        guard entry.row.amount.isNegative else {
            return make(entry, .receipt, payee: entry.wallet, received: entry.amount)
        }
        let fee = fee(of: entry)
        let sent = entry.asset.isCoin ? entry.amount.subtracting(fee) : entry.amount
        return make(entry, .payment, payer: entry.wallet, sent: sent ?? .zero, fee: fee)
    }

    /// The side of a transfer that a row is; the books of all wallets have it at the payer's.
    private func movement(_ entry: Entry, _ transfer: OwnTransfers.Transfer) -> Movement? {
        let isPayer = transfer.payer == entry.key
        if wallet == nil, !isPayer { return nil }
        var fee = UInt256.zero
        if isPayer {
            // An amount that was sent and did not arrive is the fee, also of others' transactions.
            fee = entry.asset.isCoin
                ? entry.amount.subtracting(transfer.amount) ?? .zero : self.fee(of: entry)
        }
        return make(
            entry, .transfer, payer: transfer.payer.first, payee: transfer.payee.first,
            sent: isPayer ? transfer.amount : .zero,
            received: isPayer && wallet != nil ? .zero : transfer.amount, fee: fee)
    }

    private func make(
        _ entry: Entry, _ kind: Movement.Kind, payer: WalletID? = nil, payee: WalletID? = nil,
        sent: UInt256 = .zero, received: UInt256 = .zero, fee: UInt256 = .zero
    ) -> Movement {
        let request = entry.request?.request
        let notes = request?.notes.map(\.text) ?? []
        return Movement(
            kind: kind, wallet: entry.wallet, payer: payer, payee: payee, asset: entry.asset,
            sent: sent, received: received, fee: fee, date: entry.row.date,
            recorded: entry.row.time, position: entry.row.position, txid: entry.row.txid,
            request: entry.meaning.request, sender: request?.caller?.scheme,
            message: notes.isEmpty ? nil : notes.joined(separator: ", "),
            counterparty: payer == entry.wallet ? request?.action.recipient : nil)
    }

    // MARK: - Fees

    /// The fee that belongs to a movement of a wallet's own transaction.
    private func fee(of entry: Entry) -> UInt256 {
        if entry.asset.isCoin { return Swift.min(entry.meaning.fee ?? .zero, entry.amount) }
        guard entry.meaning.isPayer, let txid = entry.row.txid,
            let key = self.key(of: entry.asset.coin.name, in: entry.wallet, by: txid),
            let coin = Entry(key, state), coin.meaning.kind == .fee,
            rowWithFee(coin) == entry.key
        else { return .zero }
        return coin.amount
    }

    /// The row of the first token that a transaction moved whose coin paid for nothing but the fee.
    private func rowWithFee(_ coin: Entry) -> HistoryKey? {
        guard let txid = coin.row.txid else { return nil }
        let moved = coin.request?.payment?.reserves.map(\.asset) ?? []
        return moved.lazy.filter { !Text.equal($0, coin.row.asset) }.compactMap { asset in
            key(of: asset, in: coin.wallet, by: txid)
        }.first { state.history[$0]?.amount.isNegative == true }
    }

    private func key(of asset: String, in wallet: WalletID, by txid: Bytes) -> HistoryKey? {
        state.entries[EntryKey(wallet, asset, txid)].map { HistoryKey(wallet, $0.number) }
    }
}

extension HistoryRow {
    /// When the block was made; when it was recorded, if no node told the block's time.
    package var date: UInt64 { blockTime ?? time }
}
