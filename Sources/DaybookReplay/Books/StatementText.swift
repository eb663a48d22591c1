import DaybookDomain
import DaybookEncoding
import DaybookLog

/// A statement in words and tables, as text, CSV or a page of HTML.
package struct StatementText {
    private let statement: BookStatement

    package init(_ statement: BookStatement) {
        self.statement = statement
    }

    // MARK: - Tables

    private static let accountColumns = [
        "Wallet", "Asset", "Opening", "Received", "Sent", "Fees", "Closing",
    ]
    private static let lineColumns = [
        "Date", "Wallet", "Asset", "Kind", "Received", "Sent", "Fee", "Balance", "Description",
        "Counterparty", "TxHash", "Request", "Position",
    ]

    /// The balances at both ends of the period.
    private var accounts: [[String]] {
        statement.accounts.map { account in
            [
                account.label, account.currency, account.text(account.opening),
                account.text(account.received), account.text(account.sent),
                account.text(account.fees), account.text(account.closing),
            ]
        }
    }

    private var lines: [[String]] {
        statement.lines.map { line in
            let account = statement.accounts[line.account]
            func shown(_ amount: UInt256) -> String { amount == .zero ? "" : account.text(amount) }
            return [
                "\(Timestamp.readable(line.movement.date)) UTC", account.label, account.currency,
                line.movement.kind.rawValue, shown(line.received), shown(line.sent),
                shown(line.fee), account.text(line.balance), line.description,
                line.movement.counterparty ?? "", line.movement.txid.map { Hex.encode($0) } ?? "",
                line.movement.request?.description ?? "", line.movement.position.description,
            ]
        }
    }

    private var title: String {
        "Statement from \(Timestamp.readable(statement.period.lowerBound)) UTC "
            + "to \(Timestamp.readable(statement.period.upperBound)) UTC"
    }

    private var source: String {
        "These figures follow from the first \(statement.head.size) events of the log "
            + "\(Hex.encode(statement.log)), whose root is "
            + "\(Hex.encode(statement.head.root.bytes))."
    }

    /// The sentence about what others cover; nil if the statement says nothing of it.
    private var cover: String? {
        statement.coverage.map { "The log by others' word: \(Coverage.text(of: $0))." }
    }

    private static let check =
        "daybook-replay verify SOURCE --statement FILE compares them with the log."

    // MARK: - Formats

    /// Lines for a terminal: the balances, what moved, and the log that they follow from.
    package var plain: String {
        let tables = [
            Self.aligned([Self.accountColumns] + accounts, right: 2...6),
            // The other columns are long, and are in the other formats.
            Self.aligned(
                [Array(Self.lineColumns.prefix(9))] + lines.map { Array($0.prefix(9)) },
                right: 4...7),
        ]
        let sources = [source] + (cover.map { [$0] } ?? [])
        return ([title] + tables + sources).joined(separator: "\n\n") + "\n"
    }

    /// Columns of text, those in `right` with their ends in line.
    private static func aligned(_ rows: [[String]], right: ClosedRange<Int>) -> String {
        let rows = rows.map { $0.map(Text.onOneLine) }
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            var line = row.indices.map { column in
                let gap = String(repeating: " ", count: widths[column] - row[column].count)
                return right.contains(column) ? gap + row[column] : row[column] + gap
            }.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }.joined(separator: "\n")
    }

    /// A table of what moved, between rows with the balances of the beginning and of the end.
    package var csv: String {
        let (from, to) = (statement.period.lowerBound, statement.period.upperBound)
        func balance(_ kind: String, _ time: UInt64, _ amount: (BookStatement.Account) -> String)
            -> [[String]]
        {
            statement.accounts.map { account in
                ["\(Timestamp.readable(time)) UTC", account.label, account.currency, kind]
                    + ["", "", "", amount(account), "", "", "", "", ""]
            }
        }
        let end = ["\(Timestamp.readable(to)) UTC", "", "", "root", "", "", "", "", ""]
            + ["", Hex.encode(statement.head.root.bytes), "", statement.head.size.description]
        let rows = balance("opening", from) { $0.text($0.opening) } + lines
            + balance("closing", to) { $0.text($0.closing) } + [end]
        return CSVLine.text(Self.lineColumns)
            + rows.map { row in
                CSVLine.text(row.enumerated().map { column, cell in
                    [1, 2, 8, 9].contains(column) ? CSVLine.untrusted(cell) : cell
                })
            }.joined()
    }

    /// A page for people, with the statement's JSON in it for `verify`.
    package var html: String {
        let data = String(decoding: HTML.data(statement.json), as: UTF8.self)
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
            style-src 'unsafe-inline'">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(Self.escaped(title))</title>
            <style>\(Self.style)</style>
            </head>
            <body>
            <h1>\(Self.escaped(title))</h1>
            \(Self.table("Balances", Self.accountColumns, accounts, right: 2...6))
            \(Self.table("Movements", Self.lineColumns, lines, right: 4...7, shown: 8))
            <p>\(source)</p>\(cover.map { "\n<p>\(Self.escaped($0))</p>" } ?? "")
            <p><code>\(Self.check)</code></p>
            \(Self.dataBeginning)\(data)\(Self.dataEnd)
            </body>
            </html>

            """
    }

    /// The JSON of a statement's page; nil if there is none in it.
    package static func data(inPage page: String) -> String? {
        guard let begin = page.firstRange(of: dataBeginning),
            let end = page[begin.upperBound...].firstRange(of: dataEnd)
        else { return nil }
        return String(page[begin.upperBound..<end.lowerBound])
    }

    private static let dataBeginning = #"<script type="application/json" id="statement">"#
    private static let dataEnd = "</script>"

    /// A table; what is in columns after the first `count` stands below their row, with its name.
    private static func table(
        _ caption: String, _ columns: [String], _ rows: [[String]], right: ClosedRange<Int>,
        shown count: Int = .max
    ) -> String {
        func row(_ tag: String, _ scope: String, _ cells: [String]) -> String {
            let cells = cells.enumerated().map { column, cell in
                let style = right.contains(column) ? #" class="figure""# : ""
                return "<\(tag)\(scope)\(style)>\(escaped(cell))</\(tag)>"
            }
            return "<tr>\(cells.joined())</tr>\n"
        }
        func rest(_ cells: [String]) -> String {
            let named = zip(columns, cells).dropFirst(count).filter { !$0.1.isEmpty }
            if named.isEmpty { return "" }
            let parts = named.map { name, cell in
                "<span>\(name) <b>\(escaped(cell))</b></span>"
            }
            return #"<tr class="rest"><td colspan="\#(count)">"# + parts.joined(separator: " ")
                + "</td></tr>\n"
        }
        let head = row("th", #" scope="col""#, Array(columns.prefix(count)))
        return "<div><table>\n<caption>\(caption)</caption>\n<thead>\n\(head)</thead>\n<tbody>\n"
            + rows.map { row("td", "", Array($0.prefix(count))) + rest($0) }.joined()
            + "</tbody>\n</table></div>"
    }

    /// A text that is no markup, with what is invisible in it spelled out.
    private static func escaped(_ text: String) -> String {
        var bytes = Bytes()
        HTML.add(Text.onOneLine(text), to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let style = """
        :root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;margin:2rem auto;\
        max-width:75rem;padding:0 1rem;background:Canvas;color:CanvasText}\
        h1{font-size:1.5rem;line-height:1.3}div{overflow-x:auto;margin:1.5rem 0}\
        table{border-collapse:collapse}caption{text-align:left;font-weight:bold}\
        th,td{padding:.2rem 1rem .2rem 0;text-align:left;vertical-align:top;white-space:nowrap}\
        thead th,tbody tr{border-bottom:1px solid GrayText}tr:has(+.rest){border-bottom:0}\
        .figure{text-align:right;font-variant-numeric:tabular-nums}\
        .rest td{white-space:normal;font-size:.85rem;padding-bottom:.5rem}\
        .rest span{display:inline-block;margin-right:1rem;max-width:calc(100vw - 3rem);\
        overflow-wrap:anywhere}.rest b{font-weight:600}p{overflow-wrap:anywhere}\
        @media print{body{margin:0;font-size:.7rem}.rest td{font-size:.65rem}tr{break-inside:avoid}}
        """
}
