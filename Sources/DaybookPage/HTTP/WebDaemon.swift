import CMicroHTTPD
import DaybookSystem
import Synchronization

/// The limits of a `WebDaemon` for its clients.
struct WebLimits: Sendable {
    var connections: UInt32 = 512
    /// The connections that have not brought the page's key: another one shuts the oldest of them.
    ///
    /// The other places are kept for the page's owner, whom a flood of connections can't shut out.
    var strangers = 384
    /// The longest body of a request, in bytes.
    var bodyBytes = 1 << 20
    /// The memory for a request's line and headers, in bytes.
    var headerBytes = 32 << 10
    /// Without any byte for this time a connection is closed.
    var silentSeconds: UInt32 = 30
    /// The time from a connection's begin, or from its last answer, to a whole request.
    var requestMicroseconds: UInt64 = 20_000_000
    /// The time to take an answer.
    var answerMicroseconds: UInt64 = 60_000_000
}

/// An HTTP/1.1 server of libmicrohttpd at one address, with one thread that polls.
///
/// Requests are answered in tasks. Meanwhile their connection is suspended, so that no thread
/// waits: https://www.gnu.org/software/libmicrohttpd/manual/ (MHD_suspend_connection). Safe because
/// the handle is made in `init`, stopped once by `stop`, and outlived by what its callbacks use.
@safe final class WebDaemon: Sendable {
    private nonisolated(unsafe) let handle: OpaquePointer
    private let calls: WebCalls
    private let ticking: Task<Void, Never>
    let port: UInt16

    /// Begins to serve at a host, which is written in numbers; nil if the port can't be bound.
    init?(
        host: String = "127.0.0.1", port: UInt16, limits: WebLimits = WebLimits(),
        handler: any WebHandler
    ) {
        let calls = WebCalls(handler, limits)
        let functions = unsafe daybook_mhd_calls(
            handle: handleRequest, completed: endRequest, connected: noteConnection,
            closure: Unmanaged.passUnretained(calls).toOpaque())
        let daemon = unsafe daybook_mhd_start(
            host, port, limits.connections, limits.silentSeconds, limits.headerBytes, functions)
        guard let daemon = unsafe daemon else { return nil }
        unsafe handle = daemon
        self.calls = calls
        self.port = unsafe daybook_mhd_port(daemon)
        ticking = Task {
            var ticks = 0
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(1))
                calls.connections.shutLate()
                ticks += 1
                if ticks.isMultiple(of: 15) { calls.beat() }
            }
        }
    }

    /// The machines that can connect to a host.
    enum Reach: Int32 {
        case loopback = 1
        case oneAddress = 2
        case allAddresses = 3
    }

    /// The machines that can connect to a host that is written in numbers; nil if it is none.
    static func reach(of host: String) -> Reach? { unsafe Reach(rawValue: daybook_mhd_host(host)) }

    /// Takes no more connections, lets requests in progress end for ten seconds, and stops.
    ///
    /// Must be called exactly once, before the last reference goes.
    func stop() async {
        // A task of its own: the caller's may be cancelled already, and then nothing sleeps.
        await Task { await finish() }.value
    }

    private func finish() async {
        unsafe daybook_mhd_quiesce(handle)
        let streams = calls.connections.exchanges.compactMap(\.stream)
        for stream in streams { stream.end() }
        let end = Clock.monotonicMicroseconds() + 10_000_000
        while calls.connections.requests > 0, Clock.monotonicMicroseconds() < end {
            try? await Task.sleep(for: .milliseconds(10))
        }
        ticking.cancel()
        // A connection that is suspended must not be when the daemon stops.
        for exchange in calls.connections.exchanges {
            exchange.answer(.refusal(503, "stopping", "the server is stopping"))
            exchange.stream?.end()
        }
        unsafe MHD_stop_daemon(handle)
        extendLifetime(calls)
    }
}

/// The values that the daemon's callbacks need; they get them as their closure.
private final class WebCalls: Sendable {
    let handler: any WebHandler
    let limits: WebLimits
    let connections: ConnectionTable

    init(_ handler: any WebHandler, _ limits: WebLimits) {
        self.handler = handler
        self.limits = limits
        connections = ConnectionTable(limits)
    }

    func beat() {
        for exchange in connections.exchanges { exchange.stream?.beat() }
    }

    /// Begins a request whose headers were read.
    func begin(_ request: WebRequest, on connection: ConnectionID) -> WebExchange {
        let exchange = WebExchange(request, on: connection)
        connections.began(exchange, on: connection)
        return exchange
    }

    /// Goes on with a request whose body is complete, or whose answer is there.
    func advance(_ exchange: WebExchange) -> MHD_Result {
        if let answer = exchange.takeAnswer() { return send(answer, exchange.connection) }
        guard exchange.beginAnswer() else { return .NO }
        connections.pause(exchange.connection)
        let handler = handler
        Task {
            exchange.answer(await handler.answer(exchange.request, body: exchange.takeBody()))
        }
        return .YES
    }

    /// Queues an answer; libmicrohttpd sends it, and frees what it is made of.
    func send(_ answer: WebAnswer, _ connection: ConnectionID) -> MHD_Result {
        let response: OpaquePointer?
        switch answer.body {
        case .bytes(let bytes):
            connections.sending(connection)
            unsafe response = bytes.response()
        case .events(let stream):
            connections.pause(connection)
            unsafe response = MHD_create_response_from_callback(
                .max, 4096, readStream, Unmanaged.passRetained(stream).toOpaque(), releaseStream)
        }
        guard let response = unsafe response else { return .NO }
        for header in answer.headers {
            unsafe MHD_add_response_header(response, header.name, header.value)
        }
        let result = unsafe MHD_queue_response(
            connection.pointer, UInt32(answer.status), response)
        unsafe MHD_destroy_response(response)
        return result
    }
}

// MARK: - Callbacks of libmicrohttpd

private func handleRequest(
    closure: UnsafeMutableRawPointer?, connection: OpaquePointer?, url: UnsafePointer<CChar>?,
    method: UnsafePointer<CChar>?, version: UnsafePointer<CChar>?,
    upload: UnsafePointer<CChar>?, uploadCount: UnsafeMutablePointer<Int>?,
    context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let closure = unsafe closure, let connection = unsafe connection,
        let context = unsafe context, let uploadCount = unsafe uploadCount
    else { return .NO }
    let calls = unsafe Unmanaged<WebCalls>.fromOpaque(closure).takeUnretainedValue()
    guard let known = unsafe context.pointee else {
        guard let url = unsafe url, let method = unsafe method else { return .NO }
        let request = unsafe WebRequest(
            method: String(cString: method), path: String(cString: url),
            query: pairs(of: .GET_ARGUMENT_KIND, in: connection),
            headers: pairs(of: .HEADER_KIND, in: connection))
        let id = unsafe ConnectionID(connection)
        let exchange = calls.begin(request, on: id)
        if calls.handler.isOwner(request) { calls.connections.admit(id) }
        unsafe context.pointee = Unmanaged.passRetained(exchange).toOpaque()
        guard let refusal = calls.handler.refusal(request) else { return .YES }
        return calls.send(refusal, id)
    }
    let exchange = unsafe Unmanaged<WebExchange>.fromOpaque(known).takeUnretainedValue()
    guard let upload = unsafe upload, unsafe uploadCount.pointee > 0 else {
        return calls.advance(exchange)
    }
    let count = unsafe uploadCount.pointee
    let isTaken = unsafe exchange.receive(
        UnsafeRawBufferPointer(start: upload, count: count), limit: calls.limits.bodyBytes)
    unsafe daybook_mhd_wipe(upload, count)
    unsafe uploadCount.pointee = 0
    return isTaken ? .YES : .NO
}

private func endRequest(
    closure: UnsafeMutableRawPointer?, connection: OpaquePointer?,
    context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, code: MHD_RequestTerminationCode
) {
    guard let closure = unsafe closure, let connection = unsafe connection,
        let context = unsafe context, let known = unsafe context.pointee
    else { return }
    let calls = unsafe Unmanaged<WebCalls>.fromOpaque(closure).takeUnretainedValue()
    let exchange = unsafe Unmanaged<WebExchange>.fromOpaque(known).takeRetainedValue()
    unsafe context.pointee = nil
    exchange.stream?.detach()
    unsafe calls.connections.ended(ConnectionID(connection))
}

private func noteConnection(
    closure: UnsafeMutableRawPointer?, connection: OpaquePointer?,
    context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    code: MHD_ConnectionNotificationCode
) {
    guard let closure = unsafe closure, let connection = unsafe connection else { return }
    let calls = unsafe Unmanaged<WebCalls>.fromOpaque(closure).takeUnretainedValue()
    let id = unsafe ConnectionID(connection)
    if code == .CONNECTION_NOTIFY_STARTED {
        calls.connections.opened(id)
    } else {
        calls.connections.closed(id)
    }
}

private func readStream(
    closure: UnsafeMutableRawPointer?, position: UInt64, buffer: UnsafeMutablePointer<CChar>?,
    capacity: Int
) -> Int {
    guard let closure = unsafe closure else { return -1 }
    let stream = unsafe Unmanaged<EventStream>.fromOpaque(closure).takeUnretainedValue()
    return unsafe stream.read(
        into: UnsafeMutableRawBufferPointer(start: buffer, count: capacity))
}

private func releaseStream(closure: UnsafeMutableRawPointer?) {
    guard let closure = unsafe closure else { return }
    unsafe Unmanaged<EventStream>.fromOpaque(closure).release()
}

/// The headers or the query's parameters of a request, in order.
private func pairs(
    of kind: MHD_ValueKind, in connection: OpaquePointer
) -> [(name: String, value: String)] {
    var found: [(name: String, value: String)] = []
    unsafe withUnsafeMutablePointer(to: &found) { found in
        _ = unsafe MHD_get_connection_values(
            connection, kind,
            { closure, _, name, value in
                guard let closure = unsafe closure, let name = unsafe name else { return .YES }
                let list = unsafe closure.assumingMemoryBound(
                    to: [(name: String, value: String)].self)
                let text = unsafe value.map { unsafe String(cString: $0) } ?? ""
                unsafe list.pointee.append((String(cString: name), text))
                return .YES
            }, found)
    }
    return found
}
