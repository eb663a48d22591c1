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
    private let state: Mutex<State>

    private struct State: Sendable {
        var socket: Int32?
        var open: Set<Int32> = []
        var connections = 0
    }

    init(_ answer: @escaping Answer) throws {
        let (socket, port) = try Self.listen(port: 0)
        self.port = port
        self.answer = answer
        state = Mutex(State(socket: socket))
        accept(on: socket)
    }

    deinit { stop() }

    /// How many connections there have been.
    var connections: Int { state.withLock { $0.connections } }

    /// Refuses new connections and closes those there are.
    func stop() {
        state.withLock { state in
            if let socket = state.socket { shutdown(socket, Int32(SHUT_RDWR)) }
            state.socket = nil
            for descriptor in state.open { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    /// Listens on the same port again.
    func start() throws {
        let socket: Int32? = try state.withLock { state in
            guard state.socket == nil else { return nil }
            state.socket = try Self.listen(port: port).socket
            return state.socket
        }
        if let socket { accept(on: socket) }
    }

    private func accept(on socket: Int32) {
        // The threads hold no reference that would keep a forgotten server alive while they wait.
        Thread.detachNewThread { [weak self] in
            while true {
                let descriptor = Glibc.accept(socket, nil, nil)
                guard descriptor >= 0, let self, let number = self.opened(descriptor) else {
                    if descriptor >= 0 { close(descriptor) }
                    close(socket)
                    return
                }
                let answer = self.answer
                Thread.detachNewThread { [weak self] in
                    var connection = Connection(number: number, descriptor: descriptor)
                    connection.serve(answer)
                    if let self {
                        self.closed(descriptor)
                    } else {
                        close(descriptor)
                    }
                }
            }
        }
    }

    /// The number of a new connection; nil after the stop.
    private func opened(_ descriptor: Int32) -> Int? {
        state.withLock { state in
            guard state.socket != nil else { return nil }
            state.open.insert(descriptor)
            state.connections += 1
            return state.connections
        }
    }

    private func closed(_ descriptor: Int32) {
        state.withLock { state in
            state.open.remove(descriptor)
            _ = close(descriptor)
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
