import Daybook
import DaybookCommands
import DaybookEncoding

extension Method {
    private static let prices = ResultType("Prices", [.init("prices", .number)])

    static let priceSet = Method(
        "price.set",
        [
            Parameter("asset", .text, at: "ASSET"), Parameter("currency", .text, at: "CURRENCY"),
            Parameter("price", .text, at: "PRICE"),
            .optional(
                "at", .text, at: "--at T",
                "when it was worth that, such as 2026-01-31 or 2026-01-31T12:00:00Z; default now"),
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
        ])
        return MethodAnswer(prices: 1)
    }

    package static let priceImport = Method(
        "price.import", [Parameter("file", .text, at: "FILE")], command: "price import",
        does: """
            record the prices of FILE, a table of comma-separated values
            Its first line names the columns asset, currency, price and at. All prices are recorded,
            or after an error none.
            """,
        gives: prices, note: "how many the text `file` has", changes: true
    ) { call in
        let file = Array((call.arguments.text("file") ?? "").utf8)
        return MethodAnswer(prices: try await call.store.importPrices(file))
    }
}

extension MethodAnswer {
    fileprivate init(prices: Int) {
        self.init(.record(["prices": .int(prices)])) {
            prices == 1 ? "1 price is recorded" : "\(prices) prices are recorded"
        }
    }
}
