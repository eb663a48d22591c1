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
