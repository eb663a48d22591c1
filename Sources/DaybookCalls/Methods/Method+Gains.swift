import Daybook
import DaybookCommands
import DaybookEncoding

extension Method {
    static let gains = Method(
        "gains",
        [
            Parameter("year", .number, at: "--year Y", "the year, in UTC"),
            Parameter("currency", .text, at: "--currency C", "three letters, such as EUR"),
            .optional(
                "method", .text, of: GainsMethod.allCases.map(\.rawValue), at: "--method M",
                "fifo: what was acquired first leaves first (default); average: each part has cost "
                    + "the average of all that is held"),
            .optional(
                "format", .text, of: GainsFormat.allCases.map(\.rawValue), at: "--format F",
                "text (default) or csv"),
        ], command: "gains",
        does: """
            show what left the wallets in a year, for how much, and what it had cost
            Prices are those of `price set` and `price import`; missing ones are listed. Lots are
            those of an asset over all wallets; a transfer between them keeps its lots, and a fee
            leaves for nothing.
            """,
        gives: ResultType(
            "Gains",
            [
                .init("gains", .list(.object(GainsTable.Gain.resultType))),
                .init("missing", .list(.object(GainsTable.MissingPrice.resultType))),
                .optional("csv", .text, "with `format` `csv`"),
            ])
    ) { call in
        let method: GainsMethod? = call.arguments.choice("method")
        let format: GainsFormat? = call.arguments.choice("format")
        guard call.arguments.has("year") else { throw call.arguments.missing("year") }
        guard let currency = call.arguments.text("currency") else {
            throw call.arguments.missing("currency")
        }
        let table = try await call.store.gains(
            in: Int(clamping: call.arguments.number("year") ?? 0), currency: currency,
            method: method ?? .fifo)
        return MethodAnswer(table, in: currency.uppercased(), as: format ?? .text)
    }
}

/// How a table of gains is printed.
private enum GainsFormat: String, CaseIterable {
    case text, csv
}

extension MethodAnswer {
    fileprivate init(_ table: GainsTable, in currency: String, as format: GainsFormat) {
        let missing = JSON.Member(name: "missing", value: .array(table.missing.map(\.json)))
        let gains = table.gains.map(\.json)
        switch format {
        case .csv:
            let csv = table.csv(in: currency)
            self.init(
                .object([
                    .init(name: "gains", value: .array(gains)), missing,
                    .init(name: "csv", value: .string(csv)),
                ])
            ) { TerminalText(lines: csv) }
        case .text:
            self.init("gains", gains, with: missing, empty: nil) { table.text(in: currency) }
            // A command prints what is missing as the last line.
            append(entry: .object([missing]))
        }
        remarks = table.missing.map { price in
            "no price of \(price.asset) in \(currency) at \(Timestamp.seconds(price.time))"
        }
    }
}

extension GainsTable {
    /// The table for people.
    fileprivate func text(in currency: String) -> TerminalText {
        if gains.isEmpty { return "nothing left the wallets in that year" }
        let head = ["disposed", "acquired", "amount", "asset", "", "proceeds", "cost", "gain"]
        let rows = gains.map { gain in
            [
                Timestamp.day(gain.disposed), gain.acquired.map(Timestamp.day) ?? "",
                gain.amountInCoins,
                Text.escaped(gain.symbol), gain.isFee ? "fee" : "", gain.proceeds ?? "?",
                gain.cost ?? "?", gain.gain ?? "?",
            ]
        }
        return Console.columns([head] + rows, right: [2, 5, 6, 7])
            + "\nProceeds, cost and gain are in \(currency)."
    }

    /// The table for spreadsheets: names that this program knows, and figures.
    fileprivate func csv(in currency: String) -> String {
        let head = "Asset,Kind,Acquired,Disposed,Amount,Currency,Proceeds,Cost,Gain,Request,TxHash"
        let lines = gains.map { gain in
            let cells = [
                gain.asset, gain.kind, gain.acquired.map { "\(Timestamp.readable($0)) UTC" } ?? "",
                "\(Timestamp.readable(gain.disposed)) UTC", gain.amountInCoins, currency,
                gain.proceeds ?? "", gain.cost ?? "", gain.gain ?? "",
                gain.request?.description ?? "", gain.transaction ?? "",
            ]
            return cells.joined(separator: ",")
        }
        return ([head] + lines).joined(separator: "\n")
    }
}

extension GainsTable.Gain {
    fileprivate static let resultType = ResultType(
        "Gain",
        [
            .init("asset", .text), .init("symbol", .text), .optional("acquired", .time),
            .init("disposed", .time), .init("amount", .amount), .init("kind", .text),
            .optional("cost", .amount, "absent where a price is missing"),
            .optional("proceeds", .amount), .optional("gain", .amount),
            .optional("request", .number), .optional("txid", .text),
        ])

    fileprivate var kind: String { isFee ? "fee" : "payment" }

    fileprivate var json: JSON {
        .record([
            "asset": .string(asset), "symbol": .string(symbol),
            "acquired": acquired.map { .string(Timestamp.text($0)) },
            "disposed": .string(Timestamp.text(disposed)), "amount": .string(amountInCoins),
            "kind": .string(kind), "cost": cost.map(JSON.string),
            "proceeds": proceeds.map(JSON.string), "gain": gain.map(JSON.string),
            "request": request.map { .int($0) }, "txid": transaction.map(JSON.string),
        ])
    }
}

extension GainsTable.MissingPrice {
    fileprivate static let resultType = ResultType(
        "MissingPrice", [.init("asset", .text), .init("at", .time)])

    fileprivate var json: JSON {
        .record(["asset": .string(asset), "at": .string(Timestamp.text(time))])
    }
}
