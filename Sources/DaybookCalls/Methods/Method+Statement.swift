package import Daybook
import DaybookCommands
import DaybookEncoding

extension Method {
    private static let account = ResultType(
        "StatementAccount",
        [
            .init("wallet", .number), .init("label", .text), .init("chain", .text),
            .init("network", .text), .init("asset", .text), .init("symbol", .text),
            .init("opening", .amount), .init("received", .amount), .init("sent", .amount),
            .init("fees", .amount), .init("closing", .amount),
        ])

    private static let line = ResultType(
        "StatementLine",
        [
            .init("date", .time), .init("recorded", .time), .init("wallet", .number),
            .init("asset", .text), .init("kind", .text), .init("received", .amount),
            .init("sent", .amount), .init("fee", .amount), .init("balance", .amount),
            .init("description", .text), .optional("counterparty", .text),
            .optional("txid", .text), .optional("request", .number), .init("position", .number),
        ])

    private static let span = ResultType(
        "CoveredSpan",
        [
            .init("from", .number), .init("to", .number),
            .init("by", .orNull(.text), "null if nobody covers it"), .optional("at", .time),
        ])

    package static let statementShow = Method(
        "statement.show",
        [
            Parameter("from", .text, at: "--from T", "the first moment, such as 2026-01-01"),
            Parameter("to", .text, at: "--to T", "the first moment after the period"),
            .optional("wallet", .wallet, at: "--wallet W", "of this wallet only, by id or label"),
            .optional(
                "format", .text, of: StatementFormat.allCases.map(\.rawValue),
                at: "--format FORM", "text, html, csv or json"),
        ], command: "statement",
        does: """
            show what the wallets held at both ends of a period, and what moved in it
            A time is a date, or a date and a time of day, in UTC. A movement counts on its block's
            time, else on the time when it was recorded. `daybook-replay verify --statement`
            compares a statement (html or json) with a log.
            """,
        gives: ResultType(
            "Statement",
            [
                .init("version", .number), .init("from", .time), .init("to", .time),
                .optional("wallet", .number), .init("wallets", .list(.object(account))),
                .init("movements", .list(.object(line))),
                .init("log", .text), .init("events", .number), .init("root", .text),
                .optional("coverage", .list(.object(span))),
                .optional("content", .text, "with `format`: the statement as a text in it"),
            ])
    ) { call in
        let asked = try await AskedStatement(call.arguments, call.store)
        func content(_ format: StatementFormat) -> String {
            String(decoding: asked.statement.content(as: format), as: UTF8.self)
        }
        let member = asked.format.map {
            JSON.Member(name: "content", value: .string(content($0)))
        }
        return MethodAnswer(
            .object((asked.statement.json.objectValue ?? []) + [member].compactMap { $0 }))
    }
}

/// A statement that a caller asks for, and the format in which it is wanted.
package struct AskedStatement: Sendable {
    package let statement: PeriodStatement
    package let format: StatementFormat?

    package init(_ arguments: Arguments, _ store: Store) async throws {
        format = arguments.choice("format")
        let wallet = try await arguments.wallet("wallet", in: store)
        guard let from = try arguments.time("from") else { throw arguments.missing("from") }
        guard let to = try arguments.time("to") else { throw arguments.missing("to") }
        statement = try await store.statement(from: from, to: to, wallet: wallet?.id)
    }
}
