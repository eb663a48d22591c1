import DaybookChains
import DaybookCrypto
import DaybookEncoding

/// The subject of a payment, however its link is spelled: chain, recipient, asset and amount.
///
/// Two requests with the same invoice are the same payment for their user: `dash:X?amount=1` and
/// `dashwallet://pay=X&amount=1.0&sender=shop`. The same recipient with another amount is another
/// invoice.
struct Invoice {
    let chain: Chain
    /// The address that gets the amount, as text; each address has only one.
    let recipient: String
    /// The contract of the token; nil for the chain's coin.
    let token: String?
    /// Minor units.
    let amount: UInt256

    /// The digest that requests have in common while they wait; their network is not known yet.
    var whileWaiting: KeyDigest { digest("waits") }

    /// The digest that requests have in common once they are approved, on the wallet's network.
    func approved(on network: Network) -> KeyDigest { digest(network.rawValue) }

    private func digest(_ place: String) -> KeyDigest {
        let lines = [place, chain.rawValue, recipient, token ?? "", amount.decimal]
        let size = lines.reduce(0) { $0 + 1 + $1.utf8.count }
        let text = Bytes(capacity: size) { text in
            for line in lines {
                if !text.isEmpty { text.append(UInt8(ascii: "\n")) }
                text.append(line.utf8.span)
            }
        }
        return KeyDigest(SHA256.hash(text))
    }
}

extension Request {
    /// The request's payment; nil if it pays nothing, or if its amount is still to be entered.
    func invoice(entered amount: UInt64?) -> Invoice? {
        switch action {
        case .pay(let address, let fixed, _):
            (fixed ?? amount).map {
                Invoice(chain: chain, recipient: address, token: nil, amount: UInt256($0))
            }
        case .sendICX(_, let to, let value, let data):
            Invoice(icon: to, value, type: data?.type, data: data?.data)
        case .sendToken(_, let to, let value, let contract):
            Invoice(chain: chain, recipient: to, token: contract, amount: value)
        case .sign(let params), .sendTransaction(let params):
            params["to"]?.stringValue.flatMap { to in
                Invoice(
                    icon: to, params["value"]?.stringValue.flatMap(ICONInteger.parse) ?? .zero,
                    type: params["dataType"]?.stringValue, data: params["data"])
            }
        case .address, .masterPublicKey, .bind, .remedy: nil
        }
    }
}

extension Invoice {
    /// The invoice of an ICON transaction: its coins, or the tokens of an IRC-2 transfer.
    fileprivate init?(icon to: String, _ value: UInt256, type: String?, data: JSON?) {
        let params = data?["params"]
        if Text.equal(type ?? "", "call"),
            Text.equal(data?["method"]?.stringValue ?? "", "transfer"),
            let recipient = params?["_to"]?.stringValue,
            let tokens = params?["_value"]?.stringValue.flatMap(ICONInteger.parse)
        {
            self.init(chain: .icon, recipient: recipient, token: to, amount: tokens)
        } else if value != .zero {
            self.init(chain: .icon, recipient: to, token: nil, amount: value)
        } else {
            return nil
        }
    }
}

/// The index of requests by invoice: those that wait, and those that are paid or in flight.
extension State {
    /// Another request that waits for its user with the same invoice: the oldest one.
    ///
    /// Its id alone is in the prompt, so that further copies do not change the prompt again.
    func waiting(withInvoiceOf request: Request, _ id: RequestID, amount: UInt64?) -> RequestID? {
        guard let invoice = request.invoice(entered: amount) else { return nil }
        return invoices.rows(.first(invoice.whileWaiting), limit: 2)
            .first { $0.key.second != id }?.key.second
    }

    /// The latest other request that pays the same invoice on a network.
    func paid(
        invoiceOf request: Request, _ id: RequestID, amount: UInt64?, on network: Network
    ) -> RequestID? {
        guard let invoice = request.invoice(entered: amount) else { return nil }
        var found: RequestID?
        invoices.walkBackward(.first(invoice.approved(on: network))) { key, _ in
            if key.second != id { found = key.second }
            return found == nil
        }
        return found
    }

    /// Adds a request to those that wait with the same invoice, or removes it.
    mutating func noteWaiting(_ row: RequestRow, _ id: RequestID, isWaiting: Bool) {
        guard let invoice = row.request?.invoice(entered: nil) else { return }
        invoices[Pair(invoice.whileWaiting, id)] = isWaiting ? PointerRow(id) : nil
    }

    /// Adds a request to those that pay the same invoice, or removes it if it does not pay it.
    mutating func notePaying(_ row: RequestRow, _ id: RequestID) {
        guard let invoice = row.request?.invoice(entered: row.amount),
            let owner = row.payment.flatMap({ chainID(of: $0.wallet) })
        else { return }
        let key = Pair(invoice.approved(on: owner.network), id)
        let pays = isPaying(row)
        if pays != invoices.contains(key) { invoices[key] = pays ? PointerRow(id) : nil }
    }

    /// Whether a request's transaction was executed, or counts as if it will be.
    private func isPaying(_ row: RequestRow) -> Bool {
        let known = transaction(of: row)
        if known?.height != nil { return known?.isFailed == false }
        switch row.status {
        case .approved, .signed, .sent, .completed: return !isGivenUp(row)
        case .received, .deferred, .pending, .refused, .coalesced, .rejected, .expired, .failed,
            .cancelled:
            return false
        }
    }
}
