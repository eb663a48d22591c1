import DaybookEncoding

/// The movements of an event into and out of wallets, until they are written as history.
struct Movements {
    /// The net amount that one transaction moves in a wallet.
    struct Movement {
        let wallet: WalletID
        let asset: String
        let txid: Bytes?
        var amount: SignedAmount
        var height: UInt64?
        var isRemoval = false
        /// Dash, Axe: the scripts of the wallet's outputs that it makes.
        var scripts: [Bytes] = []
    }

    private var moved: [Movement] = []
    private var places: [EntryKey: Int] = [:]

    var isEmpty: Bool { moved.isEmpty }

    /// Adds an amount to the movement of its transaction; the last height counts.
    mutating func add(_ movement: Movement) {
        guard let txid = movement.txid else {
            moved.append(movement)
            return
        }
        let key = EntryKey(movement.wallet, movement.asset, txid)
        if let place = places[key] {
            moved[place].amount = moved[place].amount.adding(movement.amount)
            moved[place].height = movement.height
            moved[place].scripts += movement.scripts
        } else {
            places[key] = moved.count
            moved.append(movement)
        }
    }

    /// Removes and returns the movements in the order of their blocks, those without one last.
    mutating func take() -> [Movement] {
        defer { self = Movements() }
        if moved.count < 2 { return moved }
        return moved.enumerated().sorted { left, right in
            let (first, second) = (left.element.height ?? .max, right.element.height ?? .max)
            return first == second ? left.offset < right.offset : first < second
        }.map(\.element)
    }
}

/// Keeps the wallets' histories: one entry for each transaction and asset.
extension State {
    /// Notes that the event moves an amount into a wallet, or out of it if it is negative.
    mutating func note(
        _ amount: SignedAmount, of asset: String, in wallet: WalletID, by txid: Bytes?,
        at height: UInt64? = nil, isRemoval: Bool = false, payingTo script: Bytes? = nil
    ) {
        movements.add(
            Movements.Movement(
                wallet: wallet, asset: asset, txid: txid, amount: amount, height: height,
                isRemoval: isRemoval, scripts: script.map { [$0] } ?? []))
    }

    /// Notes what the change of an output's row means for the transactions that made and spent it.
    mutating func note(
        _ old: ChainObserved.Output?, _ new: ChainObserved.Output?, of coin: String,
        in wallet: WalletID
    ) {
        guard let outpoint = (new ?? old)?.outpoint, Self.isChange(old, new) else { return }
        let before = SignedAmount(UInt256(old?.amount ?? 0))
        let after = SignedAmount(UInt256(new?.amount ?? 0))
        note(
            after.adding(before.negated), of: coin, in: wallet, by: outpoint.displayed,
            at: new?.height, payingTo: keepsSearchIndex ? new?.script : nil)
        if let spender = old?.spentBy { note(before, of: coin, in: wallet, by: spender) }
        if let spender = new?.spentBy {
            note(after.negated, of: coin, in: wallet, by: spender, at: new?.spentHeight)
        }
    }

    private static func isChange(
        _ old: ChainObserved.Output?, _ new: ChainObserved.Output?
    ) -> Bool {
        guard let old, let new else { return true }
        return old.amount != new.amount || old.height != new.height
            || old.spentHeight != new.spentHeight || old.spentBy != new.spentBy
    }

    /// Writes what an event moved into the wallets' histories.
    mutating func writeHistory(_ event: Event) {
        if movements.isEmpty { return }
        var last: [WalletID: UInt64] = [:]
        for moved in movements.take() {
            let entry = moved.txid.map { EntryKey(moved.wallet, moved.asset, $0) }
            let time = moved.height.flatMap { event.payload.time(ofBlock: $0) }
            if let entry, let known = entries[entry] {
                change(HistoryKey(moved.wallet, known.number), by: moved, time)
                continue
            }
            // An amount that came and went in one event, or was recorded before, has no entry.
            if moved.amount == .zero { continue }
            let before = last[moved.wallet] ?? lastEntry(of: moved.wallet)
            let (number, _) = before.addingReportingOverflow(1)
            last[moved.wallet] = number
            let row = HistoryRow(
                position: event.position, time: event.time, asset: moved.asset,
                amount: moved.amount, txid: moved.txid, height: moved.height, blockTime: time,
                isRemoval: moved.isRemoval)
            let key = HistoryKey(moved.wallet, number)
            history[key] = row
            mark(key, row, payingTo: moved.scripts)
            if let entry { entries[entry] = EntryRow(number) }
        }
    }

    private mutating func change(
        _ key: HistoryKey, by moved: Movements.Movement, _ blockTime: UInt64?
    ) {
        guard let row = history[key], moved.amount != .zero || row.height != moved.height
        else { return }
        history.update(key) { row in
            row.amount = row.amount.adding(moved.amount)
            row.blockTime = blockTime ?? (row.height == moved.height ? row.blockTime : nil)
            row.height = moved.height
        }
        guard keepsSearchIndex, let changed = history[key] else { return }
        mark(key, changed, payingTo: moved.scripts)
    }

    /// The number of a wallet's newest entry; 0 if there is none.
    private func lastEntry(of wallet: WalletID) -> UInt64 {
        var number: UInt64 = 0
        history.walkBackward(.first(wallet)) { key, _ in
            number = key.second
            return false
        }
        return number
    }
}

extension Payload {
    /// When a block was made that the event names; nil if no node told it.
    fileprivate func time(ofBlock height: UInt64) -> UInt64? {
        switch self {
        case .chainObserved(let data): data.time(ofBlock: height)
        case .transactionConfirmed(let data) where data.height == height: data.blockTime
        default: nil
        }
    }
}
