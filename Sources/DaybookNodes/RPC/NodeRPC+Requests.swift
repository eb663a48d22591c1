import DaybookEncoding

/// Single requests, and the meaning of their answers.
extension NodeRPC {
    /// The outcome of a request of several calls.
    enum BatchOutcome {
        case answered([RPCResult])
        /// The server does not accept that many calls in one request.
        case tooMuch(ChainFailure)
    }

    /// Makes one call by a request of its own.
    ///
    /// A call that this user may not make fails alone, as it does in a batch.
    func single(_ call: RPCCall) async throws(ChainFailure) -> RPCResult {
        try await retrying { () throws(ChainFailure) in
            let id = await serverLimits.nextIDs(1)[0]
            let answer = try await post(dialect.request(id, call))
            if answer.status == 403 { return .failure(.unusable(Self.forbidden)) }
            if let failure = Self.failure(of: answer) { throw failure }
            let json = try Self.parsed(answer, keeping: call.names.map { dialect.names + $0 })
            guard let result = try result(json, id, call, status: answer.status) else {
                throw Self.failure(noAnswer: answer, to: call.method)
            }
            return result
        }
    }

    /// Makes several calls by one request.
    func request(_ calls: [RPCCall]) async throws(ChainFailure) -> BatchOutcome {
        try await retrying { () throws(ChainFailure) in try await attempt(calls) }
    }

    private func attempt(_ calls: [RPCCall]) async throws(ChainFailure) -> BatchOutcome {
        let ids = await serverLimits.nextIDs(calls.count)
        let requests = zip(ids, calls).map { dialect.request($0, $1) }
        let names = calls.contains { $0.names == nil }
            ? nil : dialect.names + Set(calls.compactMap(\.names).joined()).sorted()
        do throws(ChainFailure) {
            let answer = try await post(.array(requests))
            if let refusal = await refusal(of: answer, to: calls.count) { return refusal }
            if let failure = Self.failure(of: answer) { throw failure }
            let json = try Self.parsed(answer, keeping: names)
            guard let answers = json.arrayValue else {
                throw Self.failure(noAnswer: answer, to: "several calls", json)
            }
            return .answered(try results(of: answers, ids, calls, status: answer.status))
        } catch {
            // Fewer calls have a shorter answer.
            guard error.reason == .tooLong else { throw error }
            return .tooMuch(error)
        }
    }

    /// Recognises a server that refuses batches, or batches of this size, and lowers the limit.
    private func refusal(of answer: HTTPResponse, to count: Int) async -> BatchOutcome? {
        if answer.status == 403 {
            // Core refuses every batch of a user whose calls are restricted.
            await serverLimits.noteNoBatches()
            return .tooMuch(Self.forbidden)
        }
        // goloop refuses large batches with the status of a busy server.
        let isObject = answer.body.first == UInt8(ascii: "{")
        let error = isObject ? (try? JSON.parse(answer.body))?["error"] : nil
        guard answer.status == 413 || error?["code"]?.number?.integer == -32600 else { return nil }
        await serverLimits.noteTooMany(count)
        return .tooMuch(Self.tooLong)
    }

    /// Matches answers to calls by their ids.
    private func results(
        of answers: [JSON], _ ids: [UInt64], _ calls: [RPCCall], status: Int
    ) throws(ChainFailure) -> [RPCResult] {
        var byID: [String: JSON] = [:]
        for answer in answers {
            guard let id = answer["id"], !id.isNull else { continue }
            guard byID.updateValue(answer, forKey: id.text()) == nil else {
                throw ChainFailure(.invalidAnswer, "the node answers one call twice")
            }
        }
        var results: [RPCResult] = []
        for (id, call) in zip(ids, calls) {
            guard let answer = byID[JSON.int(id).text()],
                let result = try result(answer, id, call, status: status)
            else {
                throw ChainFailure(.invalidAnswer, "the answers hold none to \(call.method)")
            }
            results.append(result)
        }
        return results
    }

    /// The result of a call; nil if the answer is not to this call. Throws while the node starts.
    private func result(
        _ json: JSON, _ id: UInt64, _ call: RPCCall, status: Int
    ) throws(ChainFailure) -> RPCResult? {
        switch dialect.content(of: json, id: id) {
        case .result(let result) where (200..<300).contains(status): return .success(result)
        case .error(code: -28, let message): throw Self.starting(message)
        case .error(code: -32601, _):
            return .failure(
                .unusable(
                    ChainFailure(.unknownCall, "the node does not know the call \(call.method)")))
        case .error(let code, let message):
            return .failure(.node(code: code, message: NodeText.quoted(message)))
        case .result, nil: return nil
        }
    }

    private func post(_ request: JSON) async throws(ChainFailure) -> HTTPResponse {
        do {
            return try await transport.post(Bytes(request.text().utf8))
        } catch {
            throw ChainFailure(error)
        }
    }
}

// MARK: - Retries

extension NodeRPC {
    /// Repeats an attempt while the node is starting or busy, as far as the retry policy allows.
    private func retrying<Value>(
        _ attempt: () async throws(ChainFailure) -> Value
    ) async throws(ChainFailure) -> Value {
        var pauses = retries.pauses[...]
        var delays = 0
        while true {
            try checkDeadline()
            let failure: ChainFailure
            do throws(ChainFailure) {
                return try await attempt()
            } catch {
                failure = error
            }
            guard failure.reason.isTemporary else { throw failure }
            if failure.reason == .busy { await serverLimits.noteBusy() }
            let pause: Duration
            if let seconds = failure.retryAfterSeconds, !retries.pauses.isEmpty {
                pause = .seconds(seconds)
                delays += 1
                guard pause <= RPCRetryPolicy.longestDelay,
                    delays <= RPCRetryPolicy.maximumDelays
                else { throw failure }
            } else if let next = pauses.popFirst() {
                pause = next
            } else {
                throw failure
            }
            do {
                try await retries.sleep(pause)
            } catch {
                throw ChainFailure(HTTPFailure.cancelled)
            }
        }
    }
}

// MARK: - Failures

extension NodeRPC {
    private static let forbidden = ChainFailure(
        .wrongPassword, "the server forbids the call to this user or computer (403)")
    private static let tooLong = ChainFailure(.tooLong, "the server takes no request so long")

    private static func starting(_ message: String) -> ChainFailure {
        ChainFailure(.warmingUp, "the node is starting: \(NodeText.quoted(message))")
    }

    /// The failure that a status means, whatever the body is.
    private static func failure(of answer: HTTPResponse) -> ChainFailure? {
        let code = answer.status
        return switch code {
        case 300..<400: ChainFailure(.redirect, "the server sends us elsewhere (\(code))")
        case 401: ChainFailure(.wrongPassword, "user or password are wrong or missing (401)")
        case 403: forbidden
        case 413: tooLong
        case 429, 503: busy(answer)
        case 500 where answer.body.starts(with: "Work queue depth exceeded".utf8): busy(answer)
        case 502, 504: ChainFailure(.noAnswer, "a gateway has no answer of the node (\(code))")
        default: nil
        }
    }

    private static func busy(_ answer: HTTPResponse) -> ChainFailure {
        var message = "the server has too much to do (\(answer.status))"
        if answer.status == 429 { message = "the server takes no more calls at present (429)" }
        if let seconds = answer.retryAfterSeconds {
            message += " and wants to be asked again after \(seconds) seconds"
        }
        var failure = ChainFailure(.busy, message)
        failure.retryAfterSeconds = answer.retryAfterSeconds
        return failure
    }

    private static func parsed(
        _ answer: HTTPResponse, keeping names: [String]?
    ) throws(ChainFailure) -> JSON {
        do {
            return try JSON.parse(answer.body, keeping: names)
        } catch {
            throw failure(noJSON: answer, error)
        }
    }

    private static func failure(noJSON answer: HTTPResponse, _ error: JSONError) -> ChainFailure {
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

    private static func failure(
        noAnswer answer: HTTPResponse, to what: String, _ json: JSON? = nil
    ) -> ChainFailure {
        if let error = json?["error"], error["code"]?.number?.integer == -28 {
            return starting(error["message"]?.stringValue ?? "")
        }
        return failure(nothingAtPath: answer)
            ?? ChainFailure(.invalidAnswer, "the answer is none to \(what) (\(answer.status))")
    }

    private static func failure(nothingAtPath answer: HTTPResponse) -> ChainFailure? {
        guard [404, 405].contains(answer.status) else { return nil }
        return ChainFailure(
            .wrongPath, "the server has no calls at this path (\(answer.status))")
    }
}

extension ChainFailure.Reason {
    /// Whether the node has not begun with the call and may soon be ready for it.
    fileprivate var isTemporary: Bool { self == .warmingUp || self == .busy }
}
