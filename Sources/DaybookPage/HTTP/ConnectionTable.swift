import CMicroHTTPD
import DaybookSystem
import Synchronization

/// A connection of libmicrohttpd by its address, which is valid until it is closed.
struct ConnectionID: Hashable, Sendable {
    private let bits: UInt

    init(_ connection: OpaquePointer) {
        bits = UInt(bitPattern: connection)
    }

    var pointer: OpaquePointer? { unsafe OpaquePointer(bitPattern: bits) }

    /// Asks for nothing more on the connection until `resume`.
    func suspend() { unsafe MHD_suspend_connection(pointer) }

    func resume() { unsafe MHD_resume_connection(pointer) }
}

/// The open connections with their deadlines, so that slow clients don't keep theirs for ever.
///
/// libmicrohttpd's own limit is the time without any byte, which a client that sends a byte a
/// second never reaches. A request must be whole, and an answer taken, within a time of its own.
final class ConnectionTable: Sendable {
    private struct Row {
        /// When the connection is shut; nil while a request is being answered.
        var deadline: UInt64?
        var exchange: WebExchange?
    }

    private let rows = Mutex<[ConnectionID: Row]>([:])
    private let limits: WebLimits

    init(_ limits: WebLimits) { self.limits = limits }

    /// The number of requests that are being received, answered or sent.
    var requests: Int { rows.withLock { $0.values.count { $0.exchange != nil } } }

    /// The requests in progress.
    var exchanges: [WebExchange] { rows.withLock { $0.values.compactMap(\.exchange) } }

    func opened(_ connection: ConnectionID) {
        let deadline = Clock.monotonicMicroseconds() + limits.requestMicroseconds
        rows.withLock { $0[connection] = Row(deadline: deadline) }
    }

    /// Called before the socket is closed: afterwards its number may be another's.
    func closed(_ connection: ConnectionID) {
        rows.withLock { _ = $0.removeValue(forKey: connection) }
    }

    func began(_ exchange: WebExchange, on connection: ConnectionID) {
        rows.withLock { $0[connection]?.exchange = exchange }
    }

    /// No time limit holds while the server itself is at work, nor for a stream.
    func pause(_ connection: ConnectionID) {
        rows.withLock { $0[connection]?.deadline = nil }
    }

    func sending(_ connection: ConnectionID) {
        let deadline = Clock.monotonicMicroseconds() + limits.answerMicroseconds
        rows.withLock { $0[connection]?.deadline = deadline }
    }

    func ended(_ connection: ConnectionID) {
        let deadline = Clock.monotonicMicroseconds() + limits.requestMicroseconds
        rows.withLock { rows in
            guard rows[connection] != nil else { return }
            rows[connection] = Row(deadline: deadline)
        }
    }

    /// Shuts the connections whose time is over.
    func shutLate() {
        let now = Clock.monotonicMicroseconds()
        rows.withLock { rows in
            for (connection, row) in rows where row.deadline.map({ $0 <= now }) ?? false {
                unsafe daybook_mhd_shut(connection.pointer)
            }
        }
    }
}
