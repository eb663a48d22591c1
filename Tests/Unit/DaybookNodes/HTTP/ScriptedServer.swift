import Foundation
import Glibc
import Synchronization

/// A server on this computer that does with each connection what its script says, and nothing else.
final class ScriptedServer: Sendable {
    enum Step: Sendable {
        /// Takes one whole request and keeps it.
        case take
        /// Takes some bytes of whatever comes.
        case takeSome
        /// Sends text as it stands.
        case send(String)
        /// Sends so many zeros in chunks, or fewer when the client does not take them.
        case sendChunks(bytes: Int)
        /// Sends a line again and again until the client does not take it.
        case sendForever(String)
        /// Waits until the client closes.
        case hold
        /// Closes with a reset, whatever is still on its way.
        case reset
    }

    /// The requests that the server has seen.
    struct Record: Sendable {
        var connections = 0
        var requests: [String] = []
        var sentBytes = 0
    }

    /// Each request as it is taken.
    let requests: AsyncStream<String>
    let port: UInt16
    private let listener: Int32
    private let conversation: Conversation

    /// Each list of steps is for one connection, in order; after its steps it is closed.
    /// Connections beyond the script are counted and closed.
    init(_ script: [Step]...) {
        let (requests, continuation) = AsyncStream<String>.makeStream()
        self.requests = requests
        conversation = Conversation(script, continuation)
        (listener, port) = Self.listening()
        let (listener, conversation) = (listener, conversation)
        Thread.detachNewThread { conversation.run(listener) }
    }

    deinit {
        // Wakes the thread, which then closes it.
        shutdown(listener, Int32(SHUT_RDWR))
    }

    var url: String { "http://127.0.0.1:\(port)/" }
    var record: Record { conversation.record.withLock { $0 } }

    /// An answer as servers write it, which leaves the connection open.
    static func answer(
        _ body: String = "{}", status: String = "200 OK", headers: [String] = []
    ) -> Step {
        let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + headers
        return .send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
    }

    /// A port on which nothing listens: it is bound, so that no other program gets it.
    static func deafPort() -> UInt16 {
        bound().port
    }

    private static func listening() -> (listener: Int32, port: UInt16) {
        let (descriptor, port) = bound()
        precondition(listen(descriptor, 16) == 0)
        return (descriptor, port)
    }

    private static func bound() -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                precondition(bind(descriptor, pointer, length) == 0)
                precondition(getsockname(descriptor, pointer, &length) == 0)
            }
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }
}

/// The server's side of all connections, one after another.
private final class Conversation: Sendable {
    let record = Mutex(ScriptedServer.Record())
    private let script: [[ScriptedServer.Step]]
    private let continuation: AsyncStream<String>.Continuation

    init(
        _ script: [[ScriptedServer.Step]], _ continuation: AsyncStream<String>.Continuation
    ) {
        self.script = script
        self.continuation = continuation
    }

    func run(_ listener: Int32) {
        while case let descriptor = accept(listener, nil, nil), descriptor >= 0 {
            let number = record.withLock { record in
                record.connections += 1
                return record.connections - 1
            }
            if number < script.count { perform(script[number], on: descriptor) }
            close(descriptor)
        }
        close(listener)
        continuation.finish()
    }

    private func perform(_ steps: [ScriptedServer.Step], on descriptor: Int32) {
        for step in steps {
            switch step {
            case .take:
                guard let request = request(from: descriptor) else { return }
                record.withLock { $0.requests.append(request) }
                continuation.yield(request)
            case .takeSome: _ = received(from: descriptor)
            case .send(let text): _ = send(Array(text.utf8), to: descriptor)
            case .sendChunks(let bytes):
                let size = 1 << 16
                let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 0, count: size)
                    + Array("\r\n".utf8)
                var count = 0
                while count < bytes, send(chunk, to: descriptor) { count += size }
                _ = send(Array("0\r\n\r\n".utf8), to: descriptor)
            case .sendForever(let text):
                while send(Array(text.utf8), to: descriptor) {}
            case .hold: while !received(from: descriptor).isEmpty {}
            case .reset:
                var linger = linger(l_onoff: 1, l_linger: 0)
                setsockopt(
                    descriptor, SOL_SOCKET, SO_LINGER, &linger,
                    socklen_t(MemoryLayout.size(ofValue: linger)))
                return
            }
        }
    }

    /// A whole request: what is before the empty line, and as much as its length says.
    private func request(from descriptor: Int32) -> String? {
        var bytes: [UInt8] = []
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if let end = text.range(of: "\r\n\r\n") {
                let length = text.range(of: "Content-Length: ").flatMap {
                    Int(text[$0.upperBound...].prefix { $0.isNumber })
                }
                let missing = text[..<end.upperBound].utf8.count + (length ?? 0) - bytes.count
                if missing <= 0 { return text }
                guard let rest = received(from: descriptor, count: missing) else { return nil }
                return text + String(decoding: rest, as: UTF8.self)
            }
            let piece = received(from: descriptor)
            if piece.isEmpty { return nil }
            bytes += piece
        }
    }

    private func received(from descriptor: Int32, count: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let piece = received(from: descriptor)
            if piece.isEmpty { return nil }
            bytes += piece
        }
        return bytes
    }

    private func received(from descriptor: Int32) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return Array(buffer.prefix(max(count, 0)))
    }

    /// False when the client has gone.
    private func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return false }
            record.withLock { $0.sentBytes += count }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
