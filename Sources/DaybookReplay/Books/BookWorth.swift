import DaybookDomain
import DaybookEncoding

/// What amounts were worth, by the prices that the user recorded.
struct BookWorth {
    private let state: State
    /// The currencies in which an asset has a price at any time, sorted.
    private let currencies: [String: [String]]

    init(_ state: State) {
        self.state = state
        var found: [String: [String]] = [:]
        state.prices.walk { key, _ in
            // The keys are sorted by asset and currency.
            if found[key.asset]?.last != key.currency {
                found[key.asset, default: []].append(key.currency)
            }
            return true
        }
        currencies = found
    }

    /// What an amount was worth, in the first currency with a price at that time; nil if none has.
    func worth(
        of minor: UInt256, _ asset: BookAsset, at time: UInt64
    ) -> (amount: String, currency: String)? {
        guard let decimals = asset.decimals, minor != .zero else { return nil }
        for currency in currencies[asset.name] ?? [] {
            guard let price = state.price(of: asset.name, in: currency, at: time),
                let product = minor.multiplied(by: price.digits)
            else { continue }
            let places = Self.places(of: currency)
            return (Self.rounded(product, from: decimals + price.decimals, to: places), currency)
        }
        return nil
    }

    /// How many decimals amounts of a currency have (ISO 4217).
    static func places(of currency: String) -> Int {
        switch currency {
        case "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND",
            "VUV", "XAF", "XOF", "XPF":
            0
        case "BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND": 3
        default: 2
        }
    }

    /// A number with some decimals as a text with fewer, rounded half to even.
    static func rounded(_ number: UInt256, from decimals: Int, to places: Int) -> String {
        let cut = decimals - places
        guard cut > 0 else { return DecimalAmount.format(number, decimals: decimals) }
        let digits = Bytes(number.decimal.utf8)
        let whole = digits.dropLast(cut)
        let rest = Bytes(repeating: UInt8(ascii: "0"), count: max(0, cut - digits.count))
            + digits.suffix(cut)
        let kept = UInt256(decimal: String(decoding: whole, as: UTF8.self)) ?? .zero
        let half = [UInt8(ascii: "5")] + Bytes(repeating: UInt8(ascii: "0"), count: cut - 1)
        let isOdd = (whole.last ?? 0) % 2 == 1
        let isUp = half.lexicographicallyPrecedes(rest) || (half == rest && isOdd)
        let sum = isUp ? kept.adding(UInt256(1)) ?? .max : kept
        return DecimalAmount.format(sum, decimals: places)
    }
}
