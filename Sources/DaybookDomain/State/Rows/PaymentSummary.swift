package import DaybookChains
import DaybookCrypto
package import DaybookEncoding

/// What a request's row keeps of its transaction once the transaction's bytes are gone from it.
///
/// A payment that has ended can be lost in a reorganization, dropped, or mined after all. What it
/// then gives back, holds back or excludes is decided from this, without the log.
package struct PaymentSummary: Equatable, Sendable {
    package let wallet: WalletID
    /// Dash, Axe: the coins that it spends.
    package let inputs: [Outpoint]
    /// What it holds back from the balance until the chain shows it.
    package let reserves: [TransactionPrepared.Reserve]
    /// As in `TransactionPrepared`.
    package let fee: UInt256
    /// Dash, Axe: the digest of the unsigned bytes, which tells whether a payment is the same one.
    package let unsigned: Bytes?
    /// ICON: what the transaction pays, as `AttemptTerms` tells payments apart.
    ///
    /// On Dash and Axe that follows from the request.
    package let terms: Bytes?
    /// ICON: from this time on no node takes it any more.
    package let until: UInt64?

    package init(
        wallet: WalletID, inputs: [Outpoint], reserves: [TransactionPrepared.Reserve],
        fee: UInt256, unsigned: Bytes? = nil, terms: Bytes? = nil, until: UInt64? = nil
    ) {
        self.wallet = wallet
        self.inputs = inputs
        self.reserves = reserves
        self.fee = fee
        self.unsigned = unsigned
        self.terms = terms
        self.until = until
    }

    /// The summary of what was prepared for a request in a wallet; nil where there is no wallet.
    init(of prepared: TransactionPrepared, for request: Request?, in wallet: WalletAdded?) {
        var (unsigned, terms, until): (Bytes?, Bytes?, UInt64?)
        if case .pay = request?.action {
            unsigned = Self.digest(ofUnsigned: prepared.bytes)
        } else if let wallet {
            let params = try? JSON.parse(prepared.bytes)
            terms = params.flatMap { AttemptTerms.transaction(wallet.network, $0) }
            if wallet.chain == .icon { until = Self.end(of: params) }
        }
        self.init(
            wallet: prepared.wallet, inputs: prepared.inputs.compactMap(\.outpoint),
            reserves: prepared.reserves, fee: prepared.fee, unsigned: unsigned, terms: terms,
            until: until)
    }

    static func digest(ofUnsigned bytes: Bytes) -> Bytes { SHA256.hash(bytes) }

    /// When the last node has stopped taking an ICON transaction.
    private static func end(of params: JSON?) -> UInt64 {
        let timestamp = params?["timestamp"]?.stringValue.flatMap(ICONInteger.parseSmall)
        let (end, isTooLate) = (timestamp ?? .max).addingReportingOverflow(timestampWindow)
        return isTooLate ? .max : end
    }

    /// A node takes an ICON transaction up to five minutes after its timestamp by the node's own
    /// clock, and a clock that is more than five minutes from ours is not one that we work with.
    private static let timestampWindow: UInt64 = 10 * 60 * 1_000_000

    package var coded: CBOR {
        .record([
            "wallet": .id(wallet),
            "inputs": .list(inputs) { $0.coded },
            "reserves": .list(reserves) { $0.coded },
            "fee": fee.coded,
            "unsigned": unsigned.map(CBOR.bytes),
            "terms": terms.map(CBOR.bytes),
            "until": until.map(CBOR.unsigned),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        wallet = try fields.id("wallet")
        inputs = try fields.list("inputs") { (item) throws(FieldError) in try Outpoint(item) }
        reserves = try fields.list("reserves") { (item) throws(FieldError) in
            try TransactionPrepared.Reserve(item)
        }
        fee = try fields.amount("fee")
        unsigned = fields["unsigned"] == nil ? nil : try fields.digest("unsigned")
        terms = fields["terms"] == nil ? nil : try fields.digest("terms")
        until = try fields.optionalNumber("until")
    }
}
