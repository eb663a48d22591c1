/// The URL of a server, with the credentials and certificates for it.
package struct HTTPTarget: Equatable, Sendable {
    /// The URL, `http:` or `https:`, without user, password and fragment.
    package var url: String
    /// The user for basic authentication, which is used if there is a user or a password.
    package var user: String?
    /// The password, as bytes.
    package var password: [UInt8]?
    /// The path of a PEM file with the issuers to trust instead of the system's.
    package var certificates: String?
    /// The proxy that every connection goes through.
    package var proxy: HTTPProxy?

    package init(
        url: String, user: String? = nil, password: [UInt8]? = nil, certificates: String? = nil,
        proxy: HTTPProxy? = nil
    ) {
        self.url = url
        self.user = user
        self.password = password
        self.certificates = certificates
        self.proxy = proxy
    }
}

/// A SOCKS5 proxy that resolves the names of servers, such as Tor's (RFC 1928).
package struct HTTPProxy: Equatable, Sendable {
    /// The host, an IPv6 address in brackets, a colon and the port.
    package var address: String
    /// The user and password for the proxy (RFC 1929); nil if it asks for none.
    package var user: String?
    package var password: [UInt8]?

    package init(address: String, user: String? = nil, password: [UInt8]? = nil) {
        (self.address, self.user, self.password) = (address, user, password)
    }
}

extension HTTPTarget: CustomStringConvertible {
    /// The URL alone: credentials are never printed.
    package var description: String { url }
}

/// Validates URLs before libcurl parses them, whose parser is lenient.
enum HTTPAddress {
    static let maximumBytes = 2_048

    /// Whether a URL has a scheme and a host, no user and no fragment, and only printable ASCII.
    static func isValid(_ url: String) -> Bool {
        let bytes = Array(url.utf8)
        // Some parsers take a backslash for a slash, others don't.
        let isPlain = bytes.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
        guard isPlain, bytes.count <= maximumBytes, !bytes.contains(UInt8(ascii: "#")) else {
            return false
        }
        let lowercased = url.lowercased()
        guard let scheme = ["http://", "https://"].first(where: { lowercased.hasPrefix($0) })
        else { return false }
        let authority = bytes.dropFirst(scheme.utf8.count).prefix {
            $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?")
        }
        return !authority.isEmpty && authority.first != UInt8(ascii: ":")
            && !authority.contains(UInt8(ascii: "@"))
    }
}

/// A server's response, whatever its status.
package struct HTTPResponse: Equatable, Sendable {
    /// The status code, such as 200.
    package let status: Int
    /// The `Content-Type` header.
    package let contentType: String?
    package let body: [UInt8]
    /// The `Retry-After` header, in seconds.
    package let retryAfterSeconds: Int?

    package init(
        status: Int, contentType: String?, body: [UInt8], retryAfterSeconds: Int? = nil
    ) {
        self.status = status
        self.contentType = contentType
        self.body = body
        self.retryAfterSeconds = retryAfterSeconds
    }
}

/// The time limits of a call, and the size limits of a response.
package struct HTTPLimits: Equatable, Sendable {
    /// The time limit for name resolution, connection and TLS together.
    package let connectMilliseconds: Int
    /// The time limit of a whole call, without the time it waits for a connection.
    package let totalMilliseconds: Int
    /// The maximum size of a response's body.
    package let answerBytes: Int

    /// The maximum size of all response headers together.
    static let headerBytes = 64 << 10

    /// 5 seconds to connect, 30 seconds in all, and 32 MiB.
    package static let standard = HTTPLimits()

    /// The same through a proxy: Tor needs some time to build a path to a server.
    package static let proxied = HTTPLimits(connectMilliseconds: 30_000, totalMilliseconds: 60_000)

    /// Limits, each above zero.
    package init(
        connectMilliseconds: Int = 5_000, totalMilliseconds: Int = 30_000,
        answerBytes: Int = 32 << 20
    ) {
        // For libcurl zero means no limit.
        precondition(
            connectMilliseconds > 0 && totalMilliseconds > 0 && answerBytes > 0,
            "a limit is above zero")
        self.connectMilliseconds = connectMilliseconds
        self.totalMilliseconds = totalMilliseconds
        self.answerBytes = answerBytes
    }
}
