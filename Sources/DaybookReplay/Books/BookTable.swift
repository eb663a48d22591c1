import DaybookChains
package import DaybookDomain
package import DaybookEncoding

/// Movements as a table that tax programs and spreadsheets read: CSV of RFC 4180 in UTF-8.
///
/// Its first columns are those of Koinly's universal form; `docs/FORMATS.md` lists all.
package struct BookTable {
    private let names: BookNames
    private let worth: BookWorth

    /// The columns' names.
    package static let columns = [
        "Date", "Sent Amount", "Sent Currency", "Received Amount", "Received Currency",
        "Fee Amount", "Fee Currency", "Net Worth Amount", "Net Worth Currency", "Label",
        "Description", "TxHash", "Recorded", "Counterparty", "Wallet", "Kind", "Request",
        "Position",
    ]

    package init(_ state: State, log: Bytes) {
        names = BookNames(state, log: log)
        worth = BookWorth(state)
    }

    /// The first line.
    package var header: String { CSVLine.text(Self.columns) }

    /// The line of a movement.
    package func line(_ movement: Movement) -> String {
        // A transfer between wallets of the table is nothing but its fee, and so are some others.
        let isInside = movement.sent != .zero && movement.received != .zero
        let isCost = isInside || (movement.sent == .zero && movement.received == .zero)
        let coin = movement.asset.coin
        let sent = isCost ? cells(movement.fee, coin, shownIfZero: true)
            : cells(movement.sent, movement.asset)
        let amount = isCost ? movement.fee : max(movement.sent, movement.received)
        let worth = worth.worth(of: amount, isCost ? coin : movement.asset, at: movement.date)
        return CSVLine.text(
            ["\(Timestamp.readable(movement.date)) UTC"] + sent
                + (isCost ? ["", ""] : cells(movement.received, movement.asset))
                + (isCost ? ["", ""] : cells(movement.fee, coin))
                + [
                    worth?.amount ?? "", worth?.currency ?? "", isCost ? "cost" : "",
                    CSVLine.untrusted(names.description(movement)),
                    movement.txid.map { Hex.encode($0) } ?? "",
                    "\(Timestamp.readable(movement.recorded)) UTC",
                    CSVLine.untrusted(movement.counterparty ?? ""),
                    CSVLine.untrusted(names.wallet(movement.wallet)), movement.kind.rawValue,
                    movement.request?.description ?? "", movement.position.description,
                ])
    }

    private func cells(
        _ amount: UInt256, _ asset: BookAsset, shownIfZero: Bool = false
    ) -> [String] {
        if amount == .zero, !shownIfZero { return ["", ""] }
        return [asset.text(of: amount), CSVLine.untrusted(names.currency(asset))]
    }
}

/// Lines of CSV whose texts no spreadsheet computes.
package enum CSVLine {
    /// A line of cells; one with a separator, a quotation mark or a space at an end is quoted.
    package static func text(_ cells: [String]) -> String {
        cells.map(cell).joined(separator: ",") + "\r\n"
    }

    private static func cell(_ text: String) -> String {
        let line = Text.onOneLine(text)
        let needsQuotes = line.utf8.contains { ",;\"'".utf8.contains($0) }
            || line.utf8.first == UInt8(ascii: " ") || line.utf8.last == UInt8(ascii: " ")
        return needsQuotes ? "\"\(line.replacing("\"", with: "\"\""))\"" : line
    }

    /// A text of somebody else, which a spreadsheet must not run as a formula.
    ///
    /// A spreadsheet takes a cell for a formula if it begins with `= + - @`, in some programs also
    /// in full width or after spaces, and even between quotation marks. Such a beginning gets an
    /// apostrophe in front, which marks text, and so does an apostrophe itself. The same holds
    /// behind a semicolon, at which a cell begins where that is the separator. A tab is escaped as
    /// all that is invisible.
    package static func untrusted(_ text: String) -> String {
        var output = String.UnicodeScalarView()
        var isBeginning = true
        for scalar in Text.escaped(text).unicodeScalars {
            if isBeginning, formulaBeginnings.contains(scalar) { output.append("'") }
            output.append(scalar)
            isBeginning = scalar == ";" || (isBeginning && (scalar == " " || scalar == "\""))
        }
        return String(output)
    }

    private static let formulaBeginnings: [Unicode.Scalar] = [
        "'", "=", "+", "-", "@", "\u{ff1d}", "\u{ff0b}", "\u{ff0d}", "\u{ff20}",
    ]
}
