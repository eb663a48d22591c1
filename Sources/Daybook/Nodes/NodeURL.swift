/// The address of a node or another server: `http` or `https`, a host, maybe a port and a path.
///
/// Errors repeat nothing of an invalid text, because it may hold a password.
struct NodeURL: Equatable, Sendable {
    let isEncrypted: Bool
    /// In lower case; an IPv6 address in brackets.
    let host: String
    let port: UInt16?
    /// Empty, or beginning with a slash.
    var path: String

    private static let limit = 2048

    /// Parses the address of a node, or of another server whose error has `code`.
    init(
        parsing text: String, of owner: String = "node's",
        or code: DaybookError.Code = .invalidNodeURL
    ) throws(DaybookError) {
        func invalid(_ reason: String) -> DaybookError { DaybookError(code, .usage, reason) }
        guard (1...Self.limit).contains(text.utf8.count) else {
            throw invalid("the \(owner) address has 1 to \(Self.limit) bytes")
        }
        guard text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw invalid(
                "the \(owner) address has a space or a character that is not printable ASCII")
        }
        let schemes = [("https://", true), ("http://", false)]
        guard
            let scheme = schemes.first(where: { text.lowercased().hasPrefix($0.0) })
        else { throw invalid("the \(owner) address begins with http:// or https://") }
        let rest = text.dropFirst(scheme.0.utf8.count)
        guard !rest.prefix(while: { $0 != "/" }).contains("@") else {
            let advice = code == .invalidNodeURL
                ? "give --user and --password-file instead" : "it takes no password"
            throw invalid("the \(owner) address names a user; \(advice)")
        }
        guard !rest.contains("?") else { throw invalid("the \(owner) address has a query") }
        guard !rest.contains("#") else { throw invalid("the \(owner) address has a fragment") }
        let authority = rest.prefix { $0 != "/" }
        let path = rest[authority.endIndex...]
        guard Self.isPath(path) else {
            throw invalid("the path of the \(owner) address has an invalid character")
        }
        (host, port) = try Self.split(authority, of: owner, or: code)
        isEncrypted = scheme.1
        self.path = String(path)
    }

    /// The canonical spelling of the address.
    var text: String { origin + path }

    /// Scheme, host and port.
    var origin: String {
        (isEncrypted ? "https://" : "http://") + host + (port.map { ":\($0)" } ?? "")
    }

    /// Whether the node is on this computer, so that nobody else can read the connection.
    var isLoopback: Bool { Self.isLoopback(host) }

    /// Whether the node is an onion service, which only Tor reaches, encrypted.
    var isOnion: Bool { host.hasSuffix(".onion") }

    /// Whether a host is this computer.
    static func isLoopback(_ host: String) -> Bool {
        if ["localhost", "[::1]"].contains(host) || host.hasSuffix(".localhost") { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    // MARK: - Parts

    /// The host and port of a node or a proxy, whose error has `code`.
    static func split(
        _ authority: Substring, of owner: String, or code: DaybookError.Code
    ) throws(DaybookError) -> (host: String, port: UInt16?) {
        let isAddress = authority.hasPrefix("[")
        let end = isAddress ? authority.firstIndex(of: "]") : authority.firstIndex(of: ":")
        let host: Substring
        if let end {
            host = isAddress ? authority[...end] : authority[..<end]
        } else {
            host = authority
        }
        let rest = authority[host.endIndex...]
        guard isAddress ? isIPv6(host) : isName(host) else {
            throw DaybookError(code, .usage, "the \(owner) address has no valid host")
        }
        if rest.isEmpty { return (host.lowercased(), nil) }
        let digits = rest.dropFirst()
        guard rest.first == ":", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = UInt16(digits), port > 0
        else {
            throw DaybookError(
                code, .usage,
                "the port of the \(owner) address is not a number from 1 to 65535")
        }
        return (host.lowercased(), port)
    }

    private static func isName(_ host: Substring) -> Bool {
        (1...253).contains(host.utf8.count) && host.first != "." && host.first != "-"
            && host.utf8.allSatisfy { isLetterOrDigit($0) || "-._".utf8.contains($0) }
    }

    private static func isIPv6(_ host: Substring) -> Bool {
        host.hasSuffix("]") && (4...47).contains(host.utf8.count)
            && host.dropFirst().dropLast().allSatisfy { $0.isHexDigit || ":.".contains($0) }
    }

    /// Whether all characters may stand in a path (RFC 3986).
    private static func isPath(_ path: Substring) -> Bool {
        let bytes = Array(path.utf8)
        return bytes.indices.allSatisfy { index in
            guard bytes[index] == UInt8(ascii: "%") else {
                return isLetterOrDigit(bytes[index])
                    || "-._~!$&'()*+,;=:@/".utf8.contains(bytes[index])
            }
            return bytes[(index + 1)...].prefix(2).filter(isHexDigit).count == 2
        }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        default: false
        }
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
        default: false
        }
    }
}
