import DaybookEncoding

/// An HTTP request as it came.
struct HTTPRequest {
    var method: String
    var path: String
    var headers: [Header]
    var body: Bytes

    /// A name and value, as they were written.
    struct Header {
        var name: String
        var value: String
    }

    /// The value of a header, whatever the case of its name.
    func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// The request line and headers, without the empty line at their end; nil if they are none.
    init?(head: String) {
        var lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)[...]
        guard let parts = lines.popFirst()?.split(separator: " "), parts.count == 3 else {
            return nil
        }
        method = String(parts[0])
        path = String(parts[1])
        headers = lines.compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            return Header(name: String(line[..<colon]), value: String(value))
        }
        body = []
    }

    /// How many bytes of body follow.
    var contentLength: Int { header("Content-Length").flatMap { Int($0) } ?? 0 }

    /// Whether the client waits to be told that its body is wanted.
    var expectsContinue: Bool { header("Expect")?.lowercased() == "100-continue" }
}
