import DaybookChains
import DaybookEncoding

/// The coins that a wallet can spend now.
struct WalletCoins {
    private let wallet: WalletID
    private let id: ChainID
    private let tip: UInt64
    // Not the whole state, because a closure that captures it would copy it.
    private let spendable: StateTable<CoinKey, PointerRow<WalletID>>
    private let outputs: StateTable<OutputKey, OutputRow>
    private let addresses: StateTable<AddressKey, AddressRow>
    private let transactions: StateTable<TransactionKey, TransactionRow>

    /// The coins of a wallet that was not removed.
    init(of wallet: WalletID, _ owner: WalletAdded, _ state: borrowing State) {
        self.wallet = wallet
        id = ChainID(owner.chain, owner.network)
        tip = state.chain(owner.chain, owner.network).height
        (spendable, outputs) = (state.spendable, state.outputs)
        (addresses, transactions) = (state.addresses, state.transactions)
    }

    /// The coin at an outpoint; nil unless the wallet can spend it.
    subscript(outpoint: Outpoint) -> Coin? {
        outputs.read(OutputKey(wallet, outpoint)) { row in
            guard CoinKey(row, in: wallet) != nil, addresses.contains(row.address) else {
                return nil
            }
            let output = row.output
            let transaction = TransactionKey(id, KeyBytes(outpoint.displayed))
            let depth = output.height.map { $0 <= tip ? min(tip - $0, .max - 1) + 1 : 1 } ?? 0
            return Coin(
                outpoint: outpoint, amount: output.amount, script: output.script,
                confirmations: Int(clamping: depth), isCoinbase: output.coinbase,
                isLocked: transactions.read(transaction) { $0.locked } ?? false)
        } ?? nil
    }

    /// Whether there is none.
    var isEmpty: Bool {
        var isEmpty = true
        byAmount.walk(.down(below: nil)) { _ in
            isEmpty = false
            return false
        }
        return isEmpty
    }

    /// All of them by amount.
    var byAmount: CoinsByAmount {
        CoinsByAmount { walk, body in
            func pass(_ key: CoinKey, _: PointerRow<WalletID>) -> Bool {
                self[key.outpoint].map(body) ?? true
            }
            switch walk {
            case .up(let amount):
                spendable.walkBackward(.first(wallet), before: CoinKey(wallet, below: amount), pass)
            case .down(let amount):
                spendable.walk(
                    .first(wallet), after: amount.map { CoinKey(wallet, below: $0) }, pass)
            }
        }
    }
}
