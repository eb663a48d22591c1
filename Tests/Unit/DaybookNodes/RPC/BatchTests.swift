import DaybookEncoding
import Synchronization
import Testing

@testable import DaybookNodes

/// Several calls by one request, and servers that do not take that.
struct BatchTests {
    private static let noRetries = RPCRetryPolicy(pauses: []) { _ in }

    /// A server with a say about whole requests; it answers each call with its first parameter.
    private actor Server: RPCTransport {
        /// The contents of each request: its methods' first parameters.
        private(set) var requests: [[Int64]] = []
        private let dialect: RPCDialect
        private let reply: @Sendable (_ calls: [Int64], _ isBatch: Bool, _ before: Int) -> Reply

        enum Reply: Sendable {
            case well
            case http(Int, String = "", retryAfter: Int? = nil)
            case altered(@Sendable ([JSON]) -> [JSON])
        }

        init(
            _ dialect: RPCDialect = .core,
            _ reply: @escaping @Sendable ([Int64], Bool, Int) -> Reply = { _, _, _ in .well }
        ) {
            self.dialect = dialect
            self.reply = reply
        }

        func post(_ body: Bytes) async throws(HTTPFailure) -> HTTPResponse {
            guard let request = try? JSON.parse(body) else { throw .notHTTP }
            let entries = request.arrayValue ?? [request]
            let numbers = entries.map { $0["params"]?.arrayValue?.first?.intValue ?? -1 }
            requests.append(numbers)
            let isBatch = request.arrayValue != nil
            let reply = reply(numbers, isBatch, requests.count - 1)
            if case .http(let status, let body, let seconds) = reply {
                return HTTPResponse(
                    status: status, contentType: nil, body: Bytes(body.utf8),
                    retryAfterSeconds: seconds)
            }
            let version: JSON? = dialect == .icon ? .string("2.0") : nil
            var answers = zip(entries, numbers).map { entry, number in
                JSON.record([
                    "jsonrpc": version, "result": .int(number),
                    "error": dialect == .icon ? nil : .null, "id": entry["id"],
                ])
            }
            if case .altered(let change) = reply { answers = change(answers) }
            let answer = isBatch ? JSON.array(answers) : answers.first ?? .null
            return HTTPResponse(
                status: 200, contentType: "application/json", body: Bytes(answer.text().utf8))
        }
    }

    /// Asks for so many numbers, and returns what came of each.
    private static func ask(
        _ count: Int, of server: Server, _ dialect: RPCDialect = .core,
        retries: RPCRetryPolicy = noRetries, closing: RPCCall? = nil, inOrder: Bool = false
    ) async throws(ChainFailure) -> [Int64?] {
        let rpc = NodeRPC(server, dialect, retries: retries)
        return try await ask(count, of: rpc, closing: closing, inOrder: inOrder)
    }

    private static func ask(
        _ count: Int, of rpc: NodeRPC, closing: RPCCall? = nil, inOrder: Bool = false
    ) async throws(ChainFailure) -> [Int64?] {
        var batch = RPCBatch()
        let places = (0..<count).map { number in
            batch.add(
                NodeCall("echo", .array([.int(number)])) { answer throws(ChainFailure) in
                    answer.json.intValue
                })
        }
        let answers = try await rpc.answers(to: batch, closing: closing, inOrder: inOrder).answers
        var values: [Int64?] = []
        for place in places { values.append(try answers.value(place)) }
        return values
    }

    private static func numbers(_ count: Int) -> [Int64?] { (0..<Int64(count)).map { $0 } }

    // MARK: - Answers

    @Test func `calls go in one request and are answered in their order`() async throws {
        let server = Server()
        #expect(try await Self.ask(200, of: server) == Self.numbers(200))
        #expect(await server.requests.map(\.count) == [200])
    }

    @Test func `answers belong to calls by their ids, whatever their places`() async throws {
        let server = Server { _, _, _ in .altered { $0.reversed() } }
        #expect(try await Self.ask(20, of: server) == Self.numbers(20))
    }

    @Test(arguments: 0..<4)
    func `answers that are missing or doubled are no answer`(way: Int) async {
        let server = Server { _, _, _ in
            .altered { answers in
                switch way {
                case 0: Array(answers.dropLast())
                case 1: Array(answers.dropLast() + answers.prefix(1))
                case 2: []
                default: [.int(1)]
                }
            }
        }
        await #expect { try await Self.ask(3, of: server) } throws: {
            ($0 as? ChainFailure)?.reason == .invalidAnswer
        }
    }

    @Test func `an answer that is no list is a failure of all calls`() async {
        let body = #"{"result":null,"error":{"code":-1,"message":"x"},"id":1}"#
        let server = Server { _, _, _ in .http(200, body) }
        await #expect { try await Self.ask(3, of: server) } throws: {
            ($0 as? ChainFailure)?.reason == .invalidAnswer
        }
    }

    @Test func `a call that the node refuses leaves the others their answers`() async throws {
        let server = Server { _, _, _ in
            .altered { answers in
                var answers = answers
                answers[1] = .record([
                    "result": .null, "id": answers[1]["id"],
                    "error": .record(["code": .int(-5), "message": .string("no")]),
                ])
                return answers
            }
        }
        let rpc = NodeRPC(server, .core, retries: Self.noRetries)
        var batch = RPCBatch()
        for number in 0..<3 {
            _ = batch.add(NodeCall("echo", .array([.int(number)])) { _ in })
        }
        let results = try await rpc.answers(to: batch).answers.results
        #expect(try results[0].get() == .int(0))
        #expect(throws: RPCFailure.node(code: -5, message: "no")) { try results[1].get() }
        #expect(try results[2].get() == .int(2))
    }

    // MARK: - Limits

    @Test func `an ICON node is asked ten calls at a time`() async throws {
        let server = Server(.icon)
        #expect(try await Self.ask(25, of: server, .icon) == Self.numbers(25))
        #expect(await server.requests.map(\.count).sorted() == [5, 10, 10])
    }

    @Test(arguments: [(503, true), (413, false)])
    func `a server that takes fewer calls gets fewer, and is not asked too much again`(
        status: Int, saysWhy: Bool
    ) async throws {
        let why = #"{"jsonrpc":"2.0","error":{"code":-32600,"message":"InvalidRequest"},"id":null}"#
        let server = Server { calls, _, _ in
            calls.count > 30 ? .http(status, saysWhy ? why : "<h1>Too Large</h1>") : .well
        }
        let rpc = NodeRPC(server, .core, retries: Self.noRetries)
        #expect(try await Self.ask(100, of: rpc) == Self.numbers(100))
        let refused = await server.requests.count { $0.count > 30 }
        #expect(refused == 2)
        #expect(try await Self.ask(100, of: rpc) == Self.numbers(100))
        #expect(await server.requests.count { $0.count > 30 } == refused)
    }

    @Test func `a user who may not ask several calls at once asks one by one`() async throws {
        let server = Server { _, isBatch, _ in isBatch ? .http(403) : .well }
        let rpc = NodeRPC(server, .core, retries: Self.noRetries)
        #expect(try await Self.ask(8, of: rpc) == Self.numbers(8))
        #expect(await server.requests.map(\.count).sorted() == [1, 1, 1, 1, 1, 1, 1, 1, 8])
        _ = try await Self.ask(3, of: rpc)
        #expect(await server.requests.count { $0.count > 1 } == 1)
    }

    @Test func `a user who may ask nothing hears so after one more call`() async {
        let server = Server { _, _, _ in .http(403) }
        await #expect { try await Self.ask(8, of: server) } throws: {
            ($0 as? ChainFailure)?.reason == .wrongPassword
        }
        #expect(await server.requests.map(\.count) == [8, 1])
    }

    @Test func `requests in order go one after the other`() async throws {
        let server = Server { calls, _, _ in calls.count > 2 ? .http(413) : .well }
        #expect(try await Self.ask(7, of: server, inOrder: true) == Self.numbers(7))
        let taken = await server.requests.filter { $0.count <= 2 }.flatMap(\.self)
        #expect(taken == [0, 1, 2, 3, 4, 5, 6])
    }

    @Test func `the closing call is behind the others of each request`() async throws {
        let server = Server()
        let closing = RPCCall("echo", .array([.int(99)]))
        #expect(try await Self.ask(600, of: server, closing: closing) == Self.numbers(600))
        let requests = await server.requests
        #expect(requests.count == 3)
        #expect(requests.allSatisfy { $0.last == 99 && $0.count <= 250 })
    }

    // MARK: - Too much to do

    @Test(arguments: [429, 503])
    func `a server that says when is asked again then`(status: Int) async throws {
        let server = Server { _, _, before in
            before < 5 ? .http(status, retryAfter: 7) : .well
        }
        let slept = Mutex<[Duration]>([])
        let retries = RPCRetryPolicy(pauses: [.zero]) { pause in
            slept.withLock { $0.append(pause) }
        }
        #expect(try await Self.ask(3, of: server, retries: retries) == Self.numbers(3))
        #expect(slept.withLock { $0 } == Array(repeating: .seconds(7), count: 5))
    }

    @Test func `a server that wants to be left alone for long is named`() async {
        let server = Server { _, _, _ in .http(429, retryAfter: 3600) }
        let retries = RPCRetryPolicy(pauses: [.zero]) { _ in }
        await #expect {
            try await Self.ask(3, of: server, retries: retries)
        } throws: { error in
            (error as? ChainFailure)?.reason == .busy
                && (error as? ChainFailure)?.message == "the server takes no more calls at present"
                    + " (429) and wants to be asked again after 3600 seconds"
        }
        #expect(await server.requests.count == 1)
    }

    @Test(arguments: [500, 503])
    func `a full work queue is asked again, one request at a time`(status: Int) async throws {
        let server = Server { _, _, before in
            before == 0 ? .http(status, "Work queue depth exceeded") : .well
        }
        let retries = RPCRetryPolicy(pauses: [.zero]) { _ in }
        #expect(try await Self.ask(3, of: server, retries: retries) == Self.numbers(3))
        #expect(await server.requests.count == 2)
    }
}
