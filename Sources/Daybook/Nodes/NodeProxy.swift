import DaybookNodes

/// The SOCKS5 proxy that a node is asked through, such as Tor's: `socks5h://`, a host and a port.
///
/// The `h` says that the proxy resolves the node's name. Errors repeat nothing of an invalid text,
/// because it may hold a password.
struct NodeProxy: Equatable, Sendable {
    /// In lower case; an IPv6 address in brackets.
    let host: String
    let port: UInt16

    private static let scheme = "socks5h://"
    private static let limit = 512
    /// The port of SOCKS, where an address has none.
    private static let usualPort: UInt16 = 1080

    init(parsing text: String) throws(DaybookError) {
        guard (1...Self.limit).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { throw Self.invalid(Self.form) }
        let lower = text.lowercased()
        if lower.hasPrefix("socks5://") {
            throw Self.invalid(
                "with socks5:// this computer would look up the node's name: write socks5h://")
        }
        guard lower.hasPrefix(Self.scheme) else { throw Self.invalid(Self.form) }
        var rest = text.dropFirst(Self.scheme.utf8.count)
        if rest.last == "/" { rest = rest.dropLast() }
        guard !rest.contains("@") else {
            throw Self.invalid(
                "the proxy's address names a user; give --proxy-password-file instead")
        }
        guard !rest.contains(where: { "/?#".contains($0) }) else {
            throw Self.invalid("the proxy's address ends with its port")
        }
        let parts = try NodeURL.split(rest, of: "proxy's", or: "invalidProxy")
        (host, port) = (parts.host, parts.port ?? Self.usualPort)
    }

    /// The canonical spelling of the address.
    var text: String { Self.scheme + address }

    /// The host, a colon and the port.
    var address: String { "\(host):\(port)" }

    /// Whether the proxy is on this computer, so that nobody else can read what it is given.
    var isLoopback: Bool { NodeURL.isLoopback(host) }

    private static let form =
        "a proxy's address is socks5h://, a host and a port, such as Tor's socks5h://127.0.0.1:9050"

    static func invalid(_ reason: String) -> DaybookError {
        DaybookError("invalidProxy", .usage, reason)
    }
}

extension HTTPProxy {
    /// The proxy of a node, with the login for it.
    init(_ proxy: NodeProxy, _ login: NodeLogin?) {
        self.init(address: proxy.address, user: login?.user, password: login?.password)
    }
}

extension NodeLogin {
    /// Parses `user:password` for a proxy; RFC 1929 has room for 255 bytes of each.
    init(proxy text: [UInt8]) throws(DaybookError) {
        guard let login = try? NodeLogin(cookie: text) else {
            throw DaybookError(
                "invalidLogin", .usage, "the proxy's password file holds user:password, one line")
        }
        guard login.user.utf8.count <= 255, login.password.count <= 255 else {
            throw DaybookError(
                "invalidLogin", .usage, "a proxy's user and password have at most 255 bytes each")
        }
        self = login
    }
}
