internal import CCurl

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

// libcurl calls these on the thread of `curl_easy_perform`, and only inside it, with the pointer
// to the `Reception` that `Connection` lends for that time.

/// Takes a header's line; libcurl gives up when fewer bytes are taken than were given.
let takeHeader: curl_write_callback = { bytes, size, count, context in
    guard let reception = unsafe context?.assumingMemoryBound(to: Reception.self) else { return 0 }
    let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
    return unsafe reception.pointee.takeHeader(line.bytes) ? size * count : 0
}

/// Takes a piece of the body.
let takeBody: curl_write_callback = { bytes, size, count, context in
    guard let reception = unsafe context?.assumingMemoryBound(to: Reception.self) else { return 0 }
    let piece = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
    return unsafe reception.pointee.takeBody(piece.bytes) ? size * count : 0
}

/// Stops the transfer when nobody waits for it; libcurl asks once a second, and more when busy.
let takeProgress: curl_xferinfo_callback = { context, _, _, _, _ in
    guard let reception = unsafe context?.assumingMemoryBound(to: Reception.self) else { return 1 }
    return unsafe reception.pointee.call.hasEnded ? 1 : 0
}

/// A list of headers as libcurl takes them; it must live as long as the transfer.
///
/// Safe: the list has one owner and is freed by `deinit` alone.
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

/// libcurl as a whole.
package enum HTTPLibrary {
    /// libcurl's version and that of what it was built with, as it says itself.
    package static var version: String {
        guard let text = unsafe curl_version() else { return "" }
        return unsafe String(cString: text)
    }

    /// Makes the library ready, once per process, whichever threads ask first.
    static func start() {
        _ = started
    }

    /// Swift runs a static's initial value once and lets other threads wait for it.
    private static let started: Void = {
        let code = curl_global_init(daybook_curl_global_default)
        precondition(code == CURLE_OK, "libcurl fails to start only without memory")
    }()
}
