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

/// The open connections: which may stay, and for how long.
///
/// Any user of the machine can connect. So that nobody shuts the page's owner out, a limited number
/// of connections may be without the page's key, and the oldest of them ends for a new one.
///
/// libmicrohttpd's own limit is the time without any byte, which a client that sends a byte a
/// second never reaches. A request must be whole, and an answer taken, within a time of its own.
final class ConnectionTable: Sendable {
    private struct Row {
        /// The connection's number, in the order in which they were opened.
        let number: UInt64
        /// When the connection is shut; nil while a request is being answered.
        var deadline: UInt64?
        var exchange: WebExchange?
        /// Whether it has brought the page's key.
        var isOwners = false
        /// Whether it was shut, and libmicrohttpd has not closed it yet.
        var isShut = false
    }

    private struct Rows {
        var open: [ConnectionID: Row] = [:]
        var last: UInt64 = 0
    }

    private let rows = Mutex(Rows())
    private let limits: WebLimits

    init(_ limits: WebLimits) { self.limits = limits }

    /// The number of requests that are being received, answered or sent.
    var requests: Int { rows.withLock { $0.open.values.count { $0.exchange != nil } } }

    /// The requests in progress.
    var exchanges: [WebExchange] { rows.withLock { $0.open.values.compactMap(\.exchange) } }

    func opened(_ connection: ConnectionID) {
        let deadline = Clock.monotonicMicroseconds() + limits.requestMicroseconds
        rows.withLock { rows in
            Self.makeRoom(in: &rows.open, for: limits.strangers)
            rows.last += 1
            rows.open[connection] = Row(number: rows.last, deadline: deadline)
        }
    }

    /// Shuts the oldest connections without the key until there is room for another one.
    private static func makeRoom(in open: inout [ConnectionID: Row], for limit: Int) {
        let strangers = open.filter { !$0.value.isOwners && !$0.value.isShut }
        guard strangers.count >= limit,
            let oldest = strangers.min(by: { $0.value.number < $1.value.number })?.key
        else { return }
        open[oldest]?.isShut = true
        unsafe daybook_mhd_shut(oldest.pointer)
    }

    /// Notes that a connection has brought the page's key, so that it stays.
    func admit(_ connection: ConnectionID) {
        rows.withLock { $0.open[connection]?.isOwners = true }
    }

    /// Called before the socket is closed: afterwards its number may be another's.
    func closed(_ connection: ConnectionID) {
        rows.withLock { _ = $0.open.removeValue(forKey: connection) }
    }

    func began(_ exchange: WebExchange, on connection: ConnectionID) {
        rows.withLock { $0.open[connection]?.exchange = exchange }
    }

    /// No time limit holds while the server itself is at work, nor for a stream.
    func pause(_ connection: ConnectionID) {
        rows.withLock { $0.open[connection]?.deadline = nil }
    }

    func sending(_ connection: ConnectionID) {
        let deadline = Clock.monotonicMicroseconds() + limits.answerMicroseconds
        rows.withLock { $0.open[connection]?.deadline = deadline }
    }

    func ended(_ connection: ConnectionID) {
        let deadline = Clock.monotonicMicroseconds() + limits.requestMicroseconds
        rows.withLock { rows in
            rows.open[connection]?.deadline = deadline
            rows.open[connection]?.exchange = nil
        }
    }

    /// Shuts the connections whose time is over.
    func shutLate() {
        let now = Clock.monotonicMicroseconds()
        rows.withLock { rows in
            for (connection, row) in rows.open where row.deadline.map({ $0 <= now }) ?? false {
                unsafe daybook_mhd_shut(connection.pointer)
            }
        }
    }
}
