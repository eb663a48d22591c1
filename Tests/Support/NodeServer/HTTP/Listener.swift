import Foundation
import Glibc
import Synchronization

/// A port of 127.0.0.1 that answers every connection on a thread of its own.
final class Listener: Sendable {
    typealias Answer = @Sendable (HTTPRequest, Int) -> HTTPReply

    /// Why there is no port.
    struct Failure: Error {
        let errno: Int32
    }

    /// The port, the same again after a stop and a start.
    let port: UInt16
    private let answer: Answer
    private let sockets: Sockets

    init(_ answer: @escaping Answer) throws {
        let (socket, port) = try Self.listen(port: 0)
        self.port = port
        self.answer = answer
        sockets = Sockets(listening: socket)
        accept(on: socket)
    }

    deinit { stop() }

    /// How many connections there have been.
    var connections: Int { sockets.connections }

    /// Refuses new connections and closes those there are.
    func stop() { sockets.stop() }

    /// Listens on the same port again.
    func start() throws {
        let socket = try sockets.start { try Self.listen(port: port).socket }
        if let socket { accept(on: socket) }
    }

    private func accept(on socket: Int32) {
        // The threads hold no reference that would keep a forgotten server alive while they wait.
        Thread.detachNewThread { [answer, sockets] in
            while let (descriptor, number) = sockets.accept(on: socket) {
                Thread.detachNewThread {
                    var connection = Connection(number: number, descriptor: descriptor)
                    connection.serve(answer)
                    sockets.close(descriptor)
                }
            }
        }
    }

    private static func listen(port: UInt16) throws -> (socket: Int32, port: UInt16) {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw Failure(errno: errno) }
        var yes: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(socket, address, length) == 0 && Glibc.listen(socket, 128) == 0
                    && getsockname(socket, address, &length) == 0
            }
        }
        guard bound else {
            let failure = Failure(errno: errno)
            close(socket)
            throw failure
        }
        return (socket, UInt16(bigEndian: address.sin_port))
    }
}

/// The sockets of a listener: none is closed but here, so that no other's that got its number is.
private final class Sockets: Sendable {
    private let state: Mutex<State>

    private struct State: Sendable {
        var listening: Int32?
        var open: Set<Int32> = []
        var connections = 0
    }

    init(listening socket: Int32) {
        state = Mutex(State(listening: socket))
    }

    var connections: Int { state.withLock { $0.connections } }

    /// Ends every connection, and has the threads that wait close what they wait for.
    func stop() {
        state.withLock { state in
            if let socket = state.listening { shutdown(socket, Int32(SHUT_RDWR)) }
            state.listening = nil
            for descriptor in state.open { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    /// Takes the socket that `listen` makes, unless there is one.
    func start(_ listen: () throws -> Int32) throws -> Int32? {
        try state.withLock { state in
            guard state.listening == nil else { return nil }
            state.listening = try listen()
            return state.listening
        }
    }

    /// The next connection and its number; nil after the stop.
    func accept(on socket: Int32) -> (descriptor: Int32, number: Int)? {
        let descriptor = Glibc.accept(socket, nil, nil)
        return state.withLock { state in
            guard descriptor >= 0, state.listening == socket else {
                if descriptor >= 0 { _ = Glibc.close(descriptor) }
                if state.listening == socket { state.listening = nil }
                _ = Glibc.close(socket)
                return nil
            }
            state.open.insert(descriptor)
            state.connections += 1
            return (descriptor, state.connections)
        }
    }

    func close(_ descriptor: Int32) {
        state.withLock { state in
            state.open.remove(descriptor)
            _ = Glibc.close(descriptor)
        }
    }
}
