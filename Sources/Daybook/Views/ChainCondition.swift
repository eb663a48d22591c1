import DaybookChains
import DaybookDomain
public import DaybookEncoding

/// The time during which a chain can't be read, because no node of it answers.
///
/// Balances and confirmations are those of the last scan that succeeded.
public struct ChainOutage: Codable, Hashable, Sendable {
    /// The chain.
    public let chain: ChainName
    /// Its network.
    public let network: NetworkName
    /// When a scan last succeeded; nil if none did.
    public let lastRead: Timestamp?
    /// When the first scan failed.
    public let since: Timestamp
    /// The node's fault.
    public let reason: String

    /// An outage for previews and tests of a front end.
    public init(
        chain: ChainName, network: NetworkName, lastRead: Timestamp? = nil, since: Timestamp,
        reason: String
    ) {
        (self.chain, self.network) = (chain, network)
        (self.lastRead, self.since, self.reason) = (lastRead, since, reason)
    }

    /// Since when the chain has not been read, and why, in one sentence in lower case.
    public var sentence: String {
        let name = "\(chain.rawValue) \(network.rawValue)"
        guard let lastRead else { return "\(name) has never been read: \(reason)" }
        return "\(name) has not been read since \(Timestamp.seconds(lastRead)): \(reason)"
    }
}

/// A part of a node's answer that was not understood: nothing of it counts, and all else does.
///
/// A transaction is read again at each sync, and counts once it is understood.
public struct SetAsidePart: Codable, Hashable, Sendable {
    /// The chain and network of the node.
    public let chain: ChainName
    /// The network.
    public let network: NetworkName
    /// The kind, such as `transaction` or `fee rate`; `docs/EVENTS.md` lists them.
    public let kind: String
    /// The transaction's id.
    public let transaction: String?
    /// The address or contract.
    public let address: String?
    /// The block, if it is known.
    public let height: UInt64?
    /// The kind, and why it does not count, in one sentence in lower case.
    public let sentence: String

    /// A part for previews and tests of a front end.
    public init(
        chain: ChainName, network: NetworkName, kind: String, transaction: String? = nil,
        address: String? = nil, height: UInt64? = nil, sentence: String
    ) {
        (self.chain, self.network, self.kind) = (chain, network, kind)
        (self.transaction, self.address) = (transaction, address)
        (self.height, self.sentence) = (height, sentence)
    }
}

extension Store {
    /// The chains of wallets that can't be read now; empty if each was at its last sync.
    public func outages() throws(DaybookError) -> [ChainOutage] {
        try convertingErrors { try journal.read { $0.outages } }
    }
}

extension State {
    /// The parts of answers that are set aside, by chain.
    func setAside(of chainIDs: [ChainID]? = nil) -> [SetAsidePart] {
        chains.rows().filter { chainIDs?.contains($0.key) ?? true }.flatMap { chainID, row in
            row.setAside.map { item in
                SetAsidePart(
                    chain: chainID.chainName, network: chainID.networkName,
                    kind: item.kind.rawValue, transaction: item.txid.map { Hex.encode($0) },
                    address: item.address, height: item.height, sentence: item.sentence)
            }
        }
    }

    /// The chains that can't be read now.
    var outages: [ChainOutage] {
        chains.rows().compactMap { id, row in
            row.outage.map {
                ChainOutage(
                    chain: id.chainName, network: id.networkName, lastRead: Timestamp($0.lastRead),
                    since: Timestamp(microseconds: $0.since), reason: $0.reason)
            }
        }
    }
}

extension ChainID {
    /// The outage of this chain.
    func outage(among outages: [ChainOutage]) -> ChainOutage? {
        outages.first { $0.chain == chainName && $0.network == networkName }
    }
}
