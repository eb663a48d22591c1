package import DaybookCalls
import DaybookCommands
import DaybookSystem

/// The page for approving, served at 127.0.0.1 with the methods of a front, until `stop`.
package final class PageServer: Sendable {
    /// The address to open: `http://127.0.0.1:PORT/#TOKEN`. Its token is good for one browser.
    package let address: String
    private let daemon: WebDaemon
    private let session: PageSession
    private let host: String

    /// Begins to serve a front at a port, or at one that is free.
    ///
    /// - Throws: `CommandFailure` if the port can't be bound.
    package init(_ front: Front, port: UInt16? = nil) throws {
        // The handler needs the port, which is known only when the daemon runs.
        let handler = LateHandler()
        guard let daemon = WebDaemon(port: port ?? 0, handler: handler) else {
            let place = port.map { "port \($0)" } ?? "a port"
            throw CommandFailure("portInUse", .usage, "127.0.0.1 has no free \(place)")
        }
        self.daemon = daemon
        session = try PageSession()
        host = "127.0.0.1:\(daemon.port)"
        address = "http://\(host)/#\(try session.newToken(lasting: nil))"
        handler.set(PageHandler(front.ofPage, PageRules(host: host, session: session)))
    }

    /// Makes another address, which is good for one browser and a minute.
    ///
    /// - Throws: `CommandFailure` if too many addresses wait to be opened.
    package func newAddress() throws -> String {
        "http://\(host)/#\(try session.newToken(lasting: .seconds(60)))"
    }

    /// Answers what is in progress for up to ten seconds, and stops; called once.
    package func stop() async { await daemon.stop() }
}

/// A handler that refuses requests until there is one to pass them to.
private final class LateHandler: WebHandler {
    private let handler = Monitor<PageHandler?>(nil)

    func set(_ handler: PageHandler) { self.handler.change { $0 = handler } }

    func isOwner(_ request: WebRequest) -> Bool {
        handler.change { $0 }?.isOwner(request) ?? false
    }

    func refusal(_ request: WebRequest) -> WebAnswer? {
        guard let handler = handler.change({ $0 }) else {
            return .refusal(503, "starting", "the server is starting")
        }
        return handler.refusal(request)
    }

    func answer(_ request: WebRequest, body: WipedBytes) async -> WebAnswer {
        guard let handler = handler.change({ $0 }) else {
            return .refusal(503, "starting", "the server is starting")
        }
        return await handler.answer(request, body: body)
    }
}
