package import DaybookChains
package import DaybookEncoding

/// An unsigned transaction was prepared: what to sign, with which keys, and what it reserves.
package struct TransactionPrepared: EventData {
    package static let type = "transaction.prepared"

    package let wallet: WalletID
    /// Dash, Axe: the serialized unsigned transaction. ICON: the serialized text that is hashed.
    package let bytes: Bytes
    package let inputs: [Input]
    /// The derivation path of the change address; nil without change.
    package let changePath: String?
    /// The fee in minor units of the chain's coin: exact (UTXO) or the maximum (ICON).
    package let fee: UInt256
    /// The amounts that are reserved until the chain shows the transaction.
    package let reserves: [Reserve]

    /// One signature to make.
    package struct Input: Equatable, Sendable {
        /// The spent output; nil on ICON.
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

/// The keystore signed: a signature for each input, in their order (64 or, on ICON, 65 bytes).
package struct SignatureMade: EventData {
    package static let type = "signature.made"
    package let signatures: [Bytes]

    package init(signatures: [Bytes]) { self.signatures = signatures }

    package var coded: CBOR { .record(["signatures": .list(signatures) { .bytes($0) }]) }

    package init(_ fields: Fields) throws(FieldError) {
        signatures = try fields.list("signatures") { (item) throws(FieldError) in
            guard let bytes = item.record.bytesValue else {
                throw item.wrong("bytes")
            }
            return bytes
        }
    }
}

/// The keystore could not sign an approved transaction: the sealed key is missing or damaged.
package struct SignatureFailed: EventData {
    package static let type = "signature.failed"
    /// A text of ours.
    package let reason: String

    package init(reason: String) { self.reason = reason }

    package var coded: CBOR { .record(["reason": .text(reason)]) }

    package init(_ fields: Fields) throws(FieldError) { reason = try fields.text("reason") }
}

/// The transaction is signed and every signature verifies; `bytes` is what is sent.
///
/// On ICON that is the parameters as JSON text.
package struct TransactionSigned: EventData {
    package static let type = "transaction.signed"
    package let txid: Bytes
    package let bytes: Bytes

    package init(txid: Bytes, bytes: Bytes) {
        self.txid = txid
        self.bytes = bytes
    }

    package var coded: CBOR { .record(["txid": .bytes(txid), "bytes": .bytes(bytes)]) }

    package init(_ fields: Fields) throws(FieldError) {
        txid = try fields.bytes("txid")
        bytes = try fields.bytes("bytes")
    }
}

/// A node answered the broadcast of a signed transaction.
package struct BroadcastAnswered: EventData {
    package static let type = "broadcast.answered"

    package let answer: Answer
    /// The node's code and text if it refused, else a text of ours.
    package let code: Int64?
    package let message: String?
    /// The refusal that the answer means to a front end; nil if it has no code of its own.
    ///
    /// `failedOnChain` with `accepted`: a block has the transaction, executed without success.
    package let refusal: Refusal.Code?

    /// The result of a broadcast.
    package enum Answer: String, Sendable { case accepted, refused, unknown }

    package init(
        answer: Answer, code: Int64? = nil, message: String? = nil, refusal: Refusal.Code? = nil
    ) {
        self.answer = answer
        self.code = code
        self.message = message
        self.refusal = refusal
    }

    package var coded: CBOR {
        .record([
            "answer": .text(answer.rawValue), "code": code.map(CBOR.int),
            "message": message.map(CBOR.text),
            "refusal": refusal.map { .text($0.rawValue) },
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        answer = try fields.name("answer")
        code = try fields.optionalSigned("code")
        message = try fields.optionalText("message")
        refusal = try fields.optionalName("refusal")
    }
}

/// A node accepted the transaction.
package struct TransactionSent: EventData {
    package static let type = "transaction.sent"
    package let txid: Bytes

    package init(txid: Bytes) { self.txid = txid }

    package var coded: CBOR { .record(["txid": .bytes(txid)]) }

    package init(_ fields: Fields) throws(FieldError) { txid = try fields.bytes("txid") }
}

/// The transaction can't be sent, or will never be executed; nothing remains to be done.
package struct TransactionFailed: EventData {
    package static let type = "transaction.failed"
    package let refusal: Refusal
    package let protocolCode: Int64?
}

extension TransactionFailed {
    package var coded: CBOR { refusal.coded(protocolCode: protocolCode) }

    package init(_ fields: Fields) throws(FieldError) {
        refusal = try Refusal(fields)
        protocolCode = try fields.optionalSigned("protocolCode")
    }
}

/// An event about a wallet's transaction on its chain that carries no further data.
package protocol TransactionFate: EventData {
    var wallet: WalletID { get }
    var txid: Bytes { get }
    init(wallet: WalletID, txid: Bytes)
}

extension TransactionFate {
    package var coded: CBOR {
        .record(["wallet": .id(wallet), "txid": .bytes(txid)])
    }

    package init(_ fields: Fields) throws(FieldError) {
        self.init(wallet: try fields.id("wallet"), txid: try fields.bytes("txid"))
    }
}

/// A block has the transaction; `failure` is set if its execution on ICON failed.
package struct TransactionConfirmed: EventData {
    package static let type = "transaction.confirmed"
    package let wallet: WalletID
    package let txid: Bytes
    package let height: UInt64
    package let failure: String?
    /// ICON: the amounts that it moved out of the wallet, including the fee.
    package let spent: [TransactionPrepared.Reserve]

    package init(
        wallet: WalletID, txid: Bytes, height: UInt64, failure: String? = nil,
        spent: [TransactionPrepared.Reserve] = []
    ) {
        self.wallet = wallet
        self.txid = txid
        self.height = height
        self.failure = failure
        self.spent = spent
    }

    package var coded: CBOR {
        .record([
            "wallet": .id(wallet), "txid": .bytes(txid), "height": .unsigned(height),
            "failure": failure.map(CBOR.text), "spent": .list(spent) { $0.coded },
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        wallet = try fields.id("wallet")
        txid = try fields.bytes("txid")
        height = try fields.number("height")
        failure = try fields.optionalText("failure")
        spent = try fields.list("spent") { (item) throws(FieldError) in
            try TransactionPrepared.Reserve(item)
        }
    }
}

/// The block that had the transaction is no longer part of the chain.
package struct TransactionReorganised: TransactionFate {
    package static let type = "transaction.reorganised"
    package let wallet: WalletID
    package let txid: Bytes

    package init(wallet: WalletID, txid: Bytes) {
        self.wallet = wallet
        self.txid = txid
    }
}

/// The network dropped a transaction after its caller was told that it was sent.
///
/// Its coins are released.
package struct TransactionDropped: TransactionFate {
    package static let type = "transaction.dropped"
    package let wallet: WalletID
    package let txid: Bytes

    package init(wallet: WalletID, txid: Bytes) {
        self.wallet = wallet
        self.txid = txid
    }
}

/// InstantSend (or a ChainLock) makes the transaction final.
package struct TransactionLocked: TransactionFate {
    package static let type = "transaction.locked"
    package let wallet: WalletID
    package let txid: Bytes

    package init(wallet: WalletID, txid: Bytes) {
        self.wallet = wallet
        self.txid = txid
    }
}
