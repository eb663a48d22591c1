package import Daybook
package import DaybookCommands
import DaybookEncoding

/// The amount and the coins of a payment, as they were entered at any door.
package struct PaymentChoice {
    /// Duffs; nil if the request fixes the amount, or if all is paid.
    package let amount: MinorAmount?
    package let coins: ChosenCoins

    /// Reads an amount of coins or `all`, and coins as texts.
    package init(amount: String?, coins: [String]) throws(CommandFailure) {
        var named: [CoinID] = []
        for text in coins { named.append(try CoinID.read(text)) }
        if let amount, Text.equal(amount, "all") {
            (self.amount, self.coins) = (nil, named.isEmpty ? .all : .all(of: named))
            return
        }
        if let amount {
            self.amount = MinorAmount(
                try CoinAmount.duffs(try CoinAmount.parse(amount, decimals: 8)))
        } else {
            self.amount = nil
        }
        self.coins = named.isEmpty ? .automatic : .named(named)
    }
}

extension CoinID {
    /// Reads a coin; a text that names none is wrong usage.
    package static func read(_ text: String) throws(CommandFailure) -> CoinID {
        guard let coin = CoinID(text) else {
            throw .usage(
                "'\(CommandFailure.quoted(text))' is not a coin: TXID:INDEX, as coin list shows")
        }
        return coin
    }
}
