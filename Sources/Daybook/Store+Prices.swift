import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookReplay

/// The price of a whole coin of an asset at a time.
public struct AssetPrice: Codable, Hashable, Sendable {
    /// `DASH`, `AXE`, `ICX`, or a token's contract address or symbol.
    public let asset: String
    /// Three letters, such as `EUR`.
    public let currency: String
    /// A decimal number above zero, such as `24.31`.
    public let price: String
    /// When it was worth that, in microseconds since 1970; nil if it is recorded at once.
    public let time: UInt64?

    /// A price to record.
    public init(asset: String, currency: String, price: String, time: UInt64? = nil) {
        (self.asset, self.currency, self.price, self.time) = (asset, currency, price, time)
    }
}

/// Prices, which are recorded and never asked of anybody.
extension Store {
    /// Records what assets were worth; of all or, after an error, of none.
    ///
    /// A price that is known already is not recorded again.
    ///
    /// - Throws: `invalidPrice` for one that is not above zero or has more than 18 digits before or
    ///   behind the point, `unknownAsset`, `ambiguousAsset`, `invalidCurrency`, `priceConflict` if
    ///   another price is known for the same asset, currency and time.
    public func set(_ prices: [AssetPrice]) async throws(DaybookError) {
        try await record(try prices.map { (price) throws(DaybookError) in
            GivenPrice(try RecordablePrice(price), line: nil)
        })
    }

    /// Records the prices of a table of comma-separated values, all or, after an error, none.
    ///
    /// Its first line names the columns `asset`, `currency`, `price` and `at`, in any order.
    ///
    /// - Returns: How many prices the table has.
    /// - Throws: `invalidPriceFile`, `fileTooLarge`, and what `set` throws; each names the line.
    public func importPrices(_ file: [UInt8]) async throws(DaybookError) -> Int {
        try Self.check(file, of: "prices", upTo: Self.largestPriceFile)
        let prices = try PriceFile.prices(in: file)
        try await record(prices)
        return prices.count
    }

    /// The most bytes of a file of prices.
    public static let largestPriceFile = 16 << 20

    /// The gains of a year in UTC: the assets that left the wallets, with proceeds and costs.
    ///
    /// Prices are those that were recorded. Nothing is rounded but what the table shows.
    ///
    /// - Throws: `invalidCurrency`, `invalidTime` for a year before 1970 or after 9998.
    public func gains(
        in year: Int, currency: String, method: GainsMethod = .fifo
    ) throws(DaybookError) -> GainsTable {
        let currency = try CurrencyCode.read(currency)
        guard (1970...9998).contains(year), let start = Timestamp.parse("\(year)-01-01"),
            let end = Timestamp.parse("\(year + 1)-01-01")
        else { throw DaybookError("invalidTime", .usage, "a year is one of 1970 to 9998") }
        return try facing {
            try journal.read { state in
                let gains = Gains(of: state, in: start..<end, currency: currency, by: .init(method))
                return GainsTable(gains, decimals: Currency.decimals(of: currency))
            }
        }
    }

    private func record(_ prices: [GivenPrice]) async throws(DaybookError) {
        _ = try await facing {
            try await journal.record { state, now, _ in
                let assets = PricedAssets(state)
                var new: [PriceKey: DecimalNumber] = [:]
                for given in prices {
                    let price = given.price
                    let key = PriceKey(
                        try assets.find(price.asset, given.line), in: price.currency,
                        at: price.time ?? now)
                    guard let known = state.prices[key]?.price ?? new[key] else {
                        new[key] = price.price
                        continue
                    }
                    guard known == price.price else { throw given.conflict(with: known, key) }
                }
                let sorted = new.sorted { $0.key < $1.key }.map { PriceSet.Price($0.key, $0.value) }
                return EventParts.of(sorted).map { .init(.priceSet(PriceSet($0))) }
            }
        }
    }
}

/// A price whose figures are checked, and the line of a file that it comes from.
struct GivenPrice: Sendable {
    let price: RecordablePrice
    let line: Int?

    init(_ price: RecordablePrice, line: Int?) { (self.price, self.line) = (price, line) }

    fileprivate func conflict(with known: DecimalNumber, _ key: PriceKey) -> DaybookError {
        DaybookError(
            "priceConflict", .refused,
            Self.placed(
                "\(Text.escaped(price.asset)) has another price in \(key.currency) at "
                    + "\(Timestamp.seconds(key.time)): \(known.text)", line))
    }

    /// A message that names the line of the file.
    static func placed(_ message: String, _ line: Int?) -> String {
        line.map { "line \($0): \(message)" } ?? message
    }
}

/// A price whose figures are checked; whether there is such an asset, the state says.
struct RecordablePrice: Sendable {
    let asset: String
    let currency: String
    let price: DecimalNumber
    let time: UInt64?

    init(_ given: AssetPrice) throws(DaybookError) {
        asset = given.asset
        currency = try CurrencyCode.read(given.currency)
        guard let price = DecimalNumber(given.price), price.digits != .zero else {
            throw DaybookError(
                "invalidPrice", .usage,
                "'\(Text.escaped(String(given.price.prefix(40))))' is no price: a price is a "
                    + "decimal number above zero, such as 24.31, with at most "
                    + "\(DecimalNumber.mostDigits) digits before and behind the point")
        }
        (self.price, time) = (price, given.time)
    }
}

/// The names of currencies, as ISO 4217 has them.
enum CurrencyCode {
    /// Reads three letters, and makes them capitals.
    static func read(_ text: String) throws(DaybookError) -> String {
        let isCode = text.utf8.count == 3
            && text.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) }
        guard isCode else {
            throw DaybookError(
                "invalidCurrency", .usage,
                "'\(Text.escaped(String(text.prefix(40))))' is no currency: three letters, such "
                    + "as EUR")
        }
        return text.uppercased()
    }
}

/// The assets that can have prices, by the names that users give them.
struct PricedAssets {
    private var names: [String: Set<String>] = [:]

    init(_ state: State) {
        for chain in DaybookChains.Chain.allCases {
            let coin = chain.rules.coin.asset
            names[coin] = [coin]
        }
        let coins = Set(names.keys)
        state.tokens.walk { key, row in
            let contract = key.text
            names[contract, default: []].insert(contract)
            let symbol = row.unit(of: contract).asset
            if !coins.contains(symbol) { names[symbol, default: []].insert(contract) }
            return true
        }
    }

    /// The name that the log has for an asset; `line` is that of a file, for the error.
    func find(_ name: String, _ line: Int? = nil) throws(DaybookError) -> String {
        let found = names[name] ?? names[name.uppercased()] ?? []
        guard found.count < 2 else {
            throw DaybookError(
                "ambiguousAsset", .usage,
                GivenPrice.placed(
                    "several tokens have this symbol; use a contract's address: "
                        + found.sorted().joined(separator: ", "), line))
        }
        guard let asset = found.first else {
            throw DaybookError(
                "unknownAsset", .refused,
                GivenPrice.placed(
                    "'\(Text.escaped(String(name.prefix(64))))' is none of DASH, AXE, ICX and the "
                        + "tokens of this store", line))
        }
        return asset
    }
}
