import DaybookChains
import DaybookDomain
import DaybookEncoding

/// The movements of wallets as a table for spreadsheets; `docs/FORMATS.md` lists its columns.
package enum CSVStatement {
    /// The first line: the columns' names.
    package static let header = line([
        "date", "wallet", "chain", "network", "asset", "symbol", "amount", "minor", "fee", "txid",
        "request", "caller", "kind", "event",
    ])

    /// A line for each movement; none for an event that only moved amounts within a wallet.
    ///
    /// Movements that are not `shown` have none either.
    package static func lines(
        _ entry: BookEntry, shown: (BookEntry.Movement) -> Bool = { _ in true }
    ) -> String {
        entry.movements.filter(shown).map { line($0, entry) }.joined()
    }

    private static func line(_ movement: BookEntry.Movement, _ entry: BookEntry) -> String {
        let asset = movement.asset
        let cells = [
            Timestamp.text(entry.time), movement.wallet.description, asset.chain.rawValue,
            asset.network.rawValue, GuardedText.text(asset.name), GuardedText.text(asset.symbol),
            asset.decimals.map { movement.amount.text(decimals: $0) } ?? "",
            movement.amount.text(decimals: 0), fee(movement),
            movement.txid.map { Hex.encode($0) } ?? "",
            movement.request?.description ?? "", GuardedText.text(movement.caller ?? ""),
            movement.kind.rawValue, entry.position.description,
        ]
        return line(cells)
    }

    private static func line(_ cells: [String]) -> String {
        cells.map(GuardedText.cell).joined(separator: ",") + "\r\n"
    }

    /// The fee is in the chain's coin; where several assets move, it stands beside the coin's.
    private static func fee(_ movement: BookEntry.Movement) -> String {
        guard let fee = movement.fee, movement.asset.isCoin,
            let decimals = movement.asset.decimals
        else { return "" }
        return DecimalAmount.format(fee, decimals: decimals)
    }
}

/// Text of others, made fit for one field of a file that people or their programs read.
enum GuardedText {
    /// A cell of CSV (RFC 4180), always between quotes, so that nothing in it can end it.
    ///
    /// Controls, among them tabs and line breaks, are spelled out, should an amount ever have any.
    static func cell(_ text: String) -> String {
        "\"" + Text.onOneLine(text).replacing("\"", with: "\"\"") + "\""
    }

    /// What another program wrote, for a cell of text.
    ///
    /// A spreadsheet takes a cell that begins with one of `= + - @`, some also in full width, for a
    /// formula and runs it, quotes or none: such a text gets an apostrophe in front, which a
    /// spreadsheet takes for "this is text". Spaces before them are no hindrance to some. A text
    /// that begins with an apostrophe gets another, so that whoever takes one away has the text.
    static func text(_ text: String) -> String {
        let line = Text.escaped(text)
        let first = line.unicodeScalars.first { $0 != " " }
        return first.map(formulaBeginnings.contains) ?? false ? "'" + line : line
    }

    private static let formulaBeginnings: [Unicode.Scalar] = [
        "'", "=", "+", "-", "@", "\u{ff1d}", "\u{ff0b}", "\u{ff0d}", "\u{ff20}",
    ]

    /// The value of a tag in a comment of a journal: what could end it is percent-encoded.
    static func tag(_ text: String) -> String {
        var output = Bytes()
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"), UInt8(ascii: "+"):
                output.append(byte)
            default: output += Bytes("%\(Hex.encode([byte]))".utf8)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
