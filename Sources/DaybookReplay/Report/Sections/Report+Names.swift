import DaybookEncoding
import DaybookChains
import DaybookDomain

/// Links to what the page has, and names for it.
extension Report {
    /// A link to an event; what the log does not have is named without one.
    func link(event position: Position, _ text: String, _ page: inout Markup) {
        guard position.number < survey.events else { return page.text(text) }
        page.link(to: .event(position), text)
    }

    /// Links to an event and to its proof: where to look up what is said.
    func source(event position: Position, _ text: String, _ page: inout Markup) {
        link(event: position, text, &page)
        guard position.number < survey.events else { return }
        page.text(" ")
        page.link(to: .proof(position), "proof")
    }

    func link(request id: RequestID, _ page: inout Markup) {
        guard survey.tells(id) else { return page.text("request \(id)") }
        page.link(to: .request(id), "request \(id)")
    }

    func link(wallet id: WalletID, _ page: inout Markup) {
        guard let row: WalletRow = survey.state.wallets[id] else {
            return page.text("wallet \(id)")
        }
        page.link(to: .wallet(id), name(of: id))
        page.text(" ")
        badge(row.wallet.network, &page)
    }

    /// The user's name for a wallet, and its number.
    func name(of wallet: WalletID) -> String {
        let row = survey.state.wallets[wallet]
        return row?.wallet.label.map { "\($0) (wallet \(wallet))" } ?? "wallet \(wallet)"
    }

    /// Play money must look like it everywhere.
    func badge(_ network: Network, _ page: inout Markup) {
        page.badge(network.rawValue, network == .mainnet ? .quiet : .open)
    }
}
