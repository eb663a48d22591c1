import DaybookChains
import DaybookEncoding
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

    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
    }

    private static func invalid(_ reason: String) -> DaybookError {
        DaybookError("invalidLogin", .usage, reason)
    }
}

/// The file of the nodes' logins, for the owner alone.
///
/// A login is for one address, character for character: it never goes to another node, whatever
/// becomes of the settings.
struct NodeCredentials {
    let path: String

    private static let limit = 262_144

    func login(for node: Node) throws -> NodeLogin? {
        let entry = try entries().first { entry in
            entry.place == node.place && Text.equal(entry.url, node.url)
        }
        return entry?.login
    }

    func set(_ login: NodeLogin?, for node: Node) throws {
        var entries = try entries()
        let before = entries
        entries.removeAll { $0.place == node.place }
        if let login { entries.append(Entry(place: node.place, url: node.url, login: login)) }
        if entries != before { try write(entries) }
    }

    func remove(_ place: ChainID) throws {
        let entries = try entries()
        let rest = entries.filter { $0.place != place }
        if rest != entries { try write(rest) }
    }

    // MARK: - The file

    private struct Entry: Equatable {
        let place: ChainID
        let url: String
        let login: NodeLogin
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
            let url = json["url"]?.stringValue, let user = json["user"]?.stringValue,
            let password = json["password"]?.stringValue,
            let login = try? NodeLogin(user: user, password: Bytes(password.utf8))
        else { throw damaged }
        return Entry(place: ChainID(named: chain, network), url: url, login: login)
    }

    private func write(_ entries: [Entry]) throws {
        let json = JSON.object([
            .init(
                name: "nodes",
                value: .array(
                    entries.map { entry in
                        .record([
                            "chain": .string(entry.place.chain.rawValue),
                            "network": .string(entry.place.network.rawValue),
                            "url": .string(entry.url), "user": .string(entry.login.user),
                            "password": .string(
                                String(decoding: entry.login.password, as: UTF8.self)),
                        ])
                    }))
        ])
        try Files.writeAtomically(path, Bytes((json.text(pretty: true) + "\n").utf8), mode: 0o600)
    }

    private var damaged: DaybookError {
        DaybookError(
            "credentialsDamaged", .store,
            "\(path) is damaged; remove it and set the nodes with their users again")
    }
}
