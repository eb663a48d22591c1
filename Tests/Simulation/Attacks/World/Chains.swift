import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookLMDB
import DaybookLog
import DaybookNodes
import NodeServer
import Simulator
import Synchronization

/// The chains around a computer: the store's embedded ones, or nodes that it asks by JSON-RPC.
///
/// Money is judged by their contents, whatever a node says of them.
final class Chains: Sendable {
    let network: Network
    /// The embedded chains; a store and its trial use them one after the other.
    nonisolated(unsafe) let tables = MemoryTables()
    private let nodes: Mutex<[Chain: LocalNode]>

    /// The contents of all chains at one moment.
    struct Image: Sendable {
        fileprivate var tables: MemoryTables.Image
        fileprivate var nodes: [Chain: LocalNode]
    }

    init(_ network: Network) {
        self.network = network
        var nodes: [Chain: LocalNode] = [:]
        if network != .sandbox {
            for chain in Chain.allCases { nodes[chain] = LocalNode(chain, network: network) }
        }
        self.nodes = Mutex(nodes)
    }

    var image: Image {
        get { Image(tables: tables.image, nodes: nodes.withLock { $0 }) }
        set {
            tables.image = newValue.tables
            nodes.withLock { $0 = newValue.nodes }
        }
    }

    /// Looks at or changes a Dash or Axe chain.
    func utxo<Value: Sendable>(
        _ chain: Chain, _ body: (inout UTXOSandbox) throws -> Value
    ) rethrows -> Value {
        if network != .sandbox {
            return try nodes.withLock { nodes in
                guard var node = nodes[chain] else { preconditionFailure("all chains have nodes") }
                defer { nodes[chain] = node }
                return try node.utxo(body)
            }
        }
        guard let parameters = UTXOParameters.of(chain, .sandbox) else {
            preconditionFailure("\(chain) has no outputs")
        }
        var sandbox = UTXOSandbox(rows(of: chain), parameters)
        defer { tables.commit() }
        return try body(&sandbox)
    }

    /// Looks at or changes the ICON network.
    func icon<Value: Sendable>(_ body: (inout ICONSandbox) throws -> Value) rethrows -> Value {
        if network != .sandbox {
            return try nodes.withLock { nodes in
                guard var node = nodes[.icon] else { preconditionFailure("all chains have nodes") }
                defer { nodes[.icon] = node }
                return try node.icon(body)
            }
        }
        var sandbox = ICONSandbox(rows(of: .icon))
        defer { tables.commit() }
        return try body(&sandbox)
    }

    private func rows(of chain: Chain) -> StoredRows {
        guard let table = try? tables.table(chain.rawValue, create: true) else {
            preconditionFailure("tables in memory can always be made")
        }
        return StoredRows(tables, table)
    }

    /// The answer of a chain's node to a request's body; nil where it is silent.
    func answer(
        _ chain: Chain, _ body: Bytes, path: String, at time: UInt64
    ) -> (status: Int, body: JSON)? {
        nodes.withLock { nodes in
            nodes[chain]?.settings.time = time
            return nodes[chain]?.answer(body, path: path)
        }
    }

    func mine(_ count: Int, on chain: Chain, at time: UInt64) {
        if chain == .icon {
            icon { _ = $0.mine(count, at: time) }
        } else {
            utxo(chain) { $0.mine(count, at: time) }
        }
    }

    /// Pays an address from nowhere, by a transaction that waits for a block.
    func fund(
        _ address: String, _ amount: UInt256, on chain: Chain, isToken: Bool = false,
        at time: UInt64
    ) throws {
        if chain == .icon {
            guard let holder = ICONAddress(address) else { throw Unusable("no ICON address") }
            try icon { sandbox in
                _ = try isToken
                    ? sandbox.fundTokens(holder, amount: amount, at: time)
                    : sandbox.fund(holder, loop: amount, at: time)
            }
            return
        }
        guard let duffs = UInt64(amount.decimal) else { throw Unusable("too many duffs") }
        if network != .sandbox {
            try nodes.withLock { nodes in
                nodes[chain]?.settings.time = time
                try nodes[chain]?.fund(address, duffs)
            }
            return
        }
        guard let payee = UTXOAddress(address, chain: chain) else { throw Unusable("no address") }
        _ = try utxo(chain) { try $0.fund(payee, amount: duffs) }
    }
}

/// The driver itself can't go on: never a finding.
struct Unusable: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
