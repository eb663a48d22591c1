import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookNodes
import DaybookSystem
import NodeServer
import NodeSuite
import Testing

struct ICONMisbehaviourTests {
    @Test(arguments: Wrong.onTheWay)
    func `failures on the way have names and change no amount`(
        wrong: Wrong
    ) async throws {
        let scene = try await Scene()
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

    @Test(arguments: Wrong.lies)
    func `no lie makes loop that there is not`(lie: Wrong) async throws {
        let scene = try await Scene()
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
        let scene = try await Scene()
        let methods = [nil, "icx_sendTransaction", "icx_getTransactionResult"]
        for (method, next) in zip(methods, scene.unsent) {
            scene.server.behave()
            scene.server.misbehave(wrong.misbehaviour, on: method)
            let answer = await scene.client(wrong.limits).broadcast(next.bytes, txid: next.hash)
            #expect(answer.answer != .refused, "\(answer)")
            let isThere = scene.server.icon { $0.result(of: next.hash) != .unknown }
            if answer.answer == .accepted { #expect(isThere) }
        }
    }

    /// A network with somebody who has loop and tokens, and has paid before.
    struct Scene {
        let server: NodeServer
        let question: ChainQuery
        /// The truth.
        private(set) var honest: ChainSnapshot
        /// The calls that it takes to find out.
        private(set) var methods: [String] = []
        /// Good transactions that were not sent yet.
        let unsent: [SignedTransaction]

        init() async throws {
            let server = try NodeServer(.icon)
            let payer = try Account()
            try server.fund(payer.address.text, loop: UInt256(9_000_000_000_000_000_000))
            try server.fundTokens(payer.address.text, UInt256(1000))
            let now = server.settings.now
            var draft = ICONDraft(
                from: payer.address, to: try Account().address, value: UInt256(5),
                timestamp: now, nid: 3)
            let paid = try payer.sign(draft, steps: 100_000)
            server.icon { _ = $0.submit(paid.params, at: now) }
            server.mine()
            draft.timestamp += 1
            let waiting = try payer.sign(draft, steps: 100_000)
            server.icon { _ = $0.submit(waiting.params, at: now) }
            var question = ChainQuery()
            question.networkIDs = [3]
            question.addresses = [payer.address.text]
            question.tokens = [ICONSandbox.token.text]
            question.transactions = [paid.hash, waiting.hash]
            let transfer = IRC2.Transfer(
                from: payer.address, to: try Account().address, value: UInt256(7))
            question.estimate =
                ICONDraft.tokenTransfer(
                    transfer, of: ICONSandbox.token, timestamp: now, nid: 3
                ).params
            self.server = server
            self.question = question
            unsent = try (0..<3).map { _ in
                draft.timestamp += 1
                return try payer.sign(draft, steps: 100_000)
            }
            honest = ChainSnapshot(chain: .icon, network: .regtest)
            server.forgetRequests()
            honest = try await client(.standard).observe(question, progress: nil)
            methods = Set(server.requests.map(\.method)).sorted()
            try #require(honest.balances.count == 2 && honest.estimate != nil)
        }

        /// A client that knows nothing yet.
        func client(_ limits: HTTPLimits) -> ICONNode {
            let (target, debug) = (HTTPTarget(url: server.url), HTTPTarget(url: server.url + "d"))
            return ICONNode(
                .regtest, HTTPClient(target, limits: limits),
                debug: HTTPClient(debug, limits: limits), retries: .none,
                clock: Clock.nowMicroseconds)
        }

        func outcome(_ limits: HTTPLimits) async -> Result<ChainSnapshot, ChainFailure> {
            do {
                return .success(try await client(limits).observe(question, progress: nil))
            } catch {
                return .failure(error)
            }
        }

        /// Either the failure has its name, or all that is said is true.
        func expectHarmless(
            _ outcome: Result<ChainSnapshot, ChainFailure>, _ reason: ChainFailure.Reason?,
            _ method: String
        ) {
            switch outcome {
            case .failure(let failure):
                if let reason { #expect(failure.reason == reason, "\(method): \(failure)") }
            case .success(let answer):
                #expect(answer.balances.allSatisfy(honest.balances.contains), "\(method)")
                #expect(answer.tokens.allSatisfy(honest.tokens.contains), "\(method)")
                #expect(answer.transactions.allSatisfy(isTrue), "\(method)")
                #expect(answer.iconFees == nil || answer.iconFees == honest.iconFees, "\(method)")
                #expect(
                    answer.estimate == nil || answer.estimate == honest.estimate, "\(method)")
            }
        }

        /// That a node does not know a transaction can't be told from a lie.
        private func isTrue(_ status: ChainObserved.TransactionStatus) -> Bool {
            honest.transactions.contains(status) || status.isGone && status.height == nil
        }
    }
}
