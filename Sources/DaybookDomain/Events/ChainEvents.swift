package import DaybookChains
package import DaybookEncoding

/// A node's answer, reduced to what is new: the only input about the chain's state.
package struct ChainObserved: EventData {
    package static let type = "chain.observed"

    package var chain: Chain
    package var network: Network
    package var height: UInt64?
    /// The block hash of the tip.
    package var tip: Bytes?
    /// A real node's proof that it belongs to this network: `genesis 0000…` or `nid 0x1`.
    package var identity: String?
    /// Duffs per 1000 bytes.
    package var feeRate: UInt64?
    /// Whether the node has estimated the fee rate; else the rate is the least that it takes.
    package var isFeeEstimated: Bool?
    /// Whether the chain locks transactions by InstantSend.
    package var instantSend: Bool?
    package var outputs: [Output] = []
    /// Outputs that no longer exist; the field is named `vanished` on disk.
    package var removed: [Outpoint] = []
    package var transactions: [TransactionStatus] = []
    package var balances: [Balance] = []
    package var tokens: [Token] = []
    package var steps: Steps?
    /// The estimated steps of the transaction of the event's request.
    package var estimate: UInt64?
    /// All that is set aside now; nil if that is the same as before.
    package var setAside: [SetAside]?
    /// Whether everything was compared with the node, up to this height; `whole` on disk.
    package var isWhole = false

    package init(chain: Chain, network: Network) {
        self.chain = chain
        self.network = network
    }

    /// The current state of an output with one of our scripts.
    package struct Output: Equatable, Sendable {
        package var outpoint: Outpoint
        package var script: Bytes
        /// Duffs.
        package var amount: UInt64
        /// The block it is in; nil while it is only in the mempool.
        package var height: UInt64?
        package var coinbase: Bool
        /// The transaction that spends it, on the chain or in the mempool.
        package var spentBy: Bytes?
        package var spentHeight: UInt64?

        package init(
            outpoint: Outpoint, script: Bytes, amount: UInt64, height: UInt64?, coinbase: Bool,
            spentBy: Bytes? = nil, spentHeight: UInt64? = nil
        ) {
            self.outpoint = outpoint
            self.script = script
            self.amount = amount
            self.height = height
            self.coinbase = coinbase
            self.spentBy = spentBy
            self.spentHeight = spentHeight
        }
    }

    /// The current state of a transaction that we follow.
    package struct TransactionStatus: Equatable, Sendable {
        package var txid: Bytes
        package var height: UInt64?
        /// Locked by InstantSend or by a ChainLock.
        package var locked: Bool
        /// ICON: it is in a block, but its execution failed; the node's code and text.
        package var failure: String?
        /// ICON: what it cost, in loop.
        package var fee: UInt256?
        /// The network does not have it, and will not accept it any more.
        package var isGone: Bool

        package init(
            txid: Bytes, height: UInt64?, locked: Bool, failure: String? = nil,
            fee: UInt256? = nil, isGone: Bool = false
        ) {
            self.txid = txid
            self.height = height
            self.locked = locked
            self.failure = failure
            self.fee = fee
            self.isGone = isGone
        }
    }

    /// The balance of an ICON address in an asset (`ICX` or a token's contract).
    package struct Balance: Equatable, Sendable {
        package var address: String
        package var asset: String
        package var amount: UInt256

        package init(address: String, asset: String, amount: UInt256) {
            self.address = address
            self.asset = asset
            self.amount = amount
        }
    }

    /// A token's description by its contract: untrusted text.
    package struct Token: Equatable, Sendable {
        package var contract: String
        package var symbol: String
        package var decimals: UInt64

        package init(contract: String, symbol: String, decimals: UInt64) {
            self.contract = contract
            self.symbol = symbol
            self.decimals = decimals
        }
    }

    /// ICON's price of a step (loop) and the costs of a plain transaction.
    package struct Steps: Equatable, Sendable {
        package var price: UInt256
        package var transfer: UInt64
        package var inputByte: UInt64
        package var contractCall: UInt64

        package init(
            price: UInt256, transfer: UInt64, inputByte: UInt64, contractCall: UInt64
        ) {
            self.price = price
            self.transfer = transfer
            self.inputByte = inputByte
            self.contractCall = contractCall
        }

        /// Whether anything costs more than before, in loop or in steps.
        func costsMore(than before: Steps?) -> Bool {
            guard let before else { return true }
            return price > before.price || transfer > before.transfer
                || inputByte > before.inputByte || contractCall > before.contractCall
        }
    }
}

extension ChainObserved {
    package var coded: CBOR {
        .record([
            "chain": .text(chain.rawValue),
            "network": .text(network.rawValue),
            "height": height.map(CBOR.unsigned),
            "tip": tip.map(CBOR.bytes),
            "identity": identity.map(CBOR.text),
            "feeRate": feeRate.map(CBOR.unsigned),
            "feeEstimated": isFeeEstimated.map(CBOR.bool),
            "instantSend": instantSend.map(CBOR.bool),
            "outputs": .list(outputs) { $0.coded },
            "vanished": .list(removed) { $0.coded },
            "transactions": .list(transactions) { $0.coded },
            "balances": .list(balances) { $0.coded },
            "tokens": .list(tokens) { $0.coded },
            "steps": steps?.coded,
            "estimate": estimate.map(CBOR.unsigned),
            "setAside": setAside.flatMap { .list($0) { $0.coded } },
            "nothingSetAside": .flag(setAside?.isEmpty == true),
            "whole": .flag(isWhole),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        chain = try fields.name("chain")
        network = try fields.name("network")
        height = try fields.optionalNumber("height")
        tip = try fields.optionalBytes("tip")
        identity = try fields.optionalText("identity")
        feeRate = try fields.optionalNumber("feeRate")
        isFeeEstimated = try fields.optionalFlag("feeEstimated")
        instantSend = try fields.optionalFlag("instantSend")
        outputs = try fields.list("outputs") { (item) throws(FieldError) in try Output(item) }
        removed = try fields.list("vanished") { (item) throws(FieldError) in try Outpoint(item) }
        transactions = try fields.list("transactions") { (item) throws(FieldError) in
            try TransactionStatus(item)
        }
        balances = try fields.list("balances") { (item) throws(FieldError) in try Balance(item) }
        tokens = try fields.list("tokens") { (item) throws(FieldError) in try Token(item) }
        steps = try fields.optionalFields("steps").map { (item) throws(FieldError) in
            try Steps(item)
        }
        estimate = try fields.optionalNumber("estimate")
        let setAside = try fields.list("setAside") { (item) throws(FieldError) in
            try SetAside(item)
        }
        let isNothing = try fields.flag("nothingSetAside")
        self.setAside = setAside.isEmpty && !isNothing ? nil : setAside
        isWhole = try fields.flag("whole")
    }
}

extension ChainObserved.Output {
    var coded: CBOR {
        .record([
            "txid": .bytes(outpoint.displayed),
            "index": .unsigned(UInt64(outpoint.index)),
            "script": .bytes(script),
            "amount": .unsigned(amount),
            "height": height.map(CBOR.unsigned),
            "coinbase": .flag(coinbase),
            "spentBy": spentBy.map(CBOR.bytes),
            "spentHeight": spentHeight.map(CBOR.unsigned),
        ])
    }

    init(_ fields: Fields) throws(FieldError) {
        self.init(
            outpoint: try Outpoint(fields), script: try fields.bytes("script"),
            amount: try fields.number("amount"), height: try fields.optionalNumber("height"),
            coinbase: try fields.flag("coinbase"), spentBy: try fields.optionalBytes("spentBy"),
            spentHeight: try fields.optionalNumber("spentHeight"))
    }
}

extension ChainObserved.TransactionStatus {
    var coded: CBOR {
        .record([
            "txid": .bytes(txid), "height": height.map(CBOR.unsigned), "locked": .flag(locked),
            "failure": failure.map(CBOR.text), "fee": fee?.coded,
            "isGone": .flag(isGone),
        ])
    }

    init(_ fields: Fields) throws(FieldError) {
        self.init(
            txid: try fields.bytes("txid"), height: try fields.optionalNumber("height"),
            locked: try fields.flag("locked"), failure: try fields.optionalText("failure"),
            fee: try fields.optionalAmount("fee"), isGone: try fields.flag("isGone"))
    }
}

extension ChainObserved.Balance {
    var coded: CBOR {
        .record(["address": .text(address), "asset": .text(asset), "amount": amount.coded])
    }

    init(_ fields: Fields) throws(FieldError) {
        self.init(
            address: try fields.text("address"), asset: try fields.text("asset"),
            amount: try fields.amount("amount"))
    }
}

extension ChainObserved.Token {
    var coded: CBOR {
        .record([
            "contract": .text(contract), "symbol": .text(symbol), "decimals": .unsigned(decimals),
        ])
    }

    init(_ fields: Fields) throws(FieldError) {
        self.init(
            contract: try fields.text("contract"), symbol: try fields.text("symbol"),
            decimals: try fields.number("decimals"))
    }
}

extension ChainObserved.Steps {
    var coded: CBOR {
        .record([
            "price": price.coded, "transfer": .unsigned(transfer),
            "inputByte": .unsigned(inputByte), "contractCall": .unsigned(contractCall),
        ])
    }

    init(_ fields: Fields) throws(FieldError) {
        self.init(
            price: try fields.amount("price"), transfer: try fields.number("transfer"),
            inputByte: try fields.number("inputByte"),
            contractCall: try fields.number("contractCall"))
    }
}

/// No node answered; `reason` is a text of ours, never the node's.
///
/// With a request, the request needed the answer. Without one, a scan failed, and the one before it
/// had not.
package struct ChainUnavailable: EventData {
    package static let type = "chain.unavailable"

    package let chain: Chain
    package let network: Network
    package let reason: String
    /// When a scan last succeeded; nil if none did, and with a request.
    package let lastRead: UInt64?

    package init(chain: Chain, network: Network, reason: String, lastRead: UInt64? = nil) {
        self.chain = chain
        self.network = network
        self.reason = reason
        self.lastRead = lastRead
    }

    package var coded: CBOR {
        .record([
            "chain": .text(chain.rawValue), "network": .text(network.rawValue),
            "reason": .text(reason), "lastRead": lastRead.map(CBOR.unsigned),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        chain = try fields.name("chain")
        network = try fields.name("network")
        reason = try fields.text("reason")
        lastRead = try fields.optionalNumber("lastRead")
    }
}
