import DaybookEncoding

/// An HTTP answer, and how it is brought to the client.
struct HTTPReply {
    var status: Int
    var headers: [(name: String, value: String)] = []
    var body: Bytes
    var delivery = Delivery.whole

    /// The fate of the answer on its way.
    enum Delivery {
        /// All of it, at once.
        case whole
        /// All of it, and the connection is closed without having said so.
        case wholeThenClosed
        /// Half of the body, and the connection is closed.
        case half
        /// Nothing; the connection is closed.
        case none
        /// Nothing; the connection stays open until the client gives up.
        case silence
        /// A body of this many bytes, or an endless one.
        case long(bytes: Int?)
        /// One byte at a time, with so many milliseconds between them.
        case slow(milliseconds: UInt32)
    }

    /// JSON, as both kinds of node send it.
    static func json(_ status: Int, _ text: String) -> HTTPReply {
        HTTPReply(
            status: status, headers: [("Content-Type", "application/json")],
            body: Bytes(text.utf8))
    }

    /// The answer of Dash and Axe where they have no JSON.
    static func plain(
        _ status: Int, _ text: String = "", headers: [(name: String, value: String)] = []
    ) -> HTTPReply {
        HTTPReply(
            status: status, headers: headers + [("Content-Type", "text/html; charset=ISO-8859-1")],
            body: Bytes(text.utf8))
    }

    /// The status line and headers with the empty line; a body of no known length has no length.
    func head(length: Int?) -> Bytes {
        var text = "HTTP/1.1 \(status) \(Self.reason(status))\r\n"
        for header in headers { text += "\(header.name): \(header.value)\r\n" }
        if let length {
            text += "Content-Length: \(length)\r\n"
        } else {
            text += "Connection: close\r\n"
        }
        return Bytes((text + "\r\n").utf8)
    }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 302: "Found"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 500: "Internal Server Error"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        default: "Status"
        }
    }
}
