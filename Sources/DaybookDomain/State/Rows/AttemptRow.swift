package import DaybookChains
package import DaybookEncoding

/// A signed transaction of ours that may be executed although no node has said that it has it.
///
/// It stays on record from its signature until a node accepts it, and comes back when a node
/// refuses it, when it is dropped, and when its user rejects it: none of these proves that the
/// network will never have it. A later payment to the same terms must exclude it.
package struct AttemptRow: StateRow {
    package var wallet: WalletID
    package var request: RequestID
    /// What the transaction pays, as `AttemptTerms` tells payments apart.
    package var terms: Bytes
    /// Dash, Axe: the coins that it spends.
    package var inputs: [Outpoint] = []
    /// ICON: from this time on no node takes it any more.
    package var until: UInt64?
    /// Its request has ended without success, and its coins are held back no longer.
    package var isGivenUp = false

    package init(wallet: WalletID, request: RequestID, terms: Bytes) {
        self.wallet = wallet
        self.request = request
        self.terms = terms
    }

    package var coded: CBOR {
        .record([
            "wallet": .id(wallet), "request": .id(request), "terms": .bytes(terms),
            "inputs": .list(inputs) { $0.coded }, "until": until.map(CBOR.unsigned),
            "isGivenUp": .flag(isGivenUp),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        wallet = try fields.id("wallet")
        request = try fields.id("request")
        terms = try fields.digest("terms")
        inputs = try fields.list("inputs") { (item) throws(FieldError) in try Outpoint(item) }
        until = try fields.optionalNumber("until")
        isGivenUp = try fields.flag("isGivenUp")
    }
}
