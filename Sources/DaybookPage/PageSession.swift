import DaybookEncoding
import DaybookSystem
import Synchronization

/// Who may call: whoever has the cookie, which is given once for the token of the page's address.
///
/// Token and cookie are different random values of 32 bytes. Both live in memory alone, so that a
/// restart of the server ends every session.
final class PageSession: Sendable {
    /// The token in hex, which is part of the address.
    let token: String
    /// The name has the port, because browsers share cookies between the ports of a host.
    let cookieName: String
    private let cookie: String
    private let isTokenUsed = Mutex(false)

    init(port: UInt16) throws(SystemError) {
        token = Hex.encode(try Entropy.bytes(32))
        cookie = Hex.encode(try Entropy.bytes(32))
        cookieName = "daybook-\(port)"
    }

    /// The `Set-Cookie` header for a token; nil if it is wrong, or was used before.
    func open(with token: String) -> String? {
        guard Self.isEqual(token, self.token) else { return nil }
        let wasUsed = isTokenUsed.withLock { isUsed in
            defer { isUsed = true }
            return isUsed
        }
        if wasUsed { return nil }
        return "\(cookieName)=\(cookie); HttpOnly; SameSite=Strict; Path=/"
    }

    /// Whether a request has the cookie.
    func admits(_ request: WebRequest) -> Bool {
        request.cookie(cookieName).map { Self.isEqual($0, cookie) } ?? false
    }

    /// Compares in a time that does not depend on where the texts differ.
    private static func isEqual(_ one: String, _ other: String) -> Bool {
        let (one, other) = (Array(one.utf8), Array(other.utf8))
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
