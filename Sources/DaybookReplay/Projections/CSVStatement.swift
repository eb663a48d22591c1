import DaybookChains
import DaybookDomain
import DaybookEncoding

/// The movements of wallets as a table for spreadsheets; `docs/FORMATS.md` lists its columns.
package enum CSVStatement {
    /// The first line: the columns' names.
    package static let header = line([
        "date", "wallet", "chain", "network", "asset", "symbol", "amount", "minor", "fee", "txid",
        "request", "caller", "kind", "event", "blockTime",
    ])

    /// The lines of an entry: one for each movement that is `shown`.
    package static func lines(
        _ entry: BookEntry, _ times: TransactionTimes = TransactionTimes(),
        shown: (BookEntry.Movement) -> Bool = { _ in true }
    ) -> String {
        entry.movements.filter(shown).map { line($0, entry, times) }.joined()
    }

    private static func line(
        _ movement: BookEntry.Movement, _ entry: BookEntry, _ times: TransactionTimes
    ) -> String {
        let asset = movement.asset
        let blockTime = movement.txid.flatMap { times[asset.chain, asset.network, $0] }
        let cells = [
            Timestamp.text(entry.time), movement.wallet.description, asset.chain.rawValue,
            asset.network.rawValue, GuardedText.text(asset.name), GuardedText.text(asset.symbol),
            asset.decimals.map { movement.amount.text(decimals: $0) } ?? "",
            movement.amount.text(decimals: 0), fee(movement),
            movement.txid.map { Hex.encode($0) } ?? "",
            movement.request?.description ?? "", GuardedText.text(movement.caller ?? ""),
            movement.kind.rawValue, entry.position.description,
            blockTime.map(Timestamp.text) ?? "",
        ]
        return line(cells)
    }

    private static func line(_ cells: [String]) -> String {
        cells.map(GuardedText.cell).joined(separator: ",") + "\r\n"
    }

    /// The fee, in the line of the chain's coin only, as fees are in that coin.
    private static func fee(_ movement: BookEntry.Movement) -> String {
        guard let fee = movement.fee, movement.asset.isCoin,
            let decimals = movement.asset.decimals
        else { return "" }
        return DecimalAmount.format(fee, decimals: decimals)
    }
}

/// Escapes untrusted text for the fields of exported files.
enum GuardedText {
    /// A quoted cell of CSV (RFC 4180), with control characters escaped.
    static func cell(_ text: String) -> String {
        "\"" + Text.onOneLine(text).replacing("\"", with: "\"\"") + "\""
    }

    /// Untrusted text for a cell, which a spreadsheet must not run as a formula.
    ///
    /// A spreadsheet takes a cell for a formula if it begins with `= + - @`, in some even after
    /// spaces or in full width, and even between quotes. Such a text gets a leading apostrophe,
    /// which marks text. So does a text that begins with one, so that removing one apostrophe
    /// restores the text.
    static func text(_ text: String) -> String {
        let line = Text.escaped(text)
        let first = line.unicodeScalars.first { $0 != " " }
        return first.map(formulaBeginnings.contains) ?? false ? "'" + line : line
    }

    private static let formulaBeginnings: [Unicode.Scalar] = [
        "'", "=", "+", "-", "@", "\u{ff1d}", "\u{ff0b}", "\u{ff0d}", "\u{ff20}",
    ]

    /// The value of a tag in a journal's comment, percent-encoded so that nothing can end it.
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
