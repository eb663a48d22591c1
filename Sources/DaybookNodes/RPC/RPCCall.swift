import DaybookEncoding

/// What a node is asked to do.
struct RPCCall: Sendable {
    let method: String
    let parameters: JSON?
    /// Of the objects in a result that can be long, only the members named so are kept.
    let names: [String]?

    init(_ method: String, _ parameters: JSON? = nil, keeping names: [String]? = nil) {
        self.method = method
        self.parameters = parameters
        self.names = names
    }
}

/// A call's result, or why it has none.
typealias RPCResult = Result<JSON, RPCFailure>

/// A call of a node with the way to read what it answers.
struct NodeCall<Value>: Sendable {
    let call: RPCCall
    let read: @Sendable (RPCResult) throws(ChainFailure) -> Value

    init(
        _ call: RPCCall, read: @escaping @Sendable (RPCResult) throws(ChainFailure) -> Value
    ) {
        self.call = call
        self.read = read
    }

    /// A call whose every error is a failure.
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

/// Calls that are made together, none of which needs another's answer.
struct RPCBatch {
    private(set) var calls: [RPCCall] = []

    /// Where the answer to a call of the batch stands.
    struct Place<Value> {
        fileprivate let index: Int
        fileprivate let read: @Sendable (RPCResult) throws(ChainFailure) -> Value
    }

    /// Adds a call; the place is where its answer is read.
    mutating func add<Value>(_ call: NodeCall<Value>) -> Place<Value> {
        calls.append(call.call)
        return Place(index: calls.count - 1, read: call.read)
    }
}

/// The answers to the calls of a batch.
struct RPCAnswers: Sendable {
    let results: [RPCResult]

    /// What the node answered to a call; throws where that is not usable.
    func value<Value>(_ place: RPCBatch.Place<Value>) throws(ChainFailure) -> Value {
        try place.read(results[place.index])
    }
}

/// Why a call has no result.
package enum RPCFailure: Error, Equatable, Sendable {
    /// The node says no; its text is escaped and cut, so that it may be shown and recorded.
    case node(code: Int64, message: String)
    /// There is no answer, or none that can be used.
    case unusable(ChainFailure)
}

extension RPCFailure {
    /// The failure for callers to whom it is all the same who says no.
    package var chainFailure: ChainFailure {
        switch self {
        case .unusable(let failure): failure
        case .node(let code, let message):
            ChainFailure(.refused, "the node says \(code): \(message)")
        }
    }
}

extension ChainFailure {
    init(_ failure: HTTPFailure) {
        switch failure {
        case .invalidAddress: self.init(.unreachable, "the address can't be asked")
        case .invalidCredentials:
            self.init(.wrongPassword, "user or password hold a character that can't be sent")
        case .noCookie:
            self.init(
                .unreachable,
                "the node's cookie file is missing or holds no user and password: a node writes it"
                    + " when it starts and removes it when it stops")
        case .unknownHost: self.init(.unreachable, "no server has this name")
        case .connectionRefused: self.init(.unreachable, "nothing listens at the address")
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

/// Counts the steps of a long question, over all attempts: neither number ever falls.
struct StepCount {
    private let progress: ChainProgress?
    private var done = 0
    private var all = 0

    init(_ progress: ChainProgress?) {
        self.progress = progress
    }

    /// So many more steps are known of.
    mutating func expect(_ steps: Int) {
        guard steps > 0 else { return }
        all += steps
        progress?(done, all)
    }

    /// So many steps are done.
    mutating func finish(_ steps: Int = 1) {
        guard steps > 0 else { return }
        done += steps
        progress?(done, all)
    }

    /// The attempt is over, whatever it had still to do.
    mutating func finishAll() {
        guard done < all else { return }
        done = all
        progress?(done, all)
    }
}
