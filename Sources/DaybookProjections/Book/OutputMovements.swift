import DaybookChains
import DaybookDomain
import DaybookEncoding

/// What an event did to outputs, summed up by the transaction that did it.
struct OutputMovements {
    /// What one transaction paid a wallet, less what it took from it.
    struct Sum {
        let wallet: UInt64
        let txid: Bytes
        var amount: SignedAmount
        /// Whether all of it is the loss of something that had been there.
        var isUndone: Bool
    }

    /// In the order in which the transactions turned up.
    private(set) var sums: [Sum] = []

    var isEmpty: Bool { sums.isEmpty }

    init(_ changed: [(key: Bytes, old: Bytes?)], _ state: State) {
        for (key, old) in changed {
            for table in [Key.outputs, Key.spentOutputs] where ByteOrder.begins(key, with: table) {
                let wallet = Bookkeeper.wallet(key, after: table)
                let before: OutputRow? = Bookkeeper.row(old)
                let after: OutputRow? = state.get(key)
                // An output that was only reserved or mined is the same coin as before.
                if let before, let after, Self.isSame(before.output, after.output) { continue }
                if let before { add(before, wallet, undoes: true) }
                if let after { add(after, wallet, undoes: false) }
            }
        }
        // What one table lost and the other gained cancels out where nothing but the place changed.
        sums.removeAll { $0.amount == .zero }
    }

    private static func isSame(
        _ left: ChainObserved.Output, _ right: ChainObserved.Output
    ) -> Bool {
        left.amount == right.amount && left.spentBy == right.spentBy
    }

    /// An output came with its own transaction, and went with the one that spends it.
    private mutating func add(_ row: OutputRow, _ wallet: UInt64, undoes: Bool) {
        let amount = SignedAmount(UInt256(row.output.amount), isNegative: undoes)
        add(row.output.outpoint.displayed, wallet, amount, undoes)
        if let spender = row.output.spentBy { add(spender, wallet, amount.negated, undoes) }
    }

    private mutating func add(
        _ txid: Bytes, _ wallet: UInt64, _ amount: SignedAmount, _ undoes: Bool
    ) {
        if let index = sums.firstIndex(where: { $0.txid == txid && $0.wallet == wallet }) {
            sums[index].amount = sums[index].amount.adding(amount)
            sums[index].isUndone = sums[index].isUndone && undoes
        } else {
            sums.append(Sum(wallet: wallet, txid: txid, amount: amount, isUndone: undoes))
        }
    }
}
