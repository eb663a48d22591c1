import DaybookChains
import DaybookDomain
public import DaybookEncoding
import DaybookReplay

/// The price of a whole coin of an asset at a time.
public struct AssetPrice: Codable, Hashable, Sendable {
    /// `DASH`, `AXE`, `ICX`, or a token's contract address or symbol.
    public let asset: String
    /// Three letters, such as `EUR`.
    public let currency: String
    /// A decimal number above zero, such as `24.31`.
    public let price: String
    /// When it was worth that; nil if it is recorded at once.
    public let time: Timestamp?

    /// A price to record.
    public init(asset: String, currency: String, price: String, time: Timestamp? = nil) {
        (self.asset, self.currency, self.price, self.time) = (asset, currency, price, time)
    }

    fileprivate init(_ key: PriceKey, _ price: DecimalNumber) {
        self.init(
            asset: key.asset, currency: key.currency, price: price.text,
            time: Timestamp(microseconds: key.time))
    }
}

/// A part of the list of prices.
public struct PricePage: Codable, Hashable, Sendable {
    /// The prices, in the order of assets, currencies and times.
    public let prices: [AssetPrice]
    /// The value of `after` for the next page; nil at the end.
    public let next: AssetPrice?
}

/// Prices, which are recorded and never asked of anybody.
extension Store {
    /// Records what assets were worth; of all or, after an error, of none.
    ///
    /// A price that is known already is not recorded again.
    ///
    /// If `isReplacing`, another price of the same moment is withdrawn in the same commit.
    ///
    /// - Throws: `invalidPrice` for one that is not above zero or has more than 18 digits before or
    ///   behind the point, `unknownAsset`, `ambiguousAsset`, `invalidCurrency`, `priceConflict` if
    ///   another price is known for the same asset, currency and time.
    public func set(
        _ prices: [AssetPrice], replacing isReplacing: Bool = false
    ) async throws(DaybookError) {
        try await record(
            try prices.map { (price) throws(DaybookError) in
                GivenPrice(try RecordablePrice(price), line: nil)
            }, isReplacing)
    }

    /// Withdraws a price that was recorded wrongly; the log keeps both.
    ///
    /// From then on histories, books and gains take the price before it, if that is at most seven
    /// days old, and otherwise none. Another one can be recorded for the same moment.
    ///
    /// - Throws: `unknownPrice`, `unknownAsset`, `ambiguousAsset`, `invalidCurrency`.
    public func withdrawPrice(
        of asset: String, in currency: String, at time: Timestamp
    ) async throws(DaybookError) {
        let currency = try CurrencyCode.read(currency)
        _ = try await convertingErrors {
            try await journal.record { state, _, _ in
                let key = PriceKey(
                    try PricedAssets(state).find(asset), in: currency, at: time.microseconds)
                guard state.prices.contains(key) else {
                    throw DaybookError(
                        "unknownPrice", .refused,
                        "no price of \(Text.escaped(asset)) in \(currency) is recorded for exactly "
                            + Timestamp.text(time))
                }
                return [.init(.priceWithdrawn(PriceWithdrawn([.init(key)])))]
            }
        }
    }

    /// The recorded prices that were not withdrawn: all, or those of an asset or in a currency.
    ///
    /// - Throws: `unknownAsset`, `ambiguousAsset`, `invalidCurrency`.
    public func prices(
        of asset: String? = nil, in currency: String? = nil, after: AssetPrice? = nil,
        limit: Int = 100
    ) throws(DaybookError) -> PricePage {
        let currency = try currency.map { (code) throws(DaybookError) in
            try CurrencyCode.read(code)
        }
        return try convertingErrors {
            try journal.read { state in
                let assets = PricedAssets(state)
                let asset = try asset.map { try assets.find($0) }
                let last = after.map {
                    PriceKey($0.asset, in: $0.currency, at: $0.time?.microseconds ?? .max)
                }
                let size = min(max(limit, 1), RequestScan.limit)
                let found = state.prices(of: asset, in: currency, after: last, limit: size + 1)
                let prices = found.prefix(size).map { AssetPrice($0.key, $0.row.price) }
                return PricePage(
                    prices: prices, next: found.count > size ? prices.last : nil)
            }
        }
    }

    /// Records the prices of a table of comma-separated values, all or, after an error, none.
    ///
    /// Its first line names the columns `asset`, `currency`, `price` and `at`, in any order. If
    /// `isReplacing`, other prices of the same moments are withdrawn in the same commit.
    ///
    /// - Returns: How many prices the table has.
    /// - Throws: `invalidPriceFile`, `fileTooLarge`, and what `set` throws; each names the line.
    public func importPrices(
        _ file: [UInt8], replacing isReplacing: Bool = false
    ) async throws(DaybookError) -> Int {
        try Self.check(file, of: "prices", upTo: Self.largestPriceFile)
        let prices = try PriceFile.prices(in: file)
        try await record(prices, isReplacing)
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
        return try convertingErrors {
            try journal.read { state in
                let gains = Gains(of: state, in: start..<end, currency: currency, by: .init(method))
                return GainsTable(gains, decimals: Currency.decimals(of: currency))
            }
        }
    }

    private func record(
        _ prices: [GivenPrice], _ isReplacing: Bool
    ) async throws(DaybookError) {
        _ = try await convertingErrors {
            try await journal.record { state, now, _ in
                let assets = PricedAssets(state)
                var new: [PriceKey: DecimalNumber] = [:]
                var old: Set<PriceKey> = []
                for given in prices {
                    let price = given.price
                    let key = PriceKey(
                        try assets.find(price.asset, given.line), in: price.currency,
                        at: price.time ?? now)
                    let known = state.prices[key]?.price
                    if let other = new[key] ?? (isReplacing ? nil : known), other != price.price {
                        throw given.conflict(with: other, key)
                    }
                    if known == price.price { continue }
                    if known != nil { old.insert(key) }
                    new[key] = price.price
                }
                let withdrawn = old.sorted().map { PriceWithdrawn.Price($0) }
                let sorted = new.sorted { $0.key < $1.key }.map { PriceSet.Price($0.key, $0.value) }
                return EventParts.of(withdrawn).map { .init(.priceWithdrawn(PriceWithdrawn($0))) }
                    + EventParts.of(sorted).map { .init(.priceSet(PriceSet($0))) }
            }
        }
    }
}

extension State {
    /// Up to `limit` prices, of all assets or one, in all currencies or one, after a price.
    fileprivate func prices(
        of asset: String?, in currency: String?, after last: PriceKey?, limit: Int
    ) -> [(key: PriceKey, row: PriceRow)] {
        var found: [(key: PriceKey, row: PriceRow)] = []
        walkPriced { priced, code in
            guard asset.map({ Text.equal($0, priced) }) ?? true,
                currency.map({ Text.equal($0, code) }) ?? true
            else { return }
            let first = PriceKey(priced, in: code, at: 0)
            if let last, last >= PriceKey(priced, in: code, at: .max) { return }
            prices.walk(
                .prices(of: priced, in: code), after: last.flatMap { $0 < first ? nil : $0 }
            ) { key, row in
                guard found.count < limit else { return false }
                found.append((key, row))
                return true
            }
        }
        return found
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
                    + "\(Timestamp.text(key.time)): \(known.text); replace or withdraw it", line))
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
        (self.price, time) = (price, given.time?.microseconds)
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
