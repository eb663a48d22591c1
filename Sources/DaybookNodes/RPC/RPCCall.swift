import DaybookEncoding

/// A JSON-RPC call: a method and its parameters.
struct RPCCall: Sendable {
    let method: String
    let parameters: JSON?
    /// The members to parse in a long result; nil parses all.
    let names: [String]?

    init(_ method: String, _ parameters: JSON? = nil, keeping names: [String]? = nil) {
        self.method = method
        self.parameters = parameters
        self.names = names
    }
}

/// The result of a call, or the reason why there is none.
typealias RPCResult = Result<JSON, RPCFailure>

/// A call with the function that parses and checks its answer.
struct NodeCall<Value>: Sendable {
    let call: RPCCall
    let read: @Sendable (RPCResult) throws(ChainFailure) -> Value

    init(
        _ call: RPCCall, read: @escaping @Sendable (RPCResult) throws(ChainFailure) -> Value
    ) {
        self.call = call
        self.read = read
    }

    /// A call for which every error of the node is a failure.
    init(
        _ method: String, _ parameters: JSON? = nil, keeping names: [String]? = nil,
        result: @escaping @Sendable (NodeValue) throws(ChainFailure) -> Value
    ) {
        self.init(RPCCall(method, parameters, keeping: names)) { answer throws(ChainFailure) in
            do {
                return try result(NodeValue(try answer.get(), of: method))
            } catch let failure as RPCFailure {
                throw failure.chainFailure
            } catch let failure as ChainFailure {
                throw failure
            } catch {
                preconditionFailure("nothing else is thrown")
            }
        }
    }
}

/// Calls that are sent together; none of them needs the answer to another.
struct RPCBatch {
    private(set) var calls: [RPCCall] = []

    /// The answer to a call of the batch, before the batch is sent.
    struct Pending<Value> {
        fileprivate let index: Int
        fileprivate let read: @Sendable (RPCResult) throws(ChainFailure) -> Value
    }

    /// Adds a call; `RPCAnswers.value` takes what is returned.
    mutating func add<Value>(_ call: NodeCall<Value>) -> Pending<Value> {
        calls.append(call.call)
        return Pending(index: calls.count - 1, read: call.read)
    }
}

/// The answers to the calls of a batch.
struct RPCAnswers: Sendable {
    let results: [RPCResult]

    /// The checked answer to a call; throws if it is not usable.
    func value<Value>(_ pending: RPCBatch.Pending<Value>) throws(ChainFailure) -> Value {
        try pending.read(results[pending.index])
    }

    /// The checked answer to a call; nil if the node has answered, and is not understood.
    ///
    /// Throws if the node could not be asked.
    func unlessUnclear<Value>(_ pending: RPCBatch.Pending<Value>) throws(ChainFailure) -> Value? {
        do {
            return try value(pending)
        } catch {
            guard error.isUnclear else { throw error }
            return nil
        }
    }
}

extension ChainFailure {
    /// Whether a node has answered a call, and the answer alone is not usable.
    var isUnclear: Bool { reason == .invalidAnswer || reason == .refused }
}

/// Why a call has no result.
package enum RPCFailure: Error, Equatable, Sendable {
    /// The node's own error; its text is escaped and shortened, so that it can be shown and logged.
    case node(code: Int64, message: String)
    /// There is no usable answer.
    case unusable(ChainFailure)
}

extension RPCFailure {
    /// The failure for callers that do not look at the node's own errors.
    package var chainFailure: ChainFailure {
        switch self {
        case .unusable(let failure): failure
        case .node(let code, let message):
            ChainFailure(.refused, "the node says \(code): \(message)")
        }
    }
}

extension ChainFailure {
    package init(_ failure: HTTPFailure) {
        switch failure {
        case .invalidAddress: self.init(.unreachable, "the address can't be asked")
        case .invalidCredentials:
            self.init(.wrongPassword, "user or password hold a character that can't be sent")
        case .noCookie:
            self.init(
                .unreachable,
                "the node's cookie file is missing, may be read by all users, or holds no user and "
                    + "password: a node writes it when it starts and removes it when it stops")
        case .unknownHost: self.init(.unreachable, "no server has this name")
        case .connectionRefused: self.init(.unreachable, "nothing listens at the address")
        case .proxy(let fault): self.init(.proxy, fault.sentence)
        case .timedOut: self.init(.noAnswer, "the server did not answer in time")
        case .cutShort:
            self.init(.noAnswer, "the server closed the connection before it had answered")
        case .tooLong(let limit):
            self.init(.tooLong, "the answer is longer than \(limit) bytes")
        case .certificate(let fault):
            self.init(
                .certificate, "the server's certificate can't be trusted: \(fault.rawValue)")
        case .certificateFile:
            self.init(.certificate, "the file of certificates to trust can't be read")
        case .noTLS:
            self.init(.unreachable, "the server speaks no TLS, or none since version 1.2")
        case .notHTTP: self.init(.invalidAnswer, "what the server sent is no HTTP")
        case .cancelled: self.init(.noAnswer, "the call was given up")
        case .other(let number):
            self.init(.unreachable, "the connection failed (curl's number \(number))")
        }
    }
}

/// Counts the steps of a query over all its attempts; neither number ever decreases.
struct StepCount {
    private let progress: ChainProgress?
    private var done = 0
    private var all = 0

    init(_ progress: ChainProgress?) {
        self.progress = progress
    }

    /// Adds steps to be done.
    mutating func expect(_ steps: Int) {
        guard steps > 0 else { return }
        all += steps
        progress?(done, all)
    }

    /// Marks steps as done.
    mutating func finish(_ steps: Int = 1) {
        guard steps > 0 else { return }
        done += steps
        progress?(done, all)
    }

    /// Marks all steps of an abandoned attempt as done.
    mutating func finishAll() {
        guard done < all else { return }
        done = all
        progress?(done, all)
    }
}

extension ProxyFault {
    /// The failure, for people: one sentence in lower case.
    fileprivate var sentence: String {
        switch self {
        case .unknownHost: "no computer has the proxy's name"
        case .unreachable: "nothing listens at the proxy's address"
        case .noAnswer: "the proxy made no connection to the node in time"
        case .notSOCKS: "what answers at the proxy's address is no SOCKS5 proxy"
        case .login: "the proxy wants a user and a password, or others than these"
        case .forbidden: "the proxy does not allow a connection to the node"
        case .serverUnreachable: "the proxy does not know the node, or can't connect to it"
        }
    }
}
