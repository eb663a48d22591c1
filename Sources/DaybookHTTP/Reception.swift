/// What has come of an answer, counted against the limits as it comes.
struct Reception {
    let call: Call
    let answerBytes: Int
    private(set) var body: [UInt8] = []
    private(set) var headerBytes = 0
    /// The limit that was found too small.
    private(set) var exceeded: Int?

    init(_ call: Call, answerBytes: Int) {
        self.call = call
        self.answerBytes = answerBytes
    }

    /// Whether the server has said anything.
    var hasBegun: Bool { headerBytes > 0 || !body.isEmpty }

    /// Counts a header; false when it is one too many. libcurl keeps those that matter.
    mutating func takeHeader(count: Int) -> Bool {
        headerBytes += count
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
