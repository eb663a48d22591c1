package import Daybook
import DaybookCommands
import DaybookEncoding
package import DaybookSystem

/// The stores that a door serves: one, or those of all logs of a database.
package protocol ServedStores: Sendable {
    /// Where calls wait for another machine; nil where they wait for the disk at most.
    var executor: (any TaskExecutor)? { get }

    /// The activity of the stores in this process, for its operator.
    var activity: StoreActivity { get }

    /// The front of the store of a log; nil is the only one.
    func front(ofLog log: String?) async throws -> Front
}

/// The logs of a database, which calls name by the parameter `log`.
package struct ServedLogs: ServedStores {
    private let logs: OpenLogs

    /// Serves the logs that are opened when they are named.
    package init(_ logs: OpenLogs) {
        self.logs = logs
    }

    package var executor: (any TaskExecutor)? { logs.threads }

    package var activity: StoreActivity { logs.activity }

    package func front(ofLog log: String?) async throws -> Front {
        guard let log else {
            throw CommandFailure(
                "logUnnamed", .usage, "many logs are served here: name one by \"log\"")
        }
        return Front(of: try await logs.use(log))
    }
}

extension ServedStores {
    /// Answers a request's text, which is wiped; nil for a notification, which has no answer.
    ///
    /// The answer may hold the words of a new wallet.
    package func answer(_ text: WipedBytes) async -> WipedBytes? {
        await call(text).text
    }

    /// Performs a request that came by a connection, if there is one.
    func answer(
        _ request: RPCRequest, to connection: RPCConnection?
    ) async throws(RPCError) -> (text: WipedBytes?, reply: CallReply) {
        guard let method = Method.named(request.method) else {
            throw RPCError(
                .unknownMethod,
                "there is no method '\(CommandFailure.quoted(request.method))'", id: request.id)
        }
        let arguments: Arguments
        do {
            arguments = try Arguments(request.params, request.secrets, for: method)
        } catch {
            throw RPCError(.invalidParameters, error.message, id: request.id)
        }
        let reply = CallReply()
        let found: MethodAnswer
        do {
            found = try await withTaskExecutorPreference(executor) {
                let front = try await front(for: method, arguments)
                var call = Call(
                    found: front, arguments: arguments, connection: connection, id: request.id,
                    reply: reply)
                call.door.progress = connection?.progress(of: request.id)
                return try await method.run(call)
            }
        } catch {
            let failure = CommandFailure(explaining: error)
            if failure.isOfStore { activity.noteFailedCall(failure.code) }
            throw RPCError(failure, id: request.id)
        }
        guard let id = request.id else { return (nil, reply) }
        let answer = Front.success(found.json, id)
        if let words = found.words { Front.add(words, to: answer) }
        return (answer, reply)
    }

    /// The front that a call is for; nil for a call about the connection alone.
    private func front(for method: Method, _ arguments: Arguments) async throws -> Front? {
        if method.isOfConnection, arguments.log == nil { return nil }
        return try await front(ofLog: arguments.log)
    }
}

extension CommandFailure {
    /// Whether the store, its disk or its database failed, and not the caller or a node.
    fileprivate var isOfStore: Bool {
        status == .store && code != "logNotServed" || code.hasPrefix("database")
    }
}
