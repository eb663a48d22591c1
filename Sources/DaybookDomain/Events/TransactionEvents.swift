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

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        fee = try coder.field("fee", value?.fee)
        bytes = try coder.field("bytes", value?.bytes)
        inputs = try coder.list("inputs", value?.inputs)
        wallet = try coder.field("wallet", value?.wallet)
        reserves = try coder.list("reserves", value?.reserves)
        changePath = try coder.optional("changePath", value?.changePath)
    }
}

extension TransactionPrepared.Input: Recorded {
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        path = try coder.field("path", value?.path)
        outpoint = try Outpoint.optional(value?.outpoint, by: &coder)
        amount = try coder.optional("amount", value?.amount)
        digest = try coder.field("digest", value?.digest)
        publicKey = try coder.field("publicKey", value?.publicKey)
    }
}

extension TransactionPrepared.Reserve: Recorded {
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        asset = try coder.field("asset", value?.asset)
        amount = try coder.field("amount", value?.amount)
    }
}

/// The keystore signed: a signature for each input, in their order (64 or, on ICON, 65 bytes).
package struct SignatureMade: EventData {
    package static let type = "signature.made"
    package let signatures: [Bytes]

    package init(signatures: [Bytes]) { self.signatures = signatures }

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        signatures = try coder.values("signatures", value?.signatures)
    }
}

/// The keystore could not sign an approved transaction: the sealed key is missing or damaged.
package struct SignatureFailed: EventData {
    package static let type = "signature.failed"
    /// A text of ours.
    package let reason: String

    package init(reason: String) { self.reason = reason }

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        reason = try coder.field("reason", value?.reason)
    }
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

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        txid = try coder.field("txid", value?.txid)
        bytes = try coder.field("bytes", value?.bytes)
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

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        code = try coder.optional("code", value?.code)
        answer = try coder.field("answer", value?.answer)
        message = try coder.optional("message", value?.message)
        refusal = try coder.optional("refusal", value?.refusal)
    }
}

/// A node accepted the transaction.
package struct TransactionSent: EventData {
    package static let type = "transaction.sent"
    package let txid: Bytes

    package init(txid: Bytes) { self.txid = txid }

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        txid = try coder.field("txid", value?.txid)
    }
}

/// The transaction can't be sent, or will never be executed; nothing remains to be done.
package struct TransactionFailed: EventData {
    package static let type = "transaction.failed"
    package let refusal: Refusal
    package let protocolCode: Int64?
}

extension TransactionFailed {
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        refusal = try Refusal(value?.refusal, by: &coder)
        protocolCode = try coder.optional("protocolCode", value?.protocolCode)
    }
}

/// An event about a wallet's transaction on its chain that carries no further data.
package protocol TransactionFate: EventData {
    var wallet: WalletID { get }
    var txid: Bytes { get }
    init(wallet: WalletID, txid: Bytes)
}

extension TransactionFate {
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        let txid = try coder.field("txid", value?.txid)
        self.init(wallet: try coder.field("wallet", value?.wallet), txid: txid)
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
    /// When the block was made, in microseconds since 1970; nil if the node did not tell it.
    package let blockTime: UInt64?

    package init(
        wallet: WalletID, txid: Bytes, height: UInt64, failure: String? = nil,
        spent: [TransactionPrepared.Reserve] = [], blockTime: UInt64? = nil
    ) {
        self.wallet = wallet
        self.txid = txid
        self.height = height
        self.failure = failure
        self.spent = spent
        self.blockTime = blockTime
    }

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        txid = try coder.field("txid", value?.txid)
        spent = try coder.list("spent", value?.spent)
        height = try coder.field("height", value?.height)
        wallet = try coder.field("wallet", value?.wallet)
        failure = try coder.optional("failure", value?.failure)
        blockTime = try coder.optional("blockTime", value?.blockTime)
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
