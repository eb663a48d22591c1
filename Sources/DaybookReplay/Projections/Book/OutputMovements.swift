import DaybookChains
import DaybookDomain
import DaybookEncoding

/// What an event did to outputs, summed up by the transaction that did it.
struct OutputMovements {
    /// What one transaction paid a wallet, less what it took from it.
    struct Sum {
        let wallet: WalletID
        let txid: Bytes
        var amount: SignedAmount
        /// Whether all of it is the loss of something that had been there.
        var isUndone: Bool
    }

    /// In the order in which the transactions turned up.
    private(set) var sums: [Sum] = []

    var isEmpty: Bool { sums.isEmpty }

    /// What happened to outputs since the replaced rows of their tables were taken last.
    init(_ state: inout State) {
        for (key, old) in state.outputs.takeReplaced() {
            add(key.first, old, state.outputs[key])
        }
        for (key, old) in state.spentOutputs.takeReplaced() {
            add(key.first, old, state.spentOutputs[key])
        }
        // What one table lost and the other gained cancels out where nothing but the place changed.
        sums.removeAll { $0.amount == .zero }
    }

    private mutating func add(_ wallet: WalletID, _ before: OutputRow?, _ after: OutputRow?) {
        // An output that was only reserved or mined is the same coin as before.
        if let before, let after, Self.isSame(before.output, after.output) { return }
        if let before { add(before, wallet, undoes: true) }
        if let after { add(after, wallet, undoes: false) }
    }

    private static func isSame(
        _ left: ChainObserved.Output, _ right: ChainObserved.Output
    ) -> Bool {
        left.amount == right.amount && left.spentBy == right.spentBy
    }

    /// An output came with its own transaction, and went with the one that spends it.
    private mutating func add(_ row: OutputRow, _ wallet: WalletID, undoes: Bool) {
        let amount = SignedAmount(UInt256(row.output.amount), isNegative: undoes)
        add(row.output.outpoint.displayed, wallet, amount, undoes)
        if let spender = row.output.spentBy { add(spender, wallet, amount.negated, undoes) }
    }

    private mutating func add(
        _ txid: Bytes, _ wallet: WalletID, _ amount: SignedAmount, _ undoes: Bool
    ) {
        if let index = sums.firstIndex(where: { $0.txid == txid && $0.wallet == wallet }) {
            sums[index].amount = sums[index].amount.adding(amount)
            sums[index].isUndone = sums[index].isUndone && undoes
        } else {
            sums.append(Sum(wallet: wallet, txid: txid, amount: amount, isUndone: undoes))
        }
    }
}
