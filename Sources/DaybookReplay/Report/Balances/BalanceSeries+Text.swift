import DaybookChains
import DaybookEncoding

extension BookEntry.Asset {
    /// An amount in whole coins; in units where nobody has said what a whole coin is.
    func text(_ minor: UInt256) -> String {
        decimals.map { DecimalAmount.format(minor, decimals: $0) } ?? "\(minor.decimal) units"
    }

    /// An amount that came or went, with its sign.
    func text(_ amount: SignedAmount) -> String {
        (amount.isNegative ? "−" : "+") + text(amount.magnitude)
    }

    /// An amount of the coin in which the asset's chain takes its fees.
    func coin(_ minor: UInt256) -> String {
        DecimalAmount.format(minor, decimals: chain == .icon ? 18 : Duffs.decimals)
            + " \(chain == .icon ? "ICX" : symbol)"
    }

    /// What people call it; of a token also what it is, because anyone can take any name.
    var label: String { isCoin ? symbol : "\(symbol) (token \(name))" }
}

extension BalanceSeries {
    /// A span in words, exact to the last digit.
    func describe(_ span: Span) -> String {
        let held = "\(asset.text(span.total)) \(asset.symbol)"
        let spendable = "\(asset.text(span.available)) spendable"
        if span.changes == 1 {
            return "\(Moment.text(span.begins)), event \(span.first): \(held), \(spendable)"
        }
        return "\(Moment.text(span.begins)) to \(Moment.text(span.ends)), "
            + "events \(span.first) to \(span.last): between \(asset.text(span.lowest)) and "
            + "\(asset.text(span.highest)), then \(held), \(spendable)"
    }
}
