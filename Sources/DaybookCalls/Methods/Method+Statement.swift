package import Daybook
import DaybookCommands
import DaybookEncoding

extension Method {
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
        gives: """
            `{"from","to","wallets":[{"wallet","asset","opening","received","sent","fees",\
            "closing"}],"movements":[…],"log","events","root"}`, decimal coins; with `format` also \
            `content`, the statement as a text in that format
            """
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
        let (from, to) = (try arguments.time("from"), try arguments.time("to"))
        guard from < to else {
            throw CommandFailure.usage(
                "\(arguments.spelled("to")) is the first moment after the period, so that it comes "
                    + "after \(arguments.spelled("from"))")
        }
        statement = try await store.statement(from: from, to: to, wallet: wallet?.id)
    }
}

extension Arguments {
    /// A required moment, in microseconds since 1970.
    fileprivate func time(_ name: String) throws(CommandFailure) -> UInt64 {
        guard let text = text(name) else { throw missing(name) }
        guard let time = Timestamp.parse(text) else {
            throw .usage(
                "\(spelled(name)) takes a moment in UTC, such as 2026-01-31 or "
                    + "2026-01-31T23:59:59Z")
        }
        return time
    }
}
