import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookNodes
import Synchronization

/// Where the answers of nodes pass by, and a liar may be.
final class Wire: Sendable {
    private let chains: Chains
    private let state = Mutex(Calls())

    private struct Calls {
        var lies: [Lie] = []
        var count: [Chain: Int] = [:]
        var heard: [Heard] = []
        var isRecording = false
        var clients: [Chain: any NodeClient] = [:]
    }

    /// A call, and what an honest node answered.
    struct Heard: Sendable {
        let chain: Chain
        /// The how manieth call of its chain this was.
        let number: Int
        let method: String
        let params: JSON
        let body: JSON
    }

    init(_ chains: Chains) { self.chains = chains }

    /// Forgets all calls, and lies from here on in these ways.
    func begin(_ lies: [Lie], isRecording: Bool = false) {
        state.withLock { calls in
            // A new client would have forgotten what it has fetched.
            calls = Calls(lies: lies, isRecording: isRecording, clients: calls.clients)
        }
    }

    var heard: [Heard] { state.withLock { $0.heard } }

    /// One client for each chain, with its cache, until the store is opened again.
    func client(
        _ chain: Chain, _ network: Network, _ clock: @escaping @Sendable () -> UInt64
    ) -> any NodeClient {
        if let known = state.withLock({ $0.clients[chain] }) { return known }
        let retries = RPCRetryPolicy(pauses: []) { _ in }
        let client: any NodeClient
        if let parameters = UTXOParameters.of(chain, network) {
            client = UTXONode(
                parameters, End(wire: self, chain: chain, path: "/", clock: clock),
                retries: retries)
        } else {
            client = ICONNode(
                network, End(wire: self, chain: chain, path: "/api/v3", clock: clock),
                debug: End(wire: self, chain: chain, path: "/api/v3d", clock: clock),
                retries: retries, clock: clock)
        }
        state.withLock { $0.clients[chain] = client }
        return client
    }

    private struct End: RPCTransport {
        let wire: Wire
        let chain: Chain
        let path: String
        let clock: @Sendable () -> UInt64

        func post(_ body: Bytes) async throws(HTTPFailure) -> HTTPResponse {
            guard let answer = wire.answer(chain, body, path: path, at: clock()) else {
                throw .timedOut
            }
            return HTTPResponse(
                status: answer.status, contentType: "application/json",
                body: Bytes(answer.body.text().utf8))
        }
    }

    /// Answers a request of one call or of several, each of which passes by here alone.
    private func answer(
        _ chain: Chain, _ body: Bytes, path: String, at time: UInt64
    ) -> (status: Int, body: JSON)? {
        guard let request = try? JSON.parse(body) else { return nil }
        guard let entries = request.arrayValue else {
            return answer(chain, request, path: path, at: time)
        }
        var answers: [JSON] = []
        for entry in entries {
            guard let answer = answer(chain, entry, path: path, at: time) else { return nil }
            answers.append(answer.body)
        }
        return (200, .array(answers))
    }

    private func answer(
        _ chain: Chain, _ call: JSON, path: String, at time: UInt64
    ) -> (status: Int, body: JSON)? {
        guard let method = call["method"]?.stringValue else { return nil }
        let body = Bytes(call.text().utf8)
        let (lies, number) = state.withLock { calls -> ([Lie], Int) in
            calls.count[chain, default: 0] += 1
            return (calls.lies, calls.count[chain] ?? 0)
        }
        let truth = { self.chains.answer(chain, body, path: path, at: time) }
        if let lie = lies.first(where: { $0.chain == chain && $0.isAbout(number, method) }) {
            return lie.answer(method, call, truth)
        }
        let answer = truth()
        if let answer {
            let heard = Heard(
                chain: chain, number: number, method: method, params: call["params"] ?? .null,
                body: answer.body)
            state.withLock { if $0.isRecording { $0.heard.append(heard) } }
        }
        return answer
    }
}

/// A node's lie.
struct Lie: Sendable {
    let chain: Chain
    /// Only this call of the chain's; all of them where it is nil.
    let number: Int?
    /// Only calls of these methods; of all where there are none.
    let methods: Set<String>
    /// The answer for a method and a call; the closure asks the real node.
    let answer: @Sendable (String, JSON, Truth) -> Answer?
    /// With a number: whether later calls are lied to as well.
    var lasts = false

    typealias Answer = (status: Int, body: JSON)
    typealias Truth = () -> Answer?

    func isAbout(_ number: Int, _ method: String) -> Bool {
        let isAsked = self.number.map { lasts ? $0 <= number : $0 == number } ?? true
        return isAsked && (methods.isEmpty || methods.contains(method))
    }

    /// An answer with another result.
    static func result(_ result: JSON, to call: JSON, on chain: Chain) -> Answer {
        let id = call["id"] ?? .null
        return chain == .icon
            ? (200, .record(["jsonrpc": .string("2.0"), "result": result, "id": id]))
            : (200, .record(["result": result, "error": .null, "id": id]))
    }

    /// A node's no.
    static func error(_ code: Int, _ message: String, to call: JSON, on chain: Chain) -> Answer {
        let id = call["id"] ?? .null
        let error = JSON.record(["code": .int(code), "message": .string(message)])
        return chain == .icon
            ? (400, .record(["jsonrpc": .string("2.0"), "error": error, "id": id]))
            : (500, .record(["result": .null, "error": error, "id": id]))
    }
}
