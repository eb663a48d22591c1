import DaybookChains
import DaybookEncoding
import DaybookNodes
import DaybookSystem

/// The user and password of a node's JSON-RPC server.
struct NodeLogin: Equatable, Sendable {
    let user: String
    let password: Bytes

    /// Checks both by the rules of HTTP's basic authentication (RFC 7617).
    init(user: String, password: Bytes) throws(DaybookError) {
        guard (1...256).contains(user.utf8.count), !user.contains(":"), Self.isPlain(user) else {
            throw Self.invalid(
                "a node's user has 1 to 256 bytes, no colon and no control character")
        }
        guard !password.isEmpty else { throw Self.invalid("the node's password is empty") }
        guard password.count <= 1024, let text = Text.utf8String(password), Self.isPlain(text)
        else {
            throw Self.invalid("a node's password is one line of UTF-8 with at most 1024 bytes")
        }
        self.user = user
        self.password = password
    }

    /// Parses `user:password`, the format of Core's file `.cookie`.
    init(cookie: Bytes) throws(DaybookError) {
        guard let colon = cookie.firstIndex(of: UInt8(ascii: ":")),
            let user = Text.utf8String(Bytes(cookie[..<colon]))
        else {
            throw Self.invalid("without --user the password file holds user:password")
        }
        try self.init(user: user, password: Bytes(cookie[(colon + 1)...]))
    }

    /// Reads a cookie file.
    init(cookieFile path: String) throws {
        var (bytes, users) = try Files.readSecret(path, limit: 4096)
        guard users != .all else {
            throw DaybookError(
                .fileExposed, .usage, "all users may read the node's cookie file (chmod 600)")
        }
        while let last = bytes.last, last == 0x0a || last == 0x0d { bytes.removeLast() }
        try self.init(cookie: bytes)
    }

    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
    }

    private static func invalid(_ reason: String) -> DaybookError {
        DaybookError("invalidLogin", .usage, reason)
    }
}

/// How a store logs in to a node: by user and password, or by the node's cookie file.
enum NodeAccess: Equatable, Sendable {
    case login(NodeLogin)
    /// The absolute path of Core's file `.cookie`, which the node replaces at each start.
    case cookie(String)
}

/// The file with the nodes' logins, which only its owner may read.
///
/// For a node with a cookie file it holds only that file's path. A login belongs to one address,
/// character for character: it never goes to another node, even if the settings change.
struct NodeCredentials {
    let path: String

    private static let limit = 262_144

    func access(to node: Node) throws -> NodeAccess? { try entry(of: node)?.access }

    /// The login for the proxy that a node is asked through.
    func proxyLogin(for node: Node) throws -> NodeLogin? {
        guard let proxy = try entry(of: node)?.proxy, let url = node.proxy,
            Text.equal(proxy.url, url)
        else { return nil }
        return proxy.login
    }

    private func entry(of node: Node) throws -> Entry? {
        try entries().first { entry in
            entry.chainID == node.chainID && Text.equal(entry.url, node.url)
        }
    }

    /// Sets the access to nodes of a chain; of its other nodes, only `others` keep theirs.
    func set(
        _ access: NodeAccess?, proxyLogin: NodeLogin? = nil, for nodes: [Node],
        of chainID: ChainID, keeping others: [Node]
    ) throws {
        var entries = try entries()
        let before = entries
        entries.removeAll { entry in
            entry.chainID == chainID && !others.contains { Text.equal(entry.url, $0.url) }
        }
        if access != nil || proxyLogin != nil {
            entries += nodes.map { node in
                let proxy = node.proxy.flatMap { url in
                    proxyLogin.map { Entry.Proxy(url: url, login: $0) }
                }
                return Entry(chainID: chainID, url: node.url, access: access, proxy: proxy)
            }
        }
        if entries != before { try write(entries) }
    }

    // MARK: - The file

    private struct Entry: Equatable {
        let chainID: ChainID
        let url: String
        let access: NodeAccess?
        let proxy: Proxy?

        /// The address of a proxy, and the login for it.
        struct Proxy: Equatable {
            let url: String
            let login: NodeLogin
        }

        var json: JSON {
            let login: NodeLogin? = if case .login(let login) = access { login } else { nil }
            let cookie: String? = if case .cookie(let path) = access { path } else { nil }
            return .record([
                "chain": .string(chainID.chain.rawValue),
                "network": .string(chainID.network.rawValue),
                "url": .string(url), "user": login.map { .string($0.user) },
                "password": login.map { .string(String(decoding: $0.password, as: UTF8.self)) },
                "cookieFile": cookie.map { .string($0) },
                "proxy": proxy.map { .string($0.url) },
                "proxyUser": proxy.map { .string($0.login.user) },
                "proxyPassword": proxy.map { proxy in
                    .string(String(decoding: proxy.login.password, as: UTF8.self))
                },
            ])
        }
    }

    private func entries() throws -> [Entry] {
        guard let information = try Files.information(path) else { return [] }
        guard information.owner == Files.currentUser, information.mode & 0o077 == 0 else {
            throw DaybookError(
                "credentialsExposed", .store,
                "other users can read or write \(path); change the passwords in it, then chmod 600")
        }
        guard information.kind == .file, information.size <= Self.limit else { throw damaged }
        let json: JSON
        do {
            json = try JSON.parse(try Files.read(path, limit: Self.limit))
        } catch is JSONError {
            throw damaged
        }
        guard let entries = json["nodes"]?.arrayValue else { throw damaged }
        return try entries.map(entry)
    }

    private func entry(_ json: JSON) throws -> Entry {
        guard let chain = json["chain"]?.stringValue.flatMap(ChainName.init),
            let network = json["network"]?.stringValue.flatMap(NetworkName.init),
            let url = json["url"]?.stringValue
        else { throw damaged }
        let (access, proxy) = (access(json), proxy(json))
        guard access != nil || proxy != nil, proxy != nil || json["proxy"] == nil else {
            throw damaged
        }
        return Entry(
            chainID: ChainID(named: chain, network), url: url, access: access, proxy: proxy)
    }

    private func proxy(_ json: JSON) -> Entry.Proxy? {
        guard let url = json["proxy"]?.stringValue, let user = json["proxyUser"]?.stringValue,
            let password = json["proxyPassword"]?.stringValue,
            let login = try? NodeLogin(user: user, password: Bytes(password.utf8))
        else { return nil }
        return Entry.Proxy(url: url, login: login)
    }

    private func access(_ json: JSON) -> NodeAccess? {
        if let path = json["cookieFile"]?.stringValue {
            return path.hasPrefix("/") ? .cookie(path) : nil
        }
        guard let user = json["user"]?.stringValue, let password = json["password"]?.stringValue,
            let login = try? NodeLogin(user: user, password: Bytes(password.utf8))
        else { return nil }
        return .login(login)
    }

    private func write(_ entries: [Entry]) throws {
        let json = JSON.record(["nodes": .array(entries.map(\.json))])
        try Files.writeAtomically(path, Bytes((json.text(pretty: true) + "\n").utf8), mode: 0o600)
    }

    private var damaged: DaybookError {
        DaybookError(
            "credentialsDamaged", .store,
            "\(path) is damaged; remove it and set the nodes with their passwords again")
    }
}

/// The connection to a node whose login is in a cookie file, which the node writes at each start.
///
/// The file is read at the first call, and again when the node refuses the login, because the node
/// has been restarted since.
final class CookieTransport: RPCTransport {
    private let path: String
    private let connect: @Sendable (NodeLogin) -> any RPCTransport
    private let current = Monitor<Session?>(nil)

    private struct Session {
        let login: NodeLogin
        let transport: any RPCTransport
    }

    /// `connect` makes the connection for a login.
    init(path: String, connect: @escaping @Sendable (NodeLogin) -> any RPCTransport) {
        self.path = path
        self.connect = connect
    }

    func post(_ body: Bytes) async throws(HTTPFailure) -> HTTPResponse {
        let first = try session(after: nil)
        let answer = try await first.transport.post(body)
        guard answer.status == 401 else { return answer }
        let second = try session(after: first.login)
        return second.login == first.login ? answer : try await second.transport.post(body)
    }

    /// The session with the file's present login; a new one if the file has another than `old`.
    private func session(after old: NodeLogin?) throws(HTTPFailure) -> Session {
        let found = current.change { current -> Session? in
            if let current, current.login != old { return current }
            guard let login = try? NodeLogin(cookieFile: path) else { return nil }
            if let current, current.login == login { return current }
            let session = Session(login: login, transport: connect(login))
            current = session
            return session
        }
        guard let found else { throw .noCookie }
        return found
    }
}
