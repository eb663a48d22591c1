import DaybookEncoding
import DaybookHTTP

/// Calls of a node: numbered, checked, and tried again where that is harmless.
struct NodeRPC: Sendable {
    private let transport: any RPCTransport
    private let dialect: RPCDialect
    private let patience: RPCPatience
    private let numbers = RequestNumbers()
    /// When no further call is made; nil where only a call has a time limit.
    private var end: ContinuousClock.Instant?

    /// Calls through a transport.
    init(
        _ transport: any RPCTransport, _ dialect: RPCDialect, patience: RPCPatience = .ordinary
    ) {
        self.transport = transport
        self.dialect = dialect
        self.patience = patience
    }

    /// The same node for one question, whose time begins now.
    func forOneQuestion() -> NodeRPC {
        var limited = self
        limited.end = patience.now() + patience.question
        return limited
    }

    /// Throws once the question's time is over.
    func checkTime() throws(ChainFailure) {
        guard let end, patience.now() > end else { return }
        let seconds = patience.question.components.seconds
        throw ChainFailure(.tooSlow, "the node was asked for more than \(seconds) seconds")
    }

    /// The result of a call; it may be null.
    ///
    /// Of the objects in a result that can be long, only the members named by `names` are kept.
    func call(
        _ method: String, _ parameters: JSON? = nil, keeping names: [String]? = nil
    ) async throws(RPCFailure) -> JSON {
        var pauses = patience.pauses[...]
        while true {
            do {
                try checkTime()
            } catch {
                throw .unusable(error)
            }
            do {
                return try await attempt(method, parameters, names)
            } catch {
                guard error.isPassing, let pause = pauses.popFirst() else { throw error }
                do {
                    try await patience.sleep(pause)
                } catch {
                    throw .unusable(ChainFailure(HTTPFailure.cancelled))
                }
            }
        }
    }

    private func attempt(
        _ method: String, _ parameters: JSON?, _ names: [String]?
    ) async throws(RPCFailure) -> JSON {
        let id = await numbers.next()
        let answer: HTTPAnswer
        do {
            answer = try await transport.post(dialect.request(id, method, parameters))
        } catch {
            throw .unusable(ChainFailure(error))
        }
        if let failure = Self.failure(ofStatus: answer.status) { throw .unusable(failure) }
        let json: JSON
        do {
            json = try JSON.parse(answer.body, keeping: names.map { dialect.names + $0 })
        } catch {
            throw .unusable(Self.failure(noJSON: answer, error))
        }
        switch dialect.content(of: json, id: id) {
        case .result(let result) where (200..<300).contains(answer.status): return result
        case .error(code: -28, let message):
            throw .unusable(
                ChainFailure(.warmingUp, "the node is starting: \(NodeText.quoted(message))"))
        case .error(code: -32601, _):
            throw .unusable(ChainFailure(.unknownCall, "the node does not know the call \(method)"))
        case .error(let code, let message):
            throw .node(code: code, message: NodeText.quoted(message))
        case .result, nil: throw .unusable(Self.failure(noAnswer: answer, to: method))
        }
    }

    // MARK: - What went wrong

    /// What a status means whatever the body says.
    private static func failure(ofStatus status: Int) -> ChainFailure? {
        switch status {
        case 300..<400: ChainFailure(.redirect, "the server sends us elsewhere (\(status))")
        case 401: ChainFailure(.wrongPassword, "user or password are wrong or missing (401)")
        case 403:
            ChainFailure(
                .wrongPassword, "the server forbids the call to this user or computer (403)")
        case 429, 503: ChainFailure(.busy, "the server has too much to do (\(status))")
        case 502, 504: ChainFailure(.noAnswer, "a gateway has no answer of the node (\(status))")
        default: nil
        }
    }

    private static func failure(noJSON answer: HTTPAnswer, _ error: JSONError) -> ChainFailure {
        if let failure = failure(nothingAtPath: answer) { return failure }
        if error.reason == .tooManyValues {
            return ChainFailure(.tooLong, "the answer holds \(error.reason.rawValue)")
        }
        let isHTML =
            answer.contentType?.lowercased().hasPrefix("text/html") == true
            || answer.body.first == UInt8(ascii: "<")
        if isHTML {
            return ChainFailure(
                .wrongPath, "the server answers with a page for people (\(answer.status))")
        }
        return ChainFailure(.invalidAnswer, "the answer is no JSON (\(answer.status)): \(error)")
    }

    private static func failure(noAnswer answer: HTTPAnswer, to method: String) -> ChainFailure {
        failure(nothingAtPath: answer)
            ?? ChainFailure(
                .invalidAnswer, "the answer is none to \(method) (\(answer.status))")
    }

    private static func failure(nothingAtPath answer: HTTPAnswer) -> ChainFailure? {
        guard [404, 405].contains(answer.status) else { return nil }
        return ChainFailure(
            .wrongPath, "the server has no calls at this path (\(answer.status))")
    }
}

/// Numbers the requests of a client, so that no answer is taken for another's.
private actor RequestNumbers {
    private var last: UInt64 = 0

    func next() -> UInt64 {
        last += 1
        return last
    }
}

extension RPCFailure {
    /// Whether the node did not begin with the call and may be ready for it soon.
    fileprivate var isPassing: Bool {
        guard case .unusable(let failure) = self else { return false }
        return failure.reason == .warmingUp || failure.reason == .busy
    }
}
