package import DaybookChains
package import DaybookEncoding

/// An unsigned transaction stands: what is to be signed, by which keys, and what it holds back.
package struct TransactionPrepared: EventData {
    package static let type = "transaction.prepared"

    package let wallet: WalletID
    /// Dash, Axe: the serialized unsigned transaction. ICON: the serialized text that is hashed.
    package let bytes: Bytes
    package let inputs: [Input]
    /// The derivation path of the change address; nil without change.
    package let changePath: String?
    /// In minor units of the chain's coin: what it costs (UTXO) or costs at most (ICON).
    package let fee: UInt256
    /// What is held back from the balance until the chain shows the transaction.
    package let reserves: [Reserve]

    /// One signature to make.
    package struct Input: Equatable, Sendable {
        /// The output that is spent; nil on ICON.
        package let outpoint: Outpoint?
        /// Its amount in duffs; nil on ICON.
        package let amount: UInt64?
        package let digest: Bytes
        /// The derivation path of the key, `m` for a single key.
        package let path: String
        /// The public key under which the signature must verify, 33 bytes.
        package let publicKey: Bytes

        package init(
            outpoint: Outpoint?, amount: UInt64?, digest: Bytes, path: String, publicKey: Bytes
        ) {
            self.outpoint = outpoint
            self.amount = amount
            self.digest = digest
            self.path = path
            self.publicKey = publicKey
        }
    }

    /// An amount of an asset.
    package struct Reserve: Equatable, Sendable {
        package let asset: String
        package let amount: UInt256

        package init(asset: String, amount: UInt256) {
            self.asset = asset
            self.amount = amount
        }

        var coded: CBOR {
            .record(["asset": .text(asset), "amount": amount.coded])
        }

        init(_ fields: Fields) throws(FieldError) {
            asset = try fields.text("asset")
            amount = try fields.amount("amount")
        }
    }

    package init(
        wallet: WalletID, bytes: Bytes, inputs: [Input], changePath: String? = nil, fee: UInt256,
        reserves: [Reserve]
    ) {
        self.wallet = wallet
        self.bytes = bytes
        self.inputs = inputs
        self.changePath = changePath
        self.fee = fee
        self.reserves = reserves
    }

    package var coded: CBOR {
        .record([
            "wallet": .id(wallet),
            "bytes": .bytes(bytes),
            "inputs": .list(inputs) {
                .record([
                    "txid": ($0.outpoint?.displayed).map(CBOR.bytes),
                    "index": ($0.outpoint?.index).map { .unsigned(UInt64($0)) },
                    "amount": $0.amount.map(CBOR.unsigned),
                    "digest": .bytes($0.digest),
                    "path": .text($0.path),
                    "publicKey": .bytes($0.publicKey),
                ])
            },
            "changePath": changePath.map(CBOR.text),
            "fee": fee.coded,
            "reserves": .list(reserves) { $0.coded },
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        wallet = try fields.id("wallet")
        bytes = try fields.bytes("bytes")
        inputs = try fields.list("inputs") { (item) throws(FieldError) in
            Input(
                outpoint: item["txid"] == nil ? nil : try Outpoint(item),
                amount: try item.optionalNumber("amount"), digest: try item.bytes("digest"),
                path: try item.text("path"), publicKey: try item.bytes("publicKey"))
        }
        changePath = try fields.optionalText("changePath")
        fee = try fields.amount("fee")
        reserves = try fields.list("reserves") { (item) throws(FieldError) in
            try Reserve(item)
        }
    }
}
