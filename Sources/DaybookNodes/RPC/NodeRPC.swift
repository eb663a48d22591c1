import DaybookEncoding

/// A JSON-RPC client for one node: batches calls, checks the answers and retries safe failures.
///
/// Calls are sent in as few requests as the server accepts. If it refuses a batch, smaller batches
/// follow, and in the end single calls, several of them in parallel over kept connections. Answers
/// are matched to calls by their ids, in whatever order they come.
struct NodeRPC: Sendable {
    let transport: any RPCTransport
    let dialect: RPCDialect
    let retries: RPCRetryPolicy
    let serverLimits: RPCServerLimits
    /// No further call is made after this time; nil if only each call has a time limit.
    private var deadline: ContinuousClock.Instant?

    init(
        _ transport: any RPCTransport, _ dialect: RPCDialect, retries: RPCRetryPolicy = .ordinary
    ) {
        self.transport = transport
        self.dialect = dialect
        self.retries = retries
        serverLimits = RPCServerLimits(dialect)
    }

    /// The same client with a time limit for one query, which begins now.
    func forOneQuery() -> NodeRPC {
        var limited = self
        limited.deadline = retries.now() + retries.queryTimeout
        return limited
    }

    /// Throws after the deadline.
    func checkDeadline() throws(ChainFailure) {
        guard let deadline, retries.now() > deadline else { return }
        let seconds = retries.queryTimeout.components.seconds
        throw ChainFailure(.tooSlow, "the node was asked for more than \(seconds) seconds")
    }

    /// The result of a call; it may be null.
    ///
    /// Only the members named by `names` are parsed, which saves memory for long results.
    func call(
        _ method: String, _ parameters: JSON? = nil, keeping names: [String]? = nil
    ) async throws(RPCFailure) -> JSON {
        do {
            return try await single(RPCCall(method, parameters, keeping: names)).get()
        } catch let failure as RPCFailure {
            throw failure
        } catch let failure as ChainFailure {
            throw .unusable(failure)
        } catch {
            preconditionFailure("nothing else is thrown")
        }
    }

    /// The value of one call.
    func value<Value>(_ call: NodeCall<Value>) async throws(ChainFailure) -> Value {
        try call.read(try await single(call.call))
    }

    /// The answers to a batch's calls, in the order of the calls.
    ///
    /// The `closing` call is added at the end of each request. Throws if the node gives no usable
    /// answer at all; a call that the node refuses has a failure of its own.
    func answers(
        to batch: RPCBatch, closing: RPCCall? = nil, inOrder: Bool = false
    ) async throws(ChainFailure) -> (answers: RPCAnswers, closings: [RPCResult]) {
        let (results, closings) = try await results(of: batch.calls, closing, inOrder: inOrder)
        return (RPCAnswers(results: results), closings)
    }
}

// MARK: - Batches

extension NodeRPC {
    /// The answers to some calls, and to the closing call of each request.
    private typealias Part = (results: [RPCResult], closings: [RPCResult])

    private func results(
        of calls: [RPCCall], _ closing: RPCCall?, inOrder: Bool
    ) async throws(ChainFailure) -> Part {
        let limit = await serverLimits.callsPerRequest
        // The closing call counts too.
        let room = closing == nil ? limit : limit - 1
        if room < 1 { return try await singly(calls, closing, inOrder: inOrder) }
        let parts = stride(from: 0, to: max(calls.count, 1), by: room).map { start in
            Array(calls[start..<min(start + room, calls.count)])
        }
        let atOnce = inOrder ? 1 : await serverLimits.requestsAtOnce
        let done = try await each(parts, atOnce: atOnce) { part throws(ChainFailure) in
            try await self.part(part, closing, inOrder: inOrder)
        }
        return (done.flatMap(\.results), done.flatMap(\.closings))
    }

    /// Makes calls by one request; if the server refuses that many, by two halves.
    private func part(
        _ calls: [RPCCall], _ closing: RPCCall?, inOrder: Bool
    ) async throws(ChainFailure) -> Part {
        let all = calls + [closing].compactMap(\.self)
        if all.count == 1 { return divided([try await single(all[0])], closing) }
        switch try await request(all) {
        case .answered(let results): return divided(results, closing)
        case .tooMuch(let failure):
            // If the server accepts no batches, even the closing call needs its own request.
            let limit = await serverLimits.callsPerRequest
            if limit < 2 { return try await singly(calls, closing, inOrder: inOrder) }
            guard calls.count > 1 else { throw failure }
        }
        let half = (calls.count + 1) / 2
        let first = try await results(of: Array(calls[..<half]), closing, inOrder: inOrder)
        let second = try await results(of: Array(calls[half...]), closing, inOrder: inOrder)
        return (first.results + second.results, first.closings + second.closings)
    }

    private func divided(_ results: [RPCResult], _ closing: RPCCall?) -> Part {
        closing == nil ? (results, []) : (results.dropLast(), results.suffix(1))
    }

    /// Makes each call by its own request, the first one alone, because it shows a wrong password.
    private func singly(
        _ calls: [RPCCall], _ closing: RPCCall?, inOrder: Bool
    ) async throws(ChainFailure) -> Part {
        var results: [RPCResult] = []
        if let first = calls.first {
            let result = try await single(first)
            if case .failure(.unusable(let failure)) = result, failure.reason == .wrongPassword {
                throw failure
            }
            results.append(result)
        }
        let atOnce = inOrder ? 1 : await serverLimits.requestsAtOnce
        results += try await each(Array(calls.dropFirst()), atOnce: atOnce) {
            call throws(ChainFailure) in try await self.single(call)
        }
        guard let closing else { return (results, []) }
        return (results, [try await single(closing)])
    }

    /// The results of `body` in the order of the items; at most `limit` tasks run in parallel.
    private func each<Item: Sendable, Value: Sendable>(
        _ items: [Item], atOnce limit: Int,
        _ body: @escaping @Sendable (Item) async throws(ChainFailure) -> Value
    ) async throws(ChainFailure) -> [Value] {
        if items.count < 2 || limit < 2 {
            var values: [Value] = []
            for item in items { values.append(try await body(item)) }
            return values
        }
        let results = await withTaskGroup(of: (Int, Result<Value, ChainFailure>).self) { group in
            var values: [Result<Value, ChainFailure>?] = items.map { _ in nil }
            var next = 0
            func begin() {
                guard next < items.count else { return }
                let (index, item) = (next, items[next])
                next += 1
                group.addTask {
                    do throws(ChainFailure) {
                        return (index, .success(try await body(item)))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            for _ in 0..<limit { begin() }
            while let (index, value) = await group.next() {
                values[index] = value
                if case .failure = value { next = items.count } else { begin() }
            }
            return values.compactMap(\.self)
        }
        var values: [Value] = []
        for result in results { values.append(try result.get()) }
        return values
    }
}
