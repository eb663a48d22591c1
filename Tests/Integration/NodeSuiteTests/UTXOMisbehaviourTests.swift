import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookNodes
import NodeServer
import NodeSuite
import Testing

struct UTXOMisbehaviourTests {
    @Test(arguments: Wrong.onTheWay)
    func `failures on the way have names and change no amount`(
        wrong: Wrong
    ) async throws {
        let scene = try await Scene(.dash)
        scene.server.misbehave(wrong.misbehaviour)
        let everywhere = await scene.outcome(wrong.limits)
        if let reason = wrong.reason {
            #expect(everywhere.reason == reason)
        } else {
            #expect(try everywhere.get() == scene.honest)
        }
        for method in scene.methods {
            scene.server.behave()
            scene.server.misbehave(wrong.misbehaviour, on: method)
            scene.expectHarmless(await scene.outcome(wrong.limits), wrong.reason, method)
        }
    }

    @Test(arguments: [Chain.dash, .axe], Wrong.lies)
    func `no lie makes a coin that there is not`(chain: Chain, lie: Wrong) async throws {
        let scene = try await Scene(chain)
        for method in scene.methods {
            scene.server.behave()
            scene.server.misbehave(lie.misbehaviour, on: method)
            scene.expectHarmless(await scene.outcome(lie.limits), nil, method)
        }
    }

    @Test(arguments: Wrong.onTheWay)
    func `a good transaction is never called refused, and accepted only where it is`(
        wrong: Wrong
    ) async throws {
        let scene = try await Scene(.dash)
        let methods = [nil, "sendrawtransaction", "getrawtransaction"]
        for (method, transaction) in zip(methods, scene.unsent) {
            scene.server.behave()
            scene.server.misbehave(wrong.misbehaviour, on: method)
            let answer = await scene.client(wrong.limits).broadcast(
                transaction.serialized(), txid: Bytes(transaction.txid.bytes.reversed()))
            #expect(answer.answer != .refused, "\(answer)")
            let isThere = scene.server.utxo { $0.status(of: transaction.txid) != .unknown }
            if answer.answer == .accepted { #expect(isThere) }
        }
    }

    /// A node with a wallet's coins: old ones, spent ones, new ones and unconfirmed ones.
    struct Scene {
        let server: NodeServer
        let parameters: UTXOParameters
        let question: ChainQuery
        /// The truth.
        private(set) var honest: ChainSnapshot
        /// The calls that it takes to find out.
        private(set) var methods: [String] = []
        /// Good transactions that were not sent yet.
        let unsent: [UTXOTransaction]

        init(_ chain: Chain) async throws {
            let server = try NodeServer(chain)
            let parameters = try #require(UTXOParameters.of(chain, .regtest))
            let driver = try NodeUTXODriver(
                HTTPTarget(url: server.url), parameters,
                client: UTXONode(parameters, HTTPClient(HTTPTarget(url: server.url))))
            let (old, new) = (try NewPayer(parameters), try NewPayer(parameters))
            let first = try await old.funded(1_000_000, by: driver)
            var coins: [NewPayer.Funds] = []
            for _ in 0..<3 { coins.append(try await old.funded(2_000_000, by: driver)) }
            try await driver.mine()
            let spending = try old.send(first, to: new.script)
            try await driver.send(spending.serialized())
            try await driver.mine(2)
            let tip = try await driver.tip()
            let txid = try await driver.pay([.init(amount: 3_000_000, script: old.script)])
            try await driver.mine()
            _ = try await new.funded(4_000_000, by: driver)
            var question = ChainQuery()
            question.watched = [
                .init(address: old.address.text, script: old.script, isUsed: true),
                .init(address: new.address.text, script: new.script, isUsed: false),
            ]
            question.tip = tip
            question.transactions = [spending.txid, txid].map { Bytes($0.bytes.reversed()) }
            self.server = server
            self.parameters = parameters
            self.question = question
            unsent = try coins.map { try old.send($0, to: new.script) }
            honest = ChainSnapshot(chain: chain, network: .regtest)
            server.forgetRequests()
            honest = try await client(.standard).observe(question, progress: nil)
            methods = Set(server.requests.map(\.method)).sorted()
            try #require(honest.outputs.count >= 3)
        }

        /// A client that knows nothing yet.
        func client(_ limits: HTTPLimits) -> UTXONode {
            UTXONode(
                parameters, HTTPClient(HTTPTarget(url: server.url), limits: limits),
                retries: .none)
        }

        func outcome(_ limits: HTTPLimits) async -> Outcome {
            do {
                return .success(try await client(limits).observe(question, progress: nil))
            } catch {
                return .failure(error)
            }
        }

        /// Either the failure has its name, or all that is said is true.
        func expectHarmless(
            _ outcome: Outcome, _ reason: ChainFailure.Reason?, _ method: String
        ) {
            switch outcome {
            case .failure(let failure):
                if let reason { #expect(failure.reason == reason, "\(method): \(failure)") }
            case .success(let answer):
                let truth = Set(honest.outputs.map(Known.init))
                #expect(truth.isSuperset(of: answer.outputs.map(Known.init)), "\(method)")
                let asked = honest.transactions.map(\.txid)
                #expect(answer.transactions.allSatisfy { asked.contains($0.txid) }, "\(method)")
                let greatest = UTXOFees.highestRate
                #expect((answer.feeRate ?? 0) <= greatest, "\(method)")
            }
        }
    }

    typealias Outcome = Result<ChainSnapshot, ChainFailure>

    /// The facts about an output on which no nodes can differ.
    private struct Known: Hashable {
        let outpoint: Outpoint
        let script: Bytes
        let amount: UInt64
        let coinbase: Bool

        init(_ output: ChainObserved.Output) {
            outpoint = output.outpoint
            script = output.script
            amount = output.amount
            coinbase = output.coinbase
        }
    }
}

extension Result where Failure == ChainFailure {
    /// Why there is no answer.
    var reason: ChainFailure.Reason? {
        guard case .failure(let failure) = self else { return nil }
        return failure.reason
    }
}
