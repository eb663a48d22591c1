import DaybookEncoding
import DaybookSystem
import Synchronization

/// Who may call: whoever has the key, which is given once for the token of the page's address.
///
/// The page's script sends the key in a header. A cookie would go to every port of the host, also
/// to servers of other users. Token and key are different random values of 32 bytes. Both live in
/// memory alone, so that a restart of the server ends the session.
final class PageSession: Sendable {
    /// The token in hex, which is part of the address.
    let token: String
    private let key: String
    private let isTokenUsed = Mutex(false)

    init() throws(SystemError) {
        token = Hex.encode(try Entropy.bytes(32))
        key = Hex.encode(try Entropy.bytes(32))
    }

    /// The key for a token; nil if it is wrong, or was used before.
    func open(with token: String) -> String? {
        guard Self.isEqual(token, self.token) else { return nil }
        let wasUsed = isTokenUsed.withLock { isUsed in
            defer { isUsed = true }
            return isUsed
        }
        return wasUsed ? nil : key
    }

    /// Whether a request has the key.
    func admits(_ request: WebRequest) -> Bool {
        request.value("authorization").map { Self.isEqual($0, "Bearer \(key)") } ?? false
    }

    /// Compares in a time that does not depend on where the texts differ.
    private static func isEqual(_ one: String, _ other: String) -> Bool {
        let (one, other) = (Array(one.utf8), Array(other.utf8))
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
