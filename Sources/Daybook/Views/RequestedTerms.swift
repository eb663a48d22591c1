import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookLinks
import DaybookReplay

/// What a request asks for, in figures and on one line, from its row alone.
///
/// Rows keep it after the end of a request, so that a list of past requests reads no event.
struct RequestedTerms {
    /// The request; that of the original if this one repeats it, nil if none could be read.
    let request: Request?
    /// The name of its protocol; for a bump or a cancellation, its chain.
    let protocolName: String?
    /// The wallet that is offered while the request is pending.
    private(set) var offered: WalletID?
    /// The wallet that was chosen, or that is offered.
    private(set) var wallet: WalletID?
    /// The coin, or a token's contract.
    private(set) var asset: String?
    private(set) var symbol: String?
    private(set) var decimals: Int?
    private(set) var amount: UInt256?
    private(set) var recipient: String?
    /// One line, escaped for display.
    private(set) var summary: String

    init(_ id: RequestID, _ row: RequestRow, _ state: borrowing State) {
        wallet = row.wallet
        request = row.request ?? row.into.flatMap { state.request($0)?.request }
        let link = request?.link ?? row.link
        if let request, case .remedy = request.action {
            protocolName = request.chain.rawValue
        } else {
            protocolName = link.flatMap { Links.linkProtocol($0) }?.family
        }
        summary = Self.sentence(ofUnread: link, protocolName)
        guard let request else { return }
        if row.status == .pending {
            offered = state.offered(for: request, id, repeats: row.repeats)
            wallet = wallet ?? offered
        }
        read(request.action, row, request.chain.rules.coin.asset)
        if let asset {
            let network = wallet.flatMap { state.wallets[$0]?.wallet.network }
                ?? state.candidates(for: request).first?.row.wallet.network
            if let network {
                let unit = state.unit(of: asset, request.chain, network)
                (symbol, decimals) = (unit.symbol, unit.decimals)
            } else if Text.equal(request.chain.rules.coin.asset, asset) {
                (symbol, decimals) = (asset, request.chain.rules.coin.decimals)
            } else {
                symbol = asset
            }
        }
        let caller = request.caller.map { " for \($0.scheme) (unverified)" } ?? ""
        summary = Text.escaped(sentence(of: request.action) + caller)
    }

    private mutating func read(_ action: Action, _ row: RequestRow, _ coin: String) {
        recipient = action.recipient
        switch action {
        case .pay(_, let asked, _):
            asset = coin
            amount = (row.amount ?? asked).map { UInt256($0) }
        case .sendICX(_, _, let value, _): (asset, amount) = (coin, value)
        case .sendToken(_, _, let value, let contract): (asset, amount) = (contract, value)
        case .sign(let parameters), .sendTransaction(let parameters):
            // The network changes nothing about what is transferred.
            let terms = ICONTerms(network: .mainnet, params: parameters, highestFee: nil)
            let token = parameters["value"] == nil ? terms.token : nil
            let transfer = token == nil ? nil : parameters["data"]?["params"]
            let value = transfer?["_value"] ?? parameters["value"]
            amount = value?.stringValue.flatMap(ICONInteger.parse)
            if amount != nil { asset = token ?? coin }
        case .address, .masterPublicKey, .bind, .remedy: break
        }
    }

    /// What is known of a request whose link could not be read, or has no effect.
    private static func sentence(ofUnread link: String?, _ protocolName: String?) -> String {
        if let protocolName { return "a link of the protocol \(protocolName)" }
        guard let link, Text.equal(link, Request.ownLink) else {
            return "a link that no protocol can parse"
        }
        return "a bump or a cancellation"
    }

    private func sentence(of action: Action) -> String {
        let receiver = recipient.map { " to \($0)" } ?? ""
        return switch action {
        case .pay: "pay \(figure ?? "an amount to be entered")\(receiver)"
        case .sendICX, .sendToken: "send \(figure ?? "an amount")\(receiver)"
        case .sign: "sign a transaction\(figure.map { " of \($0)" } ?? "")\(receiver)"
        case .sendTransaction: "send a transaction\(figure.map { " of \($0)" } ?? "")\(receiver)"
        case .address(let account): "give a receive address of account \(account)"
        case .masterPublicKey(let account):
            "give the extended public keys of account \(account)"
        case .bind: "give a wallet's address"
        case .remedy(.bump, let payment): "bump the payment of request \(payment)"
        case .remedy(.cancel, let payment): "cancel the payment of request \(payment)"
        }
    }

    /// The amount with its unit.
    private var figure: String? {
        guard let amount, let asset else { return nil }
        guard let decimals else { return "\(amount.decimal) units of \(asset)" }
        return "\(DecimalAmount.format(amount, decimals: decimals)) \(symbol ?? asset)"
    }
}
