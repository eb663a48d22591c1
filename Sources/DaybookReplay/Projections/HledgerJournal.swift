import DaybookChains
import DaybookDomain
import DaybookEncoding

/// Writes entries as a journal for hledger; `docs/FORMATS.md` explains its accounts.
///
/// For example:
///
///     var journal = HledgerJournal()
///     for entry in entries { output(journal.text(entry)) }
package struct HledgerJournal {
    private let asserts: Bool
    private var declared: Set<String> = []
    /// The last transaction's date. hledger checks balances in the order of dates, so that a date
    /// never goes back, even where a clock was set back.
    private var date = ""

    /// The first lines of every journal.
    package static let preamble = "; daybook: one transaction for each event that moved something\n"
        + "decimal-mark .\n\n"

    /// A journal of all entries; without assertions, of any of them.
    package init(assertingBalances asserts: Bool = true) {
        self.asserts = asserts
    }

    /// An entry as a transaction, after the declarations that it needs; empty without postings.
    package mutating func text(_ entry: BookEntry) -> String {
        if entry.postings.isEmpty { return "" }
        var text = ""
        for posting in entry.postings {
            declare("account \(Self.name(posting.account))", &text)
            let sample = posting.asset.isCoin ? Self.zeros(posting.asset.decimals ?? 0) : "1000."
            declare("commodity \(sample) \(Self.commodity(posting.asset))", &text)
        }
        if !text.isEmpty { text += "\n" }
        let ownDate = String(Timestamp.text(entry.time).prefix(10))
        if Text.precedes(date, ownDate) { date = ownDate }
        text += "\(date) * (\(entry.position)) \(entry.type)\n"
        text += Self.comments(entry)
        for posting in entry.postings { text += line(posting) }
        return text + "\n"
    }

    private mutating func declare(_ directive: String, _ text: inout String) {
        if declared.insert(directive).inserted { text += directive + "\n" }
    }

    private func line(_ posting: BookEntry.Posting) -> String {
        let commodity = Self.commodity(posting.asset)
        let decimals = Self.decimals(posting.asset)
        var line = "    \(Self.name(posting.account))  "
            + "\(posting.amount.text(decimals: decimals)) \(commodity)"
        if asserts, let balance = posting.balance {
            line += " = \(DecimalAmount.format(balance, decimals: decimals)) \(commodity)"
        }
        return line + "\n"
    }

    /// Comments with tags, whose untrusted values are escaped.
    private static func comments(_ entry: BookEntry) -> String {
        var lines = ["event:\(entry.position), time:\(Timestamp.text(entry.time))"]
        if let request = entry.request { lines.append("request:\(request)") }
        for movement in entry.movements {
            guard let txid = movement.txid else { continue }
            var tags = "txid:\(Hex.encode(txid)), kind:\(movement.kind.rawValue)"
            if let request = movement.request { tags += ", paid-for:\(request)" }
            if let caller = movement.caller { tags += ", caller:\(GuardedText.tag(caller))" }
            lines.append(tags)
        }
        return lines.map { "    ; \($0)\n" }.joined()
    }

    private static func name(_ account: LedgerAccount) -> String {
        switch account {
        case .wallet(let wallet, let part): "assets:wallet \(wallet):\(name(part))"
        case .external(let chain, let network): "equity:world:\(chain.rawValue):\(network.rawValue)"
        }
    }

    private static func name(_ part: BalanceRow.Part) -> String {
        switch part {
        case .confirmedFree: "confirmed:free"
        case .confirmedHeld: "confirmed:held"
        case .confirmedFrozen: "confirmed:frozen"
        case .confirmedReserved: "confirmed:reserved"
        case .unconfirmedFree: "unconfirmed:free"
        case .unconfirmedHeld: "unconfirmed:held"
        case .unconfirmedFrozen: "unconfirmed:frozen"
        case .unconfirmedReserved: "unconfirmed:reserved"
        }
    }

    /// The commodity of an asset. Test networks have commodities of their own. Tokens are named by
    /// contract, because their symbols are untrusted.
    private static func commodity(_ asset: BookEntry.Asset) -> String {
        let network = asset.network == .mainnet ? "" : " \(asset.network.rawValue)"
        // hledger requires quotes around names with other characters than letters.
        return "\"\(GuardedText.tag(asset.name))\(network)\""
    }

    /// Tokens are counted in minor units, because a contract may change its decimals.
    private static func decimals(_ asset: BookEntry.Asset) -> Int {
        asset.isCoin ? asset.decimals ?? 0 : 0
    }

    private static func zeros(_ decimals: Int) -> String {
        "1000." + String(repeating: "0", count: decimals)
    }
}
