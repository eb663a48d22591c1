import Daybook
import DaybookCalls
import DaybookCommands
import DaybookEncoding

extension Command {
    /// A person looks for the largest coins, a program reads page by page.
    static let coinList = Command(.coinList) { invocation, store in
        let arguments = try invocation.arguments(for: .coinList)
        let wallet = try await arguments.wallet(required: "wallet", in: store)
        var coins: [WalletCoin] = []
        var last: CoinID?
        repeat {
            let page = try await store.coins(of: wallet.id, after: last, limit: 1000)
            coins += page.coins
            last = page.next
        } while last != nil
        coins.sort { UInt64($0.amount) ?? 0 > UInt64($1.amount) ?? 0 }
        return try invocation.show(MethodAnswer(coins: coins, of: [wallet]))
    }
}
