import DaybookChains
import DaybookEncoding
import DaybookNodes

/// A node in the same process: it answers the bodies of requests without a server.
///
/// It is a value: a copy continues from the same chain.
package struct LocalNode: Sendable {
    /// The chain of the simulated node.
    package let chain: Chain
    /// The node's settings.
    package var settings = NodeServer.Settings()
    private var node: any ServedNode

    /// A node with its chain at the beginning.
    package init(_ chain: Chain, network: Network = .regtest) {
        self.chain = chain
        if let parameters = UTXOParameters.of(chain, network) {
            node = SimulatedUTXONode(parameters)
        } else {
            node = SimulatedICONNode()
        }
    }

    /// The answer to a request's body; nil where the node says nothing.
    package mutating func answer(_ body: Bytes, path: String) -> (status: Int, body: JSON)? {
        let dialect: Dialect = chain == .icon ? .goloop : .core
        guard let entries = (try? dialect.parse(body))?.arrayValue else {
            let request = Result { () throws(NodeRefusal) in try dialect.parse(body) }
            return answer(request, path, dialect)
        }
        var answers: [JSON] = []
        for entry in entries {
            guard let answer = answer(.success(entry), path, dialect) else { return nil }
            answers.append(answer.body)
        }
        return (200, .array(answers))
    }

    private mutating func answer(
        _ request: Result<JSON, NodeRefusal>, _ path: String, _ dialect: Dialect
    ) -> (status: Int, body: JSON)? {
        var id: JSON?
        let result: Result<JSON, NodeRefusal>
        do {
            let call = try dialect.call(try request.get(), path: path)
            id = call.id
            result = .success(try node.answer(call, settings))
        } catch let error as NodeRefusal {
            result = .failure(error)
        } catch {
            return nil
        }
        return (dialect.status(result), dialect.envelope(result, id: id))
    }

    /// Runs `body` on the Dash or Axe chain.
    package mutating func utxo<Value>(
        _ body: (inout UTXOSandbox) throws -> Value
    ) rethrows -> Value {
        guard var utxo = node as? SimulatedUTXONode else {
            preconditionFailure("an ICON node has no coins")
        }
        defer { node = utxo }
        return try body(&utxo.sandbox)
    }

    /// Runs `body` on the ICON network.
    package mutating func icon<Value>(
        _ body: (inout ICONSandbox) throws -> Value
    ) rethrows -> Value {
        guard var icon = node as? SimulatedICONNode else {
            preconditionFailure("a Core node has no ICX")
        }
        defer { node = icon }
        return try body(&icon.sandbox)
    }

    /// Pays duffs to an address of Dash or Axe, by a transaction that waits for a block.
    package mutating func fund(_ address: String, _ duffs: UInt64) throws {
        guard var utxo = node as? SimulatedUTXONode else {
            preconditionFailure("an ICON node has no coins")
        }
        defer { node = utxo }
        _ = try utxo.fund(address, duffs, at: settings.now)
    }
}
