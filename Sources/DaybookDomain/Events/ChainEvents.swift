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
    /// When the blocks were made that confirmations in this event name, as far as a node told it.
    package var blocks: [Block] = []
    package var balances: [Balance] = []
    package var tokens: [Token] = []
    package var iconFees: ICONFees?
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

    /// The time of a block: the node's word.
    package struct Block: Equatable, Sendable {
        package let height: UInt64
        /// Microseconds since 1970.
        package let time: UInt64

        package init(height: UInt64, time: UInt64) {
            self.height = height
            self.time = time
        }
    }

    /// When a block was made; nil if the node did not tell it.
    package func time(ofBlock height: UInt64) -> UInt64? {
        blocks.first { $0.height == height }?.time
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
}

extension ChainObserved {
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        tip = try coder.optional("tip", value?.tip)
        chain = try coder.field("chain", value?.chain)
        iconFees = try coder.optionalMap("steps", value?.iconFees)
        isWhole = try coder.flag("whole", value?.isWhole)
        blocks = try coder.list("blocks", value?.blocks)
        height = try coder.optional("height", value?.height)
        tokens = try coder.list("tokens", value?.tokens)
        feeRate = try coder.optional("feeRate", value?.feeRate)
        network = try coder.field("network", value?.network)
        outputs = try coder.list("outputs", value?.outputs)
        balances = try coder.list("balances", value?.balances)
        estimate = try coder.optional("estimate", value?.estimate)
        identity = try coder.optional("identity", value?.identity)
        let setAside = try coder.list("setAside", value?.setAside ?? [])
        removed = try coder.list("vanished", value?.removed)
        instantSend = try coder.optional("instantSend", value?.instantSend)
        isFeeEstimated = try coder.optional("feeEstimated", value?.isFeeEstimated)
        transactions = try coder.list("transactions", value?.transactions)
        let isNothing = try coder.flag("nothingSetAside", value?.setAside?.isEmpty)
        self.setAside = setAside.isEmpty && !isNothing ? nil : setAside
    }
}

extension ChainObserved.Output: Recorded {
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        outpoint = try Outpoint(value?.outpoint, by: &coder)
        amount = try coder.field("amount", value?.amount)
        height = try coder.optional("height", value?.height)
        script = try coder.field("script", value?.script)
        spentBy = try coder.optional("spentBy", value?.spentBy)
        coinbase = try coder.flag("coinbase", value?.coinbase)
        spentHeight = try coder.optional("spentHeight", value?.spentHeight)
    }
}

extension ChainObserved.TransactionStatus: Recorded {
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        fee = try coder.optional("fee", value?.fee)
        txid = try coder.field("txid", value?.txid)
        height = try coder.optional("height", value?.height)
        isGone = try coder.flag("isGone", value?.isGone)
        locked = try coder.flag("locked", value?.locked)
        failure = try coder.optional("failure", value?.failure)
    }
}

extension ChainObserved.Block: Recorded {
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        time = try coder.field("time", value?.time)
        height = try coder.field("height", value?.height)
    }
}

extension ChainObserved.Balance: Recorded {
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        asset = try coder.field("asset", value?.asset)
        amount = try coder.field("amount", value?.amount)
        address = try coder.field("address", value?.address)
    }
}

extension ChainObserved.Token: Recorded {
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        symbol = try coder.field("symbol", value?.symbol)
        contract = try coder.field("contract", value?.contract)
        decimals = try coder.field("decimals", value?.decimals)
    }
}

extension ICONFees: Recorded {
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        self.init(
            price: try coder.field("price", value?.price),
            transfer: try coder.field("transfer", value?.steps.transfer),
            inputByte: try coder.field("inputByte", value?.steps.inputByte),
            contractCall: try coder.field("contractCall", value?.steps.contractCall))
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

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        chain = try coder.field("chain", value?.chain)
        reason = try coder.field("reason", value?.reason)
        network = try coder.field("network", value?.network)
        lastRead = try coder.optional("lastRead", value?.lastRead)
    }
}
