package import DaybookDomain
package import DaybookEncoding

/// The worth of amounts, by the prices that the user recorded.
package struct BookWorth {
    private let state: State
    /// The currencies in which an asset has a price at any time, sorted.
    private var currencies: [String: [String]] = [:]
    /// All currencies in which something has a price, sorted.
    private(set) var allCurrencies: [String] = []

    /// The worth in one currency, or else in the first one with a price.
    package init(_ state: State, in currency: String? = nil) {
        self.state = state
        state.walkPriced { asset, code in
            if currency.map({ Text.equal($0, code) }) ?? true {
                currencies[asset, default: []].append(code)
                if !allCurrencies.contains(code) { allCurrencies.append(code) }
            }
        }
        allCurrencies.sort()
    }

    /// An amount's worth in the first currency with a price at that time; nil if none has.
    package func worth(
        of minor: UInt256, _ asset: BookAsset, at time: UInt64
    ) -> (amount: String, currency: String)? {
        guard let decimals = asset.decimals, minor != .zero else { return nil }
        for currency in currencies[asset.name] ?? [] {
            guard let price = state.price(of: asset.name, in: currency, at: time),
                let product = minor.multiplied(by: price.digits)
            else { continue }
            let shown = Self.rounded(
                product, from: decimals + price.decimals, to: Currency.decimals(of: currency))
            return (shown, currency)
        }
        return nil
    }

    /// The worth of an entry of a wallet's history when it happened, with the sign of its amount.
    package func worth(
        of row: HistoryRow, in wallet: WalletID
    ) -> (amount: String, currency: String)? {
        guard !currencies.isEmpty, let asset = state.bookAsset(row.asset, of: wallet),
            let worth = worth(of: row.amount.magnitude, asset, at: row.date)
        else { return nil }
        return (row.amount.isNegative ? "-\(worth.amount)" : worth.amount, worth.currency)
    }

    /// A number with some decimals as a text with fewer, rounded half to even; no zeros end it.
    static func rounded(_ number: UInt256, from decimals: Int, to places: Int) -> String {
        let text = ExactRatio(BigNatural(number), over: .power(ofTen: decimals))
            .text(decimals: places)
        return DecimalAmount.parse(text, decimals: places)
            .map { DecimalAmount.format($0, decimals: places) } ?? text
    }
}

/// The currencies in which prices are.
package enum Currency {
    /// How many decimals amounts of a currency have: those of its minor unit (ISO 4217).
    package static func decimals(of code: String) -> Int {
        switch code {
        case "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI",
            "VND", "VUV", "XAF", "XOF", "XPF":
            0
        case "BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND": 3
        case "CLF", "UYW": 4
        default: 2
        }
    }
}
