import DaybookCommands
import DaybookEncoding
import DaybookSystem
import Synchronization

/// Any caller with the key may call; a key is given once for each token of a page's address.
///
/// The page's script sends the key in a header. A cookie would go to every port of the host, also
/// to servers of other users. Tokens and the key are different random values of 32 bytes. All live
/// in memory alone, so that a restart of the server ends the session.
final class PageSession: Sendable {
    private struct Token {
        /// In hex, as a part of the address.
        let text: String
        /// When it is refused, in microseconds of the clock; nil for never.
        let end: UInt64?
    }

    /// The number of tokens that can wait to be used.
    static let limit = 16

    private let key: String
    private let clock: @Sendable () -> UInt64
    /// The tokens that were not used yet.
    private let tokens = Mutex<[Token]>([])

    /// `clock` is monotonic, in microseconds.
    init(
        clock: @escaping @Sendable () -> UInt64 = Clock.monotonicMicroseconds
    ) throws(SystemError) {
        key = Hex.encode(try Entropy.bytes(32))
        self.clock = clock
    }

    /// Makes a token that is good once, and for some time.
    ///
    /// - Throws: `tooManyTokens` if as many as the limit wait to be used.
    func newToken(lasting time: Duration?) throws -> String {
        let text = Hex.encode(try Entropy.bytes(32))
        let now = clock()
        let end = time.map { now + UInt64($0.components.seconds) * 1_000_000 }
        let isKept = tokens.withLock { tokens in
            tokens.removeAll { Self.isOver($0, now) }
            if tokens.count >= Self.limit { return false }
            tokens.append(Token(text: text, end: end))
            return true
        }
        guard isKept else {
            throw CommandFailure(
                "tooManyTokens", .refused, "\(Self.limit) addresses of the page wait to be opened")
        }
        return text
    }

    /// The key for a token; nil if it is wrong, has expired or was used before.
    func open(with token: String) -> String? {
        let now = clock()
        let isGood = tokens.withLock { tokens in
            tokens.removeAll { Self.isOver($0, now) }
            let before = tokens.count
            tokens.removeAll { Self.isEqual(token, $0.text) }
            return tokens.count < before
        }
        return isGood ? key : nil
    }

    private static func isOver(_ token: Token, _ now: UInt64) -> Bool {
        token.end.map { $0 <= now } ?? false
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
