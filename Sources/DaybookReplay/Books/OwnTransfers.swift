import DaybookChains
import DaybookDomain
import DaybookEncoding

/// Finds the transfers between wallets of the same store.
///
/// On Dash and Axe both wallets' rows name the transaction. On ICON a receipt names none: it
/// belongs to a payment to that wallet if the same answer of the node has both, with one amount.
struct OwnTransfers {
    private let state: State
    /// The wallets of each chain, also those that were removed.
    private var wallets: [ChainID: [WalletID]] = [:]
    /// On ICON, the other side of a transfer, from both sides.
    private var pairs: [HistoryKey: HistoryKey] = [:]

    /// A transfer: the rows of both sides, and what arrived.
    struct Transfer {
        let payer: HistoryKey
        let payee: HistoryKey
        let amount: UInt256
    }

    /// The most that an unknown transaction of two own wallets may lack, as its fee: 1000 bytes at
    /// the highest rate. If more is missing, it paid somebody else, too.
    private static let highestUnknownFee = UInt256(UTXOFees.highestRate)

    /// The transfers in the histories of a state, whose rows are at `places` in the table's order.
    init(_ state: State, _ places: [Books.Place]) {
        self.state = state
        state.wallets.walk { id, row in
            wallets[row.wallet.chainID, default: []].append(id)
            return true
        }
        for chain in wallets.keys.sorted() where chain.chain.rules.ledger == .accounts {
            if let own = wallets[chain], own.count > 1 { pair(own, places) }
        }
    }

    /// The transfer of which a row is a side; nil if it is with somebody else.
    func transfer(at key: HistoryKey, _ row: HistoryRow) -> Transfer? {
        if let other = pairs[key], let arrived = row.amount.isNegative
            ? state.history[other]?.amount : row.amount {
            return row.amount.isNegative
                ? Transfer(payer: key, payee: other, amount: arrived.magnitude)
                : Transfer(payer: other, payee: key, amount: arrived.magnitude)
        }
        guard let txid = row.txid, let owner = state.wallets[key.first]?.wallet,
            owner.chain.rules.ledger == .outputs
        else { return nil }
        var (payer, payee) = (nil as Side?, nil as Side?)
        for wallet in wallets[owner.chainID] ?? [] {
            guard let number = state.entries[EntryKey(wallet, row.asset, txid)]?.number else {
                continue
            }
            let key = HistoryKey(wallet, number)
            guard let row = state.history[key], row.amount != .zero else { continue }
            // Of several on one side nobody knows who paid whom.
            if row.amount.isNegative ? payer != nil : payee != nil { return nil }
            if row.amount.isNegative { payer = (key, row) } else { payee = (key, row) }
        }
        guard let payer, let payee,
            let fee = payer.row.amount.magnitude.subtracting(payee.row.amount.magnitude),
            isFee(fee, of: payer)
        else { return nil }
        return Transfer(payer: payer.key, payee: payee.key, amount: payee.row.amount.magnitude)
    }

    private typealias Side = (key: HistoryKey, row: HistoryRow)

    private func isFee(_ amount: UInt256, of payer: Side) -> Bool {
        let known = state.meaning(of: payer.row, in: payer.key.first).fee
        return known.map { $0 == amount } ?? (amount <= Self.highestUnknownFee)
    }

    // MARK: - Accounts

    /// Finds the receipts that payments of these wallets to each other led to.
    private mutating func pair(_ own: [WalletID], _ places: [Books.Place]) {
        var owners: [String: WalletID] = [:]
        for id in own {
            if let row = state.wallet(id) { owners[row.address] = id }
        }
        for place in places where own.contains(place.row.first) {
            guard let row = state.history[place.row], row.amount.isNegative, let txid = row.txid,
                let owner = state.wallets[place.row.first]?.wallet.chainID,
                let id = state.transactions[TransactionKey(owner, KeyBytes(txid))]?.request,
                let to = state.request(id)?.request?.action.recipient, let payee = owners[to],
                payee != place.row.first
            else { continue }
            let fee = state.meaning(of: row, in: place.row.first).fee ?? .zero
            guard let sent = row.amount.magnitude.subtracting(fee), sent != .zero,
                let receipt = receipt(of: sent, row, in: payee, places), pairs[receipt] == nil
            else { continue }
            pairs[place.row] = receipt
            pairs[receipt] = place.row
        }
    }

    /// The receipt that the node told in the same answer as a payment's block.
    private func receipt(
        of amount: UInt256, _ payment: HistoryRow, in payee: WalletID, _ places: [Books.Place]
    ) -> HistoryKey? {
        // The table's order is that of the wallets, and within a wallet that of the events.
        var (low, high) = (places.startIndex, places.endIndex)
        while low < high {
            let middle = (low + high) / 2
            if (places[middle].row.first, places[middle].position) < (payee, payment.position) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        for place in places[low...] where place.row.first == payee {
            guard let row = state.history[place.row], row.time == payment.time else { return nil }
            if row.txid == nil, row.amount == SignedAmount(amount),
                Text.equal(row.asset, payment.asset) {
                return place.row
            }
        }
        return nil
    }
}
