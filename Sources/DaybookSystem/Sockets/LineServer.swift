internal import CLinux
internal import Glibc

/// Serves many clients that exchange lines over a Unix socket, on one thread (epoll(7)).
///
/// A client that is slow to read or silent costs only its own buffers, which are bounded: above
/// `LineLimits.calls` lines in progress its socket is no longer read. Where there are as many as
/// the limit, the oldest one that has not sent a whole line is closed for a new one. Clients of
/// other users are refused.
package final class LineServer: Sendable {
    /// Makes the handler of a new client.
    package typealias Accept = @Sendable (LineClient) -> any LineHandler

    private struct Clients {
        var open: [Int32: LineClient] = [:]
        /// When a stopping server closes the clients that are left, in microseconds.
        var deadline: UInt64?
    }

    private let socket: ListeningSocket?
    private let pipe: StandardPipe?
    private let limits: LineLimits
    private let accept: Accept
    private let poller: Poller
    private let clients = Monitor(Clients())

    /// A server of a listening socket, of the standard streams, or of both; `run` serves.
    ///
    /// When standard input ends, the server stops.
    package init(
        on socket: ListeningSocket?, pipe: StandardPipe? = nil, limits: LineLimits = LineLimits(),
        accept: @escaping Accept
    ) throws(SystemError) {
        self.socket = socket
        self.pipe = pipe
        self.limits = limits
        self.accept = accept
        poller = try Poller()
        if let socket { try poller.add(socket.descriptor, .reading) }
    }

    /// Serves until `stop`, and returns when all clients are closed.
    package func run() throws(SystemError) {
        defer { end() }
        if let pipe { admit(pipe.descriptor) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
        defer { unsafe buffer.deallocate() }
        while !isDone {
            let isStopping = clients.change { $0.deadline != nil }
            var isCalled = false
            for (descriptor, event) in try poller.wait(milliseconds: isStopping ? 100 : -1) {
                if descriptor == socket?.descriptor {
                    isCalled = true
                } else if let client = clients.change({ $0.open[descriptor] }) {
                    unsafe serve(client, event, buffer)
                }
            }
            // At last, because a new client may get the number of one whose event is in the list.
            if isCalled, let socket { acceptClients(of: socket) }
        }
    }

    /// Accepts no more clients and reads no more lines; what is in progress is still answered.
    ///
    /// After `seconds` the clients that are left are closed.
    package func stop(after seconds: UInt64 = 10) {
        let open = clients.change { clients in
            clients.deadline = Clock.nowMicroseconds() + seconds * 1_000_000
            return Array(clients.open.values)
        }
        for client in open { client.finishReading() }
        poller.wake()
    }

    private var isDone: Bool {
        clients.change { clients in
            guard let deadline = clients.deadline else { return false }
            return clients.open.isEmpty || Clock.nowMicroseconds() > deadline
        }
    }

    private func serve(
        _ client: LineClient, _ event: Poller.Event, _ buffer: UnsafeMutableRawBufferPointer
    ) {
        if event.canWrite { client.writeQueued() }
        if event.canRead { unsafe client.read(buffer) }
        if event.isClosed || client.isDone { close(client) }
    }

    private func acceptClients(of socket: ListeningSocket) {
        while true {
            let descriptor = daybook_accept(socket.descriptor)
            guard descriptor >= 0 else { return }
            let isOurs = daybook_peer_user(descriptor) == Int(geteuid())
            guard isOurs, makeRoom() else {
                _ = Glibc.close(descriptor)
                continue
            }
            admit(descriptor)
        }
    }

    /// Makes room for one more client, if need be by the end of one that has sent nothing yet.
    private func makeRoom() -> Bool {
        let (isStopping, open) = clients.change { ($0.deadline != nil, Array($0.open.values)) }
        if isStopping { return false }
        guard open.count >= limits.clients else { return true }
        let silent = open.filter { $0.isSilent && $0.descriptor != pipe?.descriptor }
        guard let oldest = silent.min(by: { $0.since < $1.since }) else { return false }
        close(oldest)
        return true
    }

    private func admit(_ descriptor: Int32) {
        let client = LineClient(descriptor, limits, poller)
        client.handle(by: accept(client))
        clients.change { $0.open[descriptor] = client }
        do throws(SystemError) {
            try poller.add(descriptor, .reading)
        } catch {
            close(client)
        }
    }

    private func close(_ client: LineClient) {
        clients.change { $0.open[client.descriptor] = nil }
        client.close()
        if client.descriptor == pipe?.descriptor { stop() }
    }

    private func end() {
        let open = clients.change { clients in
            defer { clients.open = [:] }
            return Array(clients.open.values)
        }
        for client in open { client.close() }
        pipe?.waitUntilWritten()
    }
}

/// The limits of a server for each client.
package struct LineLimits: Sendable {
    /// The longest line in bytes; a longer one is skipped and reported.
    package var line = 1 << 20
    /// The number of lines of a client in progress at a time.
    package var calls = 32
    /// The bytes of output that wait for a slow reader before `droppable` lines are refused.
    package var output = 1 << 20
    /// The number of clients.
    package var clients = 2000

    package init() {}
}

/// Handles the lines of one client.
package protocol LineHandler: Sendable {
    /// A line came; the handler calls `client.finished()` when it is done with it.
    func received(_ line: WipedBytes)
    /// A line was longer than the limit, and was skipped.
    func receivedLongLine()
    /// The client is gone; what is sent to it is lost.
    func closed()
}
