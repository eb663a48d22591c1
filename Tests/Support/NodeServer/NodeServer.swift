import DaybookChains
import DaybookEncoding
import DaybookNodes
import Foundation
import Synchronization

/// A node on 127.0.0.1, for tests: it answers over HTTP as Dash Core, Axe Core and goloop do.
///
/// It uses the sandbox chains, so that transactions are checked, mined and found again.
///
///     let server = try NodeServer(.dash, user: "u", password: "p")  // regtest, an ephemeral port
///     server.url                                    // "http://127.0.0.1:43210/", ICON: …/api/v3
///     try server.fund("yT3FCKMx…", 100_000_000)     // duffs in a block; ICON: loop as UInt256
///     server.mine(6)
///     server.utxo { sandbox in … }                  // or server.icon { sandbox in … }
///
///     server.misbehave(.html(502), on: "getaddressdeltas")   // each call of it, from now on
///     server.misbehave(.warmUp, times: 2)                    // the next two calls, whatever
///     server.misbehave(.losesAnswer, on: "sendrawtransaction", from: 2)  // the second and later
///     server.misbehave(.amounts(offBy: 1), on: "getaddressutxos")          // a lie
///     server.misbehave(.result(.string(otherHex)), on: "getrawtransaction")  // and another
///     server.behave()                                        // forget all misbehaviours
///     server.settings.hasAddressIndex = false                // or genesis, nid, feeRate, time …
///     server.stop(); try server.start()                      // the port closed, and open again
///
///     server.requests.map(\.method)                 // all calls, with params, id and headers
///     server.connections                            // how many connections were made
///
///     let front = try TLSFront(server, .expired)    // https://127.0.0.1:…, with front.caFile
///     let replay = try NodeServer(.dash, replaying: exchanges)   // recorded answers only
///
/// Time is this computer's clock unless `settings.time` says otherwise. A server that nothing
/// refers to any more closes its port.
package final class NodeServer: Sendable {
    /// The chain of the simulated node.
    package let chain: Chain
    /// The network of that chain.
    package let network: Network
    private let core: NodeCore
    private let listener: Listener

    /// A node with its chain at the beginning.
    package convenience init(
        _ chain: Chain, network: Network = .regtest, user: String? = nil, password: String? = nil
    ) throws {
        let node: any ServedNode =
            if let parameters = UTXOParameters.of(chain, network) {
                SimulatedUTXONode(parameters)
            } else {
                SimulatedICONNode()
            }
        try self.init(chain, network, node, user, password)
    }

    /// A server that has recorded answers and nothing else.
    package convenience init(
        _ chain: Chain, network: Network = .regtest, replaying exchanges: [RecordedExchange],
        user: String? = nil, password: String? = nil
    ) throws {
        try self.init(chain, network, ReplayNode(exchanges), user, password)
    }

    private init(
        _ chain: Chain, _ network: Network, _ node: any ServedNode,
        _ user: String?, _ password: String?
    ) throws {
        self.chain = chain
        self.network = network
        var settings = Settings()
        settings.user = user
        settings.password = password
        if chain == .icon { settings.callsPerRequest = 10 }
        let core = NodeCore(chain == .icon ? .goloop : .core, node, settings)
        self.core = core
        listener = try Listener { core.answer($0, connection: $1) }
    }

    /// Where the node is asked, without user and password.
    package var url: String { "http://127.0.0.1:\(port)\(chain == .icon ? "/api/v3" : "/")" }

    /// The port of 127.0.0.1.
    package var port: UInt16 { listener.port }

    // MARK: - The chain

    /// Runs `body` on the Dash or Axe chain.
    package func utxo<Value: Sendable>(
        _ body: (inout UTXOSandbox) throws -> Value
    ) rethrows -> Value {
        try core.with(SimulatedUTXONode.self) { node in try body(&node.sandbox) }
    }

    /// Runs `body` on the ICON network.
    package func icon<Value: Sendable>(
        _ body: (inout ICONSandbox) throws -> Value
    ) rethrows -> Value {
        try core.with(SimulatedICONNode.self) { node in try body(&node.sandbox) }
    }

    /// Adds blocks; the first takes what waits.
    package func mine(_ count: Int = 1) {
        let now = settings.now
        if chain == .icon {
            icon { _ = $0.mine(count, at: now) }
        } else {
            utxo { $0.mine(count, at: now) }
        }
    }

    /// Pays duffs to an address, in a block unless that is not wanted; the id comes back.
    @discardableResult
    package func fund(
        _ address: String, _ duffs: UInt64, mined: Bool = true
    ) throws -> TransactionID {
        let now = settings.now
        return try core.with(SimulatedUTXONode.self) { node in
            let txid = try node.fund(address, duffs, at: now)
            if mined { node.sandbox.mine(1, at: now) }
            return txid
        }
    }

    /// Pays loop to an address, in a block; the transaction's hash comes back.
    @discardableResult
    package func fund(_ address: String, loop: UInt256) throws -> Bytes {
        let now = settings.now
        guard let holder = ICONAddress(address) else { throw NodeRefusal(-5, "Invalid address") }
        return try icon { sandbox in
            let hash = try sandbox.fund(holder, loop: loop, at: now)
            sandbox.mine(at: now)
            return hash
        }
    }

    /// Pays the sandbox's tokens to an address, in a block; the transaction's hash comes back.
    @discardableResult
    package func fundTokens(_ address: String, _ amount: UInt256) throws -> Bytes {
        let now = settings.now
        guard let holder = ICONAddress(address) else { throw NodeRefusal(-5, "Invalid address") }
        return try icon { sandbox in
            let hash = try sandbox.fundTokens(holder, amount: amount, at: now)
            sandbox.mine(at: now)
            return hash
        }
    }

    // MARK: - What it does wrong

    /// The node's settings.
    package var settings: Settings {
        get { core.settings }
        set { core.settings = newValue }
    }

    /// Does this wrong in every call of a method, or of any, from the n-th such call on.
    package func misbehave(
        _ misbehaviour: Misbehaviour, on method: String? = nil, from call: Int = 1,
        times: Int = .max
    ) {
        core.misbehave(misbehaviour, on: method, from: call, times: times)
    }

    /// Does nothing wrong any more.
    package func behave() { core.behave() }

    /// Refuses connections from now on and closes those there are.
    package func stop() { listener.stop() }

    /// Takes connections again, on the same port.
    package func start() throws { try listener.start() }

    // MARK: - What it was asked

    /// All calls so far, whatever came of them.
    package var requests: [Request] { core.requests }

    /// How many requests brought them, each with one call or several.
    package var roundTrips: Int { core.roundTrips }

    /// Forgets the calls so far.
    package func forgetRequests() { core.forgetRequests() }

    /// How many connections there have been.
    package var connections: Int { listener.connections }
}

extension NodeServer {
    /// A call as it came.
    package struct Request: Sendable {
        /// Empty where the body was no JSON-RPC.
        package var method: String
        /// Nil where there are none.
        package var params: JSON?
        /// Nil where there is none.
        package var id: JSON?
        /// GET or POST.
        package var verb: String
        /// Where it came to.
        package var path: String
        /// The headers, by their names in lower case.
        package var headers: [String: String]
        /// The number of its connection, counted from 1.
        package var connection: Int
    }

    /// The settings of a node, as its owner would make them in its file and network.
    package struct Settings: Sendable {
        /// The user who may call; anybody where there is no user or no password. ICON asks nobody.
        package var user: String?
        /// The user's password.
        package var password: String?
        /// The hash of the block at height 0; nil for the true one of the chain and network.
        package var genesis: String?
        /// The network's id that an ICON node tells; the sandbox takes transactions for 3 alone.
        package var nid: UInt64 = 3
        /// Whether there is an index of addresses.
        package var hasAddressIndex = true
        /// Whether there is an index of transactions.
        package var hasTransactionIndex = true
        /// Whether the node has yet to catch up with its network.
        package var isSyncing = false
        /// The rate that the node estimates, in duffs for 1000 bytes; nil for no data.
        package var feeRate: UInt64?
        /// The highest block with a ChainLock; nil where no block has one.
        package var chainLockedHeight: Int?
        /// The methods that the user may call; all where nil. A user who may not call all
        /// may not call several at once, as in Dash Core.
        package var whitelist: Set<String>?
        /// So many calls a request may hold: goloop's own limit is 10.
        package var callsPerRequest: Int?
        /// So long the body of a request may be.
        package var requestBytes = 1 << 25
        /// How long an answer is on its way, there and back.
        package var latencyMilliseconds: UInt32 = 0
        /// The node's clock, in microseconds since 1970; nil for this computer's.
        package var time: UInt64?

        /// The time of a call.
        package var now: UInt64 { time ?? UInt64(Date().timeIntervalSince1970 * 1_000_000) }
    }
}
