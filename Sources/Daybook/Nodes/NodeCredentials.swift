import DaybookChains
import DaybookEncoding
import DaybookNodes
import DaybookSystem

/// User and password of a node's JSON-RPC.
struct NodeLogin: Equatable, Sendable {
    let user: String
    let password: Bytes

    /// Checks the two as HTTP's basic authentication (RFC 7617) demands.
    init(user: String, password: Bytes) throws(DaybookError) {
        guard (1...256).contains(user.utf8.count), !user.contains(":"), Self.isPlain(user) else {
            throw Self.invalid("a node's user has 1 to 256 bytes, no colon and no control")
        }
        guard !password.isEmpty else { throw Self.invalid("the node's password is empty") }
        guard password.count <= 1024, let text = Text.utf8String(password), Self.isPlain(text)
        else {
            throw Self.invalid("a node's password is a line of at most 1024 bytes of UTF-8")
        }
        self.user = user
        self.password = password
    }

    /// Reads `user:password`, as Core writes it into its file `.cookie`.
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
        var bytes = try Files.read(path, limit: 4096)
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

/// What lets us into a node: user and password, or the file in which the node writes them.
enum NodeAccess: Equatable, Sendable {
    case login(NodeLogin)
    /// The absolute path of Core's file `.cookie`, which each start of the node writes anew.
    case cookie(String)
}

/// The file of the nodes' logins, for the owner alone.
///
/// Of a node that writes a cookie only the cookie's path is in it.
///
/// A login is for one address, character for character: it never goes to another node, whatever
/// becomes of the settings.
struct NodeCredentials {
    let path: String

    private static let limit = 262_144

    func access(to node: Node) throws -> NodeAccess? {
        let entry = try entries().first { entry in
            entry.place == node.place && Text.equal(entry.url, node.url)
        }
        return entry?.access
    }

    /// Remembers what opens nodes of a place; of its other nodes only these keep what they had.
    func set(
        _ access: NodeAccess?, for nodes: [Node], at place: ChainID, keeping others: [Node]
    ) throws {
        var entries = try entries()
        let before = entries
        entries.removeAll { entry in
            entry.place == place && !others.contains { Text.equal(entry.url, $0.url) }
        }
        if let access {
            entries += nodes.map { Entry(place: place, url: $0.url, access: access) }
        }
        if entries != before { try write(entries) }
    }

    // MARK: - The file

    private struct Entry: Equatable {
        let place: ChainID
        let url: String
        let access: NodeAccess

        var json: JSON {
            let login: NodeLogin? = if case .login(let login) = access { login } else { nil }
            let cookie: String? = if case .cookie(let path) = access { path } else { nil }
            return .record([
                "chain": .string(place.chain.rawValue), "network": .string(place.network.rawValue),
                "url": .string(url), "user": login.map { .string($0.user) },
                "password": login.map { .string(String(decoding: $0.password, as: UTF8.self)) },
                "cookieFile": cookie.map { .string($0) },
            ])
        }
    }

    private func entries() throws -> [Entry] {
        guard let information = try Files.information(path) else { return [] }
        guard information.owner == Files.currentUser, information.mode & 0o077 == 0 else {
            throw DaybookError(
                "credentialsExposed", .store,
                "\(path) may be used by others; change the passwords in it, then chmod 600")
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
            let url = json["url"]?.stringValue, let access = access(json)
        else { throw damaged }
        return Entry(place: ChainID(named: chain, network), url: url, access: access)
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
            "\(path) is damaged; remove it and set the nodes with their users again")
    }
}

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

    func post(_ body: Bytes) async throws(HTTPFailure) -> HTTPResponse {
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
