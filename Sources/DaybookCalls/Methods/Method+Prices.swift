import Daybook
import DaybookCommands
import DaybookEncoding

extension Method {
    private static let prices = ResultType("Prices", [.init("prices", .number)])

    static let priceList = Method(
        "price.list",
        [
            .optional("asset", .text, at: "--asset A", "only those of this asset"),
            .optional("currency", .text, at: "--currency C", "only those in this currency"),
            .optional("after", .text), .optional("limit", .number),
        ], command: "price list", does: "list the prices that were recorded and not withdrawn",
        gives: .list("PriceList", "prices", of: AssetPrice.resultType, .optional("next", .text)),
        note: "by asset, currency and time", pages: "after"
    ) { call in
        let arguments = call.arguments
        let isFiltered = arguments.has("asset") || arguments.has("currency")
        let page = try await call.store.prices(
            of: arguments.text("asset"), in: arguments.text("currency"),
            after: try arguments.text("after").map { try AssetPrice(cursor: $0) },
            limit: try arguments.pageSize())
        return MethodAnswer(
            "prices", page.prices.map(\.json), next: page.next.map { .string($0.cursor) },
            empty: isFiltered ? "no price is of that asset and currency" : "no prices yet"
        ) {
            Console.columns(
                [["at", "asset", "price", "currency"]] + page.prices.map { price in
                    [price.moment, price.asset, price.price, price.currency]
                }, right: [2])
        }
    }

    private static let replaces = Parameter.optional(
        "replace", .flag, at: "--replace", "withdraw another price of the same moment")

    static let priceWithdraw = Method(
        "price.withdraw",
        [
            Parameter("asset", .text, at: "ASSET"), Parameter("currency", .text, at: "CURRENCY"),
            Parameter("at", .text, at: "--at T", "its moment, as `price list` shows it"),
        ], command: "price withdraw",
        does: """
            withdraw a price that was recorded wrongly
            The log keeps it, and nothing takes it any more: movements have the price before it, if
            that is at most seven days old. Another one can be recorded for the same moment.
            """,
        gives: prices, note: "1", changes: true
    ) { call in
        let arguments = call.arguments
        guard let time = try arguments.time("at") else { throw arguments.missing("at") }
        try await call.store.withdrawPrice(
            of: arguments.text("asset") ?? "", in: arguments.text("currency") ?? "", at: time)
        return MethodAnswer(.record(["prices": .int(1)])) { "1 price is withdrawn" }
    }

    static let priceSet = Method(
        "price.set",
        [
            Parameter("asset", .text, at: "ASSET"), Parameter("currency", .text, at: "CURRENCY"),
            Parameter("price", .text, at: "PRICE"),
            .optional(
                "at", .text, at: "--at T",
                "when it was worth that, such as 2026-01-31 or 2026-01-31T12:00:00Z; default now"),
            replaces,
        ], command: "price set",
        does: """
            record what a whole coin of ASSET was worth in CURRENCY
            ASSET is DASH, AXE, ICX, or a token's symbol or contract. Nothing is asked of anybody:
            gains and books take the last price of the seven days before a movement.
            """,
        gives: prices, note: "1; `price` is a decimal text above zero, `at` a time", changes: true
    ) { call in
        let arguments = call.arguments
        try await call.store.set([
            AssetPrice(
                asset: arguments.text("asset") ?? "", currency: arguments.text("currency") ?? "",
                price: arguments.text("price") ?? "", time: try arguments.time("at"))
        ], replacing: arguments.flag("replace"))
        return MethodAnswer(prices: 1)
    }

    package static let priceImport = Method(
        "price.import", [Parameter("file", .text, at: "FILE"), replaces],
        command: "price import",
        does: """
            record the prices of FILE, a table of comma-separated values
            Its first line names the columns asset, currency, price and at. All prices are recorded,
            or after an error none.
            """,
        gives: prices, note: "how many the text `file` has", changes: true
    ) { call in
        let file = Array((call.arguments.text("file") ?? "").utf8)
        return MethodAnswer(
            prices: try await call.store.importPrices(
                file, replacing: call.arguments.flag("replace")))
    }
}

extension AssetPrice {
    fileprivate static let resultType = ResultType(
        "Price",
        [
            .init("asset", .text), .init("currency", .text), .init("price", .amount),
            .init("at", .time),
        ])

    fileprivate var json: JSON {
        .record([
            "asset": .string(asset), "currency": .string(currency), "price": .string(price),
            "at": .string(Timestamp.text(recorded)),
        ])
    }

    private var recorded: Timestamp { time ?? Timestamp(microseconds: 0) }

    /// Its time, to the second unless that is not all of it.
    fileprivate var moment: String {
        let isSecond = recorded.microseconds % 1_000_000 == 0
        return isSecond ? Timestamp.seconds(recorded) : Timestamp.text(recorded)
    }

    /// The price's place in a list, as a text.
    fileprivate var cursor: String { "\(asset) \(currency) \(Timestamp.text(recorded))" }

    /// The place in a list that a text names.
    fileprivate init(cursor: String) throws(CommandFailure) {
        let parts = cursor.split(separator: " ").map(String.init)
        guard parts.count == 3, let time = Timestamp(parts[2]) else {
            throw .usage("after takes the `next` of the page before")
        }
        self.init(asset: parts[0], currency: parts[1], price: "", time: time)
    }
}

extension MethodAnswer {
    fileprivate init(prices: Int) {
        self.init(.record(["prices": .int(prices)])) {
            prices == 1 ? "1 price is recorded" : "\(prices) prices are recorded"
        }
    }
}
