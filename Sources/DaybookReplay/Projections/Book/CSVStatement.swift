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
