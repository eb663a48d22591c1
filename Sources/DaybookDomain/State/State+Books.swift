package import DaybookEncoding

/// The price of an asset in a currency at a time (µs), the earliest first.
package typealias PriceKey = Pair<Pair<KeyText, KeyText>, UInt64>

extension PriceKey {
    package init(_ asset: String, in currency: String, at time: UInt64) {
        self.init(Pair<KeyText, KeyText>(asset, currency), time)
    }

    /// `DASH`, `AXE`, `ICX` or a token's contract address.
    package var asset: String { first.first.text }
    /// Three capital letters, as in ISO 4217.
    package var currency: String { first.second.text }
    package var time: UInt64 { second }
}

extension KeyPrefix<PriceKey> {
    /// The prices of an asset in a currency.
    package static func prices(of asset: String, in currency: String) -> KeyPrefix {
        .first(Pair(asset, currency))
    }
}

/// The label of something.
package struct LabelRow: StateRow {
    package let text: String

    package init(_ text: String) { self.text = text }

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        text = try coder.field("label", value?.text)
    }
}

/// The price of a whole coin of an asset.
package struct PriceRow: StateRow {
    package let price: DecimalNumber

    package init(_ price: DecimalNumber) { self.price = price }

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        price = try coder.field("price", value?.price)
    }
}

/// Labels and prices, which books and lists show.
extension State {
    /// The label of something; nil if it has none.
    package func label(_ subject: LabelSubject) -> String? {
        labels[KeyText(subject.text)]?.text
    }

    /// The label of a transaction, or else that of the request which made it.
    package func label(ofTransaction txid: Bytes?, by request: RequestID?) -> String? {
        txid.flatMap { label(.transaction($0)) } ?? request.flatMap { label(.request($0)) }
    }

    /// The label of a wallet, also of one that was removed; nil if it has none.
    package func label(of wallet: WalletID) -> String? {
        wallets.read(wallet) { $0.wallet.label } ?? nil
    }

    /// The price of a whole coin of an asset in a currency at a time; nil if that is not known.
    ///
    /// It is the last price at or before the time, unless that is more than seven days older.
    package func price(
        of asset: String, in currency: String, at time: UInt64
    ) -> DecimalNumber? {
        let (end, isLast) = time.addingReportingOverflow(1)
        var found: DecimalNumber?
        prices.walkBackward(
            .prices(of: asset, in: currency),
            before: isLast ? nil : PriceKey(asset, in: currency, at: end)
        ) { key, row in
            if time - key.time <= Self.oldestPrice { found = row.price }
            return false
        }
        return found
    }

    /// Hands out each asset that has prices, with each currency that they are in, in order.
    package func walkPriced(_ body: (_ asset: String, _ currency: String) -> Void) {
        var last: PriceKey?
        repeat {
            let after = last
            last = nil
            prices.walk(after: after) { key, _ in
                // No price is later: the next one is of another asset or currency.
                last = PriceKey(key.asset, in: key.currency, at: .max)
                body(key.asset, key.currency)
                return false
            }
        } while last != nil
    }

    /// How much older than a movement its price can be: seven days (µs).
    private static let oldestPrice: UInt64 = 7 * 86_400 * 1_000_000

    mutating func evolve(_ data: LabelSet) {
        for label in data.labels {
            labels[KeyText(label.subject.text)] = label.text.map { LabelRow($0) }
        }
    }

    mutating func evolve(_ data: PriceWithdrawn) {
        for price in data.prices { prices[price.key] = nil }
    }

    mutating func evolve(_ data: PriceSet) {
        for price in data.prices { prices[price.key] = PriceRow(price.price) }
    }
}
