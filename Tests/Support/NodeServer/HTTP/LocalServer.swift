import DaybookEncoding
import Foundation

/// An HTTP server on 127.0.0.1 whose answers a test gives.
package final class LocalServer: Sendable {
    /// An answer to a request.
    package struct Answer: Sendable {
        let status: Int
        let type: String
        let body: Bytes
        let delivery: HTTPReply.Delivery

        package init(_ status: Int, _ type: String, _ body: Bytes) {
            (self.status, self.type, self.body) = (status, type, body)
            delivery = .whole
        }

        private init(_ delivery: HTTPReply.Delivery) {
            (status, type, body) = (200, "text/plain", Bytes("slow".utf8))
            self.delivery = delivery
        }

        /// No answer, until the client gives up.
        package static let silence = Answer(.silence)
        /// A byte each second.
        package static let slow = Answer(.slow(milliseconds: 1000))
    }

    private let listener: Listener

    /// A server that answers each request by its path and body.
    package init(_ answer: @escaping @Sendable (_ path: String, _ body: Bytes) -> Answer) throws {
        listener = try Listener { request, _ in
            let answer = answer(request.path, request.body)
            return HTTPReply(
                status: answer.status, headers: [("Content-Type", answer.type)], body: answer.body,
                delivery: answer.delivery)
        }
    }

    /// The address, without a path.
    package var url: String { "http://127.0.0.1:\(listener.port)" }
}
