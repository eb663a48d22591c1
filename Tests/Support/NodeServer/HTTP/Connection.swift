import DaybookEncoding
import Glibc

/// One client's connection, served by a thread of its own.
struct Connection {
    /// The connection's number at the server, counted from 1.
    let number: Int
    let descriptor: Int32
    private var buffer = Bytes()

    init(number: Int, descriptor: Int32) {
        self.number = number
        self.descriptor = descriptor
    }

    /// Answers requests one after the other until either side has enough.
    mutating func serve(_ answer: (HTTPRequest, Int) -> HTTPReply) {
        while let request = readRequest() {
            guard deliver(answer(request, number)) else { return }
        }
    }

    private mutating func readRequest() -> HTTPRequest? {
        while true {
            if let end = Self.end(of: buffer) {
                let head = String(decoding: buffer[..<end], as: UTF8.self)
                buffer.removeFirst(end + 4)
                guard var request = HTTPRequest(head: head) else { return nil }
                if request.expectsContinue {
                    guard send(Bytes("HTTP/1.1 100 Continue\r\n\r\n".utf8)) else { return nil }
                }
                while buffer.count < request.contentLength {
                    guard receive() else { return nil }
                }
                request.body = Bytes(buffer.prefix(request.contentLength))
                buffer.removeFirst(request.contentLength)
                return request
            }
            guard receive() else { return nil }
        }
    }

    /// Brings an answer to the client; false where the connection is to be closed.
    private mutating func deliver(_ reply: HTTPReply) -> Bool {
        let body = reply.body
        switch reply.delivery {
        case .whole:
            return send(reply.head(length: body.count) + body)
        case .wholeThenClosed:
            _ = send(reply.head(length: body.count) + body)
        case .half:
            _ = send(reply.head(length: body.count) + body.prefix(body.count / 2))
        case .none:
            break
        case .silence:
            while receive() {}
        case .long(let bytes):
            sendLong(reply, bytes: bytes)
        case .slow(let milliseconds):
            var isOpen = send(reply.head(length: body.count))
            for byte in body where isOpen {
                usleep(milliseconds * 1000)
                isOpen = send([byte])
            }
            return isOpen
        }
        return false
    }

    /// A JSON text whose result does not end before the length does.
    private func sendLong(_ reply: HTTPReply, bytes: Int?) {
        guard send(reply.head(length: bytes) + Bytes(#"{"result":""#.utf8)) else { return }
        let chunk = Bytes(repeating: UInt8(ascii: "a"), count: 1 << 16)
        var rest = bytes.map { $0 - 11 }
        while rest != 0 {
            let count = min(rest ?? chunk.count, chunk.count)
            guard send(Bytes(chunk.prefix(count))) else { return }
            rest = rest.map { $0 - count }
        }
    }

    private mutating func receive() -> Bool {
        var chunk = Bytes(repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        guard count > 0 else { return false }
        buffer += chunk.prefix(count)
        return true
    }

    private func send(_ bytes: Bytes) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { pointer in
                // A client that has gone is no reason to end this process.
                Glibc.send(
                    descriptor, pointer.baseAddress, pointer.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Where the headers end.
    private static func end(of bytes: Bytes) -> Int? {
        let mark = Bytes("\r\n\r\n".utf8)
        guard bytes.count >= 4 else { return nil }
        return (0...(bytes.count - 4)).first { bytes[$0..<($0 + 4)].elementsEqual(mark) }
    }
}
