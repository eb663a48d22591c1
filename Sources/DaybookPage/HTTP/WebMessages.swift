import DaybookEncoding
import DaybookSystem

/// A request's line and headers, as libmicrohttpd read them.
struct WebRequest: Sendable {
    let method: String
    /// The path, without the query.
    let path: String
    /// The query's parameters, decoded.
    let query: [(name: String, value: String)]
    let headers: [(name: String, value: String)]

    /// The values of all headers of a name, which is in lower case.
    func values(_ name: String) -> [String] {
        headers.filter { Text.equal($0.name.lowercased(), name) }.map(\.value)
    }

    /// The value of a header that may be there once; nil if it is missing or repeated.
    func value(_ name: String) -> String? {
        let values = values(name)
        return values.count == 1 ? values[0] : nil
    }

    /// The query's parameter of a name; nil if it is missing or repeated.
    func parameter(_ name: String) -> String? {
        let found = query.filter { Text.equal($0.name, name) }
        return found.count == 1 ? found[0].value : nil
    }

    /// The media type of the body, without its parameters.
    var contentType: String? {
        let type = value("content-type")?.split(separator: ";").first
        return type.map { Self.trimmed($0).lowercased() }
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}

/// A response: its status, its headers, and its bytes or a stream of events.
struct WebAnswer: Sendable {
    let status: Int
    var headers: [(name: String, value: String)]
    let body: Body

    /// The body after the headers.
    enum Body: Sendable {
        /// Bytes, which are wiped when they are sent.
        case bytes(AnswerBytes)
        case events(EventStream)
    }

    init(_ status: Int, _ type: String, _ body: WipedBytes) {
        self.status = status
        headers = [("Content-Type", type)]
        self.body = .bytes(AnswerBytes(body))
    }

    /// An answer whose text holds no secret.
    init(_ status: Int, _ type: String, _ text: String) {
        self.init(status, type, WipedBytes(copying: Array(text.utf8)))
    }

    init(events: EventStream) {
        status = 200
        headers = [("Content-Type", "text/event-stream")]
        body = .events(events)
    }

    /// An answer without a body.
    static func empty(_ status: Int) -> WebAnswer {
        var answer = WebAnswer(status, "text/plain", "")
        answer.headers = []
        return answer
    }

    /// A refusal in a stable code and a sentence.
    static func refusal(_ status: Int, _ code: String, _ message: String) -> WebAnswer {
        let error = JSON.record([
            "error": .record(["code": .string(code), "message": .string(message)])
        ])
        return WebAnswer(status, "application/json", error.text())
    }
}

/// The handler of a `WebDaemon`'s requests.
protocol WebHandler: Sendable {
    /// Whether the client has the key, so that it keeps its connection while others come.
    func isOwner(_ request: WebRequest) -> Bool

    /// A refusal by the headers alone, before the body is read; nil to go on.
    func refusal(_ request: WebRequest) -> WebAnswer?

    /// The answer to a whole request.
    func answer(_ request: WebRequest, body: WipedBytes) async -> WebAnswer
}
