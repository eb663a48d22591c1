import DaybookEncoding
import DaybookNodes
import DaybookSystem

/// Asks a node whose user and password stand in a file that the node writes at each start.
///
/// The file is read when it is first needed, and again when the node does not let us in: then the
/// node was restarted since.
final class CookieTransport: RPCTransport {
    private let path: String
    private let connect: @Sendable (NodeLogin) -> any RPCTransport
    private let current = Monitor<Entrance?>(nil)

    private struct Entrance {
        let login: NodeLogin
        let transport: any RPCTransport
    }

    /// A transport by the cookie at a path; `connect` makes the connection for a login.
    init(path: String, connect: @escaping @Sendable (NodeLogin) -> any RPCTransport) {
        self.path = path
        self.connect = connect
    }

    func post(_ body: Bytes) async throws(HTTPFailure) -> HTTPAnswer {
        let first = try entrance(after: nil)
        let answer = try await first.transport.post(body)
        guard answer.status == 401 else { return answer }
        let second = try entrance(after: first.login)
        return second.login == first.login ? answer : try await second.transport.post(body)
    }

    /// The entrance by the file's present content; another than the one by `old`, if there is one.
    private func entrance(after old: NodeLogin?) throws(HTTPFailure) -> Entrance {
        let found = current.change { current -> Entrance? in
            if let current, current.login != old { return current }
            guard let login = try? NodeLogin(cookieFile: path) else { return nil }
            if let current, current.login == login { return current }
            let entrance = Entrance(login: login, transport: connect(login))
            current = entrance
            return entrance
        }
        guard let found else { throw .noCookie }
        return found
    }
}
