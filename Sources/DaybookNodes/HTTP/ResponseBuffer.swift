internal import CCurl

/// The received part of a response, checked against the limits.
struct ResponseBuffer {
    let call: HTTPCall
    let answerBytes: Int
    private(set) var body: [UInt8] = []
    private var headerBytes = 0
    /// Whether the empty line after the headers has arrived, which libcurl 7 does not require.
    private(set) var hasHead = false
    /// The limit that was exceeded, in bytes.
    private(set) var exceeded: Int?

    init(_ call: HTTPCall, answerBytes: Int) {
        self.call = call
        self.answerBytes = answerBytes
    }

    /// Whether anything has been received.
    var hasBegun: Bool { headerBytes > 0 }

    /// Counts a header line; false if the limit is exceeded. libcurl keeps the headers themselves.
    ///
    /// Lines can follow the head: another head after a 1xx status, and the trailers of a chunked
    /// body.
    mutating func takeHeader(_ line: RawSpan) -> Bool {
        let line = unsafe line.withUnsafeBytes { unsafe Array($0) }
        if line.starts(with: "HTTP/".utf8) { hasHead = false }
        if line == Array("\r\n".utf8) || line == Array("\n".utf8) { hasHead = true }
        headerBytes += line.count
        if headerBytes > HTTPLimits.headerBytes { exceeded = HTTPLimits.headerBytes }
        return exceeded == nil
    }

    /// Appends to the body; false if it becomes too long.
    mutating func takeBody(_ bytes: RawSpan) -> Bool {
        if bytes.byteCount > answerBytes - body.count {
            exceeded = answerBytes
            return false
        }
        unsafe bytes.withUnsafeBytes { unsafe body.append(contentsOf: $0) }
        return true
    }
}

// libcurl calls these on the thread of `curl_easy_perform`, and only inside it, with the pointer
// to the `ResponseBuffer` that `HTTPConnection` has set.

/// Receives a header line; libcurl aborts if fewer bytes are returned than were given.
let takeHeader: curl_write_callback = { bytes, size, count, context in
    guard let response = unsafe context?.assumingMemoryBound(to: ResponseBuffer.self)
    else { return 0 }
    let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
    return unsafe response.pointee.takeHeader(line.bytes) ? size * count : 0
}

/// Receives a piece of the body.
let takeBody: curl_write_callback = { bytes, size, count, context in
    guard let response = unsafe context?.assumingMemoryBound(to: ResponseBuffer.self)
    else { return 0 }
    let piece = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
    return unsafe response.pointee.takeBody(piece.bytes) ? size * count : 0
}

/// Aborts the transfer of a cancelled call; libcurl calls this at least once a second.
let takeProgress: curl_xferinfo_callback = { context, _, _, _, _ in
    guard let response = unsafe context?.assumingMemoryBound(to: ResponseBuffer.self)
    else { return 1 }
    return unsafe response.pointee.call.hasEnded ? 1 : 0
}

/// A list of request headers for libcurl; it must live as long as the transfer.
///
/// Safe: the list has one owner and is freed by `deinit` only.
@safe struct HeaderList: ~Copyable {
    let first: UnsafeMutablePointer<curl_slist>?

    init(_ lines: [String]) {
        var first: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            precondition(
                line.utf8.allSatisfy { (0x20...0x7E).contains($0) },
                "the callers write headers of one line in ASCII")
            guard let longer = unsafe curl_slist_append(first, line) else {
                preconditionFailure("a list does not grow only when there is no memory left")
            }
            unsafe first = longer
        }
        unsafe self.first = first
    }

    deinit {
        unsafe curl_slist_free_all(first)
    }
}

/// The global state of libcurl.
package enum HTTPLibrary {
    /// The versions of libcurl and of the libraries it was built with.
    package static var version: String {
        guard let text = unsafe curl_version() else { return "" }
        return unsafe String(cString: text)
    }

    /// Initialises the library once per process, from whichever thread comes first.
    static func start() {
        _ = started
    }

    /// Swift computes a static value once, and other threads wait for it.
    private static let started: Void = {
        let code = curl_global_init(daybook_curl_global_default)
        precondition(code == CURLE_OK, "libcurl fails to start only without memory")
    }()
}
