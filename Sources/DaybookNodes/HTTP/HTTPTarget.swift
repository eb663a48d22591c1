/// A server to ask, and how to be let in.
package struct HTTPTarget: Equatable, Sendable {
    /// The address, `http:` or `https:`, without user, password and fragment.
    package var url: String
    /// The user for basic authentication; without user and password none is tried.
    package var user: String?
    /// The password, as bytes.
    package var password: [UInt8]?
    /// A PEM file of the issuers to trust instead of the system's.
    package var certificates: String?

    /// A target of its parts.
    package init(
        url: String, user: String? = nil, password: [UInt8]? = nil, certificates: String? = nil
    ) {
        self.url = url
        self.user = user
        self.password = password
        self.certificates = certificates
    }
}

extension HTTPTarget: CustomStringConvertible {
    /// The address alone: credentials are never printed.
    package var description: String { url }
}

/// What an address must be before libcurl, whose parser forgives much, sees it.
enum HTTPAddress {
    /// Longer ones are nobody's.
    static let maximumBytes = 2_048

    /// Whether it is a scheme, a host and what follows, in printable ASCII and without a user.
    static func isValid(_ url: String) -> Bool {
        let bytes = Array(url.utf8)
        // A backslash separates for some parsers and not for others.
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

/// What a server answered, whatever its status.
package struct HTTPAnswer: Equatable, Sendable {
    /// The status code, such as 200.
    package let status: Int
    /// The `Content-Type` as the server wrote it.
    package let contentType: String?
    /// The body, whole.
    package let body: [UInt8]
    /// After how many seconds the server wants to be asked again, from `Retry-After`.
    package let retryAfterSeconds: Int?

    /// An answer of its parts.
    package init(
        status: Int, contentType: String?, body: [UInt8], retryAfterSeconds: Int? = nil
    ) {
        self.status = status
        self.contentType = contentType
        self.body = body
        self.retryAfterSeconds = retryAfterSeconds
    }
}

/// How long a call may take, and how much a server may answer.
package struct HTTPLimits: Equatable, Sendable {
    /// How long the connection may take to come about, names and TLS included.
    package let connectMilliseconds: Int
    /// How long a call may take once those before it are done.
    package let totalMilliseconds: Int
    /// How long the body of an answer may be.
    package let answerBytes: Int

    /// How long all headers of an answer together may be.
    static let headerBytes = 64 << 10

    /// Limits for a server that answers at its own pace: 5 s, 30 s and 32 MiB.
    package static let standard = HTTPLimits()

    /// Limits, each above zero.
    package init(
        connectMilliseconds: Int = 5_000, totalMilliseconds: Int = 30_000,
        answerBytes: Int = 32 << 20
    ) {
        // libcurl takes a zero for no limit at all.
        precondition(
            connectMilliseconds > 0 && totalMilliseconds > 0 && answerBytes > 0,
            "a limit is above zero")
        self.connectMilliseconds = connectMilliseconds
        self.totalMilliseconds = totalMilliseconds
        self.answerBytes = answerBytes
    }
}
