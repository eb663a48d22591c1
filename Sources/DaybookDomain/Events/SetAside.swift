package import DaybookEncoding

/// A part of a node's answer that was not understood: it is listed, and nothing of it counts.
///
/// All else that the answer says is recorded. A transaction that is set aside is asked about again
/// at each scan, because a later program or another node may make it understood.
package struct SetAside: Equatable, Sendable {
    /// The kind of the part that was not understood.
    package enum Kind: String, Sendable, CaseIterable {
        /// Dash, Axe: a transaction that pays or spends.
        case transaction
        /// Dash, Axe: an entry of a list of transactions, without a usable id.
        case listing
        /// Dash, Axe: the fee rate.
        case feeRate = "fee rate"
        /// ICON: the price of a step, or the steps that transactions cost.
        case stepPrice = "step price"
        /// ICON: an address's balance.
        case balance
        /// ICON: what a token's contract says of it.
        case token
        /// ICON: the result of a transaction of ours.
        case result
        /// When a block was made.
        case blockTime = "block time"
    }

    package let kind: Kind
    /// The transaction's id, as displayed.
    package let txid: Bytes?
    /// The address or the contract.
    package let address: String?
    /// The block, where the node has named a possible one.
    package let height: UInt64?
    /// The expected form: a text of ours, never the node's.
    package let reason: String

    package init(
        _ kind: Kind, txid: Bytes? = nil, address: String? = nil, height: UInt64? = nil,
        because reason: String
    ) {
        self.kind = kind
        self.txid = txid
        self.address = address
        self.height = height
        self.reason = reason
    }

    /// The most parts of one answer that are set aside; with more, the answer is unusable.
    package static let limit = 100
}

extension SetAside: Recorded {
    /// The kind, and why it does not count, in one sentence in lower case.
    package var sentence: String {
        let name = txid.map { "\(kind.rawValue) \(Hex.encode($0))" }
            ?? address.map { "\(kind.rawValue) of \($0)" } ?? kind.rawValue
        let place = height.map { " in block \($0)" } ?? ""
        return "the \(name)\(place) is set aside: \(reason)"
    }

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        kind = try coder.field("kind", value?.kind)
        txid = try coder.optional("txid", value?.txid)
        height = try coder.optional("height", value?.height)
        reason = try coder.field("reason", value?.reason)
        address = try coder.optional("address", value?.address)
    }
}

extension [SetAside] {
    /// The ids of the transactions that are set aside.
    package var txids: Set<Bytes> { Set(compactMap(\.txid)) }

    /// The parts in an order that does not depend on how they were found, each once.
    package var inOrder: [SetAside] {
        var seen: Set<Bytes> = []
        return map { ($0.encoded(), $0) }
            .sorted { $0.0.lexicographicallyPrecedes($1.0) }
            .filter { seen.insert($0.0).inserted }.map(\.1)
    }
}
