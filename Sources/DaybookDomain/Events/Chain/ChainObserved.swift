package import DaybookChains
package import DaybookEncoding

/// What a node answered, reduced to what is new: the only way in which the chain enters.
package struct ChainObserved: EventData {
    package static let type = "chain.observed"

    package var chain: Chain
    package var network: Network
    package var height: UInt64?
    /// The block hash of the tip.
    package var tip: Bytes?
    /// By what a real node showed to be of this network, such as `genesis 0000…` or `nid 0x1`.
    package var identity: String?
    /// Duffs for 1000 bytes.
    package var feeRate: UInt64?
    /// Whether the chain locks transactions by InstantSend.
    package var instantSend: Bool?
    package var outputs: [Output] = []
    /// Outputs that the chain no longer has.
    package var vanished: [Outpoint] = []
    package var transactions: [TransactionStatus] = []
    package var balances: [Balance] = []
    package var tokens: [Token] = []
    package var steps: Steps?
    /// The steps that the transaction of the envelope's request will use.
    package var estimate: UInt64?

    package init(chain: Chain, network: Network) {
        self.chain = chain
        self.network = network
    }

    /// An output of one of our scripts, as the chain has it now.
    package struct Output: Equatable, Sendable {
        package var outpoint: Outpoint
        package var script: Bytes
        /// Duffs.
        package var amount: UInt64
        /// The block it stands in; nil while it is only in the mempool.
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

    /// Where a transaction that we follow stands.
    package struct TransactionStatus: Equatable, Sendable {
        package var txid: Bytes
        package var height: UInt64?
        /// Locked by InstantSend or by a ChainLock.
        package var locked: Bool
        /// ICON: it is in a block, but its execution failed; the node's code and text.
        package var failure: String?
        /// ICON: what it cost, in loop.
        package var fee: UInt256?
        /// The network does not have it, and will not take it any more.
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

    /// What an ICON address holds of an asset (`ICX` or a token's contract).
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

    /// What a token contract says of itself: untrusted text.
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
        func isDearer(than before: Steps?) -> Bool {
            guard let before else { return true }
            return price > before.price || transfer > before.transfer
                || inputByte > before.inputByte || contractCall > before.contractCall
        }
    }
}
