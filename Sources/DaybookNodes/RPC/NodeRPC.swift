import DaybookEncoding

/// Calls of a node: put together, numbered, checked, and tried again where that is harmless.
///
/// Calls go in as few requests as the server takes: a server that refuses a request of many gets
/// smaller ones, in the end single calls, several at once over kept connections. Answers are
/// matched by their ids, whatever their order and number.
struct NodeRPC: Sendable {
    let transport: any RPCTransport
    let dialect: RPCDialect
    let patience: RPCPatience
    let manners: RPCManners
    /// When no further call is made; nil where only a call has a time limit.
    private var end: ContinuousClock.Instant?

    /// Calls through a transport.
    init(
        _ transport: any RPCTransport, _ dialect: RPCDialect, patience: RPCPatience = .ordinary
    ) {
        self.transport = transport
        self.dialect = dialect
        self.patience = patience
        manners = RPCManners(dialect)
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
    /// `closing` is made behind all others of each request. Throws where the node gives no usable
    /// answer at all; a call that it refuses has its own failure.
    func answers(
        to batch: RPCBatch, closing: RPCCall? = nil, inOrder: Bool = false
    ) async throws(ChainFailure) -> (answers: RPCAnswers, closings: [RPCResult]) {
        let (results, closings) = try await results(of: batch.calls, closing, inOrder: inOrder)
        return (RPCAnswers(results: results), closings)
    }
}

// MARK: - Many calls

extension NodeRPC {
    /// The answers to some calls, and to the closing call of each request.
    private typealias Part = (results: [RPCResult], closings: [RPCResult])

    private func results(
        of calls: [RPCCall], _ closing: RPCCall?, inOrder: Bool
    ) async throws(ChainFailure) -> Part {
        let limit = await manners.callsPerRequest
        // One place is the closing call's.
        let room = closing == nil ? limit : limit - 1
        if room < 1 { return try await singly(calls, closing, inOrder: inOrder) }
        let parts = stride(from: 0, to: max(calls.count, 1), by: room).map { start in
            Array(calls[start..<min(start + room, calls.count)])
        }
        let atOnce = inOrder ? 1 : await manners.requestsAtOnce
        let done = try await each(parts, atOnce: atOnce) { part throws(ChainFailure) in
            try await self.part(part, closing, inOrder: inOrder)
        }
        return (done.flatMap(\.results), done.flatMap(\.closings))
    }

    /// Makes calls by one request, or by several where the server refuses that many.
    private func part(
        _ calls: [RPCCall], _ closing: RPCCall?, inOrder: Bool
    ) async throws(ChainFailure) -> Part {
        let all = calls + [closing].compactMap(\.self)
        if all.count == 1 { return divided([try await single(all[0])], closing) }
        switch try await request(all) {
        case .answered(let results): return divided(results, closing)
        case .tooMuch(let failure):
            // A single call is tried without another beside it, where the server has a limit.
            let limit = await manners.callsPerRequest
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

    /// Makes each call by a request of its own: the first alone, which shows whether any is taken.
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
        let atOnce = inOrder ? 1 : await manners.requestsAtOnce
        results += try await each(Array(calls.dropFirst()), atOnce: atOnce) {
            call throws(ChainFailure) in try await self.single(call)
        }
        guard let closing else { return (results, []) }
        return (results, [try await single(closing)])
    }

    /// What `body` makes of each item, in the order of the items, so many at a time.
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
