import Foundation
import Synchronization
import Testing

/// A web server of somebody else at another port of 127.0.0.1, which keeps what browsers send it.
final class OtherSite: Sendable {
    let port: UInt16
    private let descriptor: Int32
    private let heard = Mutex("")

    /// Serves one HTML text at every path, with further headers.
    init(_ html: String, headers: [String] = []) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, $0, &size) == 0
            }
        }
        try #require(isListening, "no free port: \(errno)")
        self.descriptor = descriptor
        port = UInt16(bigEndian: address.sin_port)
        let head = ["HTTP/1.1 200 OK", "Content-Type: text/html", "Connection: close"] + headers
        let answer = Array((head.joined(separator: "\r\n") + "\r\n\r\n" + html).utf8)
        // The thread holds no reference that would keep a forgotten site alive while it waits.
        Thread.detachNewThread { [weak self] in
            while true {
                let client = accept(descriptor, nil, nil)
                guard client >= 0 else { return }
                self?.keep(Self.head(from: client))
                _ = send(client, answer, answer.count, Int32(MSG_NOSIGNAL))
                close(client)
            }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    /// The address of the site, at a host name of this machine.
    func address(at host: String = "127.0.0.1") -> String { "http://\(host):\(port)/" }

    /// The lines and headers of all requests so far.
    var requests: String { heard.withLock { $0 } }

    private func keep(_ head: String) { heard.withLock { $0 += head } }

    private static func head(from client: Int32) -> String {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !text.contains("\r\n\r\n") {
            let count = recv(client, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            text += String(decoding: buffer[..<count], as: UTF8.self)
        }
        return text
    }
}
