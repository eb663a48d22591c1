import DaybookEncoding

/// A path of the page's server: its method, and what a caller needs.
enum PageRoute: String, CaseIterable, Sendable {
    case shell = "/"
    case script = "/page.js"
    case style = "/page.css"
    case session = "/session"
    case rpc = "/rpc"
    case changes = "/changes"
    case qrCode = "/qr"

    /// The one method that the path has; nothing is changed by GET.
    var method: String {
        switch self {
        case .session, .rpc: "POST"
        case .shell, .script, .style, .changes, .qrCode: "GET"
        }
    }

    /// Whether only callers with the session's key are answered.
    var needsSession: Bool {
        switch self {
        case .rpc, .changes, .qrCode: true
        case .shell, .script, .style, .session: false
        }
    }

    /// The longest body, in bytes.
    var bodyBytes: Int {
        switch self {
        case .rpc: 1 << 20
        case .session: 1 << 10
        case .shell, .script, .style, .changes, .qrCode: 0
        }
    }
}

/// The rules by which a request is refused before its body is read.
///
/// They keep out pages of other origins, also those that another name was rebound to 127.0.0.1 for.
struct PageRules: Sendable {
    /// Host and port, as the one `Host` header must have them.
    let host: String
    let session: PageSession

    private var origin: String { "http://\(host)" }

    /// The route of a request that may be answered, or its refusal.
    func route(of request: WebRequest) -> Result<PageRoute, Refusal> {
        let hosts = request.values("host")
        guard hosts.count == 1, Text.equal(hosts[0], host) else {
            return .failure(Refusal(403, "foreignHost", "the Host header is not this server's"))
        }
        guard let route = PageRoute(rawValue: request.path),
            Text.equal(route.rawValue, request.path)
        else {
            return .failure(Refusal(404, "unknownPath", "there is nothing at this path"))
        }
        guard Text.equal(request.method, route.method) else {
            return .failure(Refusal(405, "wrongMethod", "this path takes \(route.method)"))
        }
        if let refusal = crossOrigin(request, route) ?? content(request, route) {
            return .failure(refusal)
        }
        if route.needsSession, !session.admits(request) {
            return .failure(
                Refusal(401, "noSession", "open the page by the address that the server printed"))
        }
        return .success(route)
    }

    private func crossOrigin(_ request: WebRequest, _ route: PageRoute) -> Refusal? {
        let origins = request.values("origin")
        let isOwn = origins.count == 1 && Text.equal(origins[0], origin)
        if route.method == "POST" ? !isOwn : !(origins.isEmpty || isOwn) {
            return Refusal(403, "foreignOrigin", "the Origin header is not this server's")
        }
        // A browser says where a request is from, which catches other ports of this host too.
        let sites = request.values("sec-fetch-site")
        let isForeign = sites.contains { !["same-origin", "none"].contains($0) }
        return route.needsSession && isForeign
            ? Refusal(403, "foreignOrigin", "the request is from another site") : nil
    }

    private func content(_ request: WebRequest, _ route: PageRoute) -> Refusal? {
        let lengths = request.values("content-length")
        guard route.bodyBytes > 0 else {
            let hasBody = lengths.contains { $0 != "0" }
                || !request.values("transfer-encoding").isEmpty
            return hasBody ? Refusal(400, "unexpectedBody", "this path takes no body") : nil
        }
        guard request.contentType == "application/json" else {
            return Refusal(415, "wrongType", "the content type must be application/json")
        }
        guard lengths.count == 1, let length = UInt64(lengths[0]),
            request.values("transfer-encoding").isEmpty
        else { return Refusal(411, "lengthMissing", "a body needs its Content-Length") }
        return length > UInt64(route.bodyBytes)
            ? Refusal(413, "tooLong", "the body has more than \(route.bodyBytes) bytes") : nil
    }

    /// A refusal: the status, a stable code and a sentence.
    struct Refusal: Error {
        let answer: WebAnswer

        init(_ status: Int, _ code: String, _ message: String) {
            answer = .refusal(status, code, message)
        }
    }
}
