/// What has come of an answer, counted against the limits as it comes.
struct Reception {
    let call: Call
    let answerBytes: Int
    private(set) var body: [UInt8] = []
    private var headerBytes = 0
    /// Whether the empty line has come that ends the headers; libcurl 7 does without it.
    private(set) var hasHead = false
    /// The limit that was found too small.
    private(set) var exceeded: Int?

    init(_ call: Call, answerBytes: Int) {
        self.call = call
        self.answerBytes = answerBytes
    }

    /// Whether the server has said anything.
    var hasBegun: Bool { headerBytes > 0 }

    /// Counts a header's line; false when it is one too many. libcurl keeps those that matter.
    ///
    /// Lines may follow the head: another head after a 1xx, which begins with its status, and
    /// the trailers of a body in chunks.
    mutating func takeHeader(_ line: RawSpan) -> Bool {
        let line = unsafe line.withUnsafeBytes { unsafe Array($0) }
        if line.starts(with: "HTTP/".utf8) { hasHead = false }
        if line == Array("\r\n".utf8) || line == Array("\n".utf8) { hasHead = true }
        headerBytes += line.count
        if headerBytes > HTTPLimits.headerBytes { exceeded = HTTPLimits.headerBytes }
        return exceeded == nil
    }

    /// Appends to the body; false when it becomes too long.
    mutating func takeBody(_ bytes: RawSpan) -> Bool {
        if bytes.byteCount > answerBytes - body.count {
            exceeded = answerBytes
            return false
        }
        unsafe bytes.withUnsafeBytes { unsafe body.append(contentsOf: $0) }
        return true
    }
}
