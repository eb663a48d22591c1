internal import CCurl

/// A libcurl handle with the connection that it keeps alive.
///
/// Safe: the handle is created by `init`, freed by `deinit` and never leaves this value. The body,
/// headers and `ResponseBuffer` that libcurl borrows for a transfer live until `curl_easy_perform`
/// has returned, and are set again before the next one.
/// https://curl.se/libcurl/c/threadsafe.html: a handle is used by one thread at a time.
@safe struct HTTPConnection: ~Copyable {
    private let handle: UnsafeMutableRawPointer
    private let limits: HTTPLimits
    private let isProxied: Bool

    /// A connection that is made by the first call.
    init(_ target: HTTPTarget, _ limits: HTTPLimits) throws(HTTPFailure) {
        HTTPLibrary.start()
        guard let handle = unsafe curl_easy_init() else {
            preconditionFailure("a handle is not made only when there is no memory left")
        }
        unsafe self.handle = handle
        self.limits = limits
        isProxied = target.proxy != nil
        if !HTTPAddress.isValid(target.url) { throw .invalidAddress }
        try setRules()
        try setTrust(target.certificates)
        try setCredentials(target)
        try setProxy(target.proxy)
        try set(CURLOPT_URL, target.url)
    }

    deinit {
        unsafe curl_easy_cleanup(handle)
    }

    /// Sends a call's request and returns the response; blocks the thread.
    ///
    /// A server may close a kept connection while a request is on its way. libcurl then sends the
    /// request again on a new connection, but not if it was still sending; that case is handled
    /// here.
    func perform(_ call: HTTPCall) throws(HTTPFailure) -> HTTPResponse {
        try set(CURLOPT_FRESH_CONNECT, 0)
        let first = try attempt(call, milliseconds: limits.totalMilliseconds)
        let wasKept = try long(CURLINFO_NUM_CONNECTS) == 0
        let wasClosed = [CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING]
        guard wasClosed.contains(first.code), wasKept, !first.response.hasBegun else {
            return try answer(first)
        }
        let left = try limits.totalMilliseconds - size(CURLINFO_TOTAL_TIME_T) / 1_000
        if left <= 0 { throw .timedOut }
        try set(CURLOPT_FRESH_CONNECT, 1)
        return try answer(attempt(call, milliseconds: left))
    }
}

/// The outcome of one transfer.
private struct Transfer {
    let code: CURLcode
    let response: ResponseBuffer
}

extension HTTPConnection {
    private func attempt(_ call: HTTPCall, milliseconds: Int) throws(HTTPFailure) -> Transfer {
        var response = ResponseBuffer(call, answerBytes: limits.answerBytes)
        let headers = HeaderList(["Content-Type: \(call.contentType)", "Expect:"])
        try set(CURLOPT_TIMEOUT_MS, milliseconds)
        try check(unsafe daybook_curl_set_pointer(handle, CURLOPT_HTTPHEADER, headers.first))
        try setSize(CURLOPT_POSTFIELDSIZE_LARGE, call.body.count)
        // Without a pointer libcurl would read the body from standard input.
        let body = call.body.isEmpty ? [0] : call.body
        let code = unsafe body.withUnsafeBytes { body in
            unsafe withUnsafeMutablePointer(to: &response) { response in
                unsafe transfer(body, to: response)
            }
        }
        extendLifetime(headers)
        return Transfer(code: code, response: response)
    }

    private func transfer(
        _ body: UnsafeRawBufferPointer, to response: UnsafeMutablePointer<ResponseBuffer>
    ) -> CURLcode {
        let lent: [(CURLoption, UnsafeRawPointer?)] = unsafe [
            (CURLOPT_POSTFIELDS, body.baseAddress),
            (CURLOPT_HEADERDATA, UnsafeRawPointer(response)),
            (CURLOPT_WRITEDATA, UnsafeRawPointer(response)),
            (CURLOPT_XFERINFODATA, UnsafeRawPointer(response)),
        ]
        for unsafe (option, pointer) in unsafe lent {
            let code = unsafe daybook_curl_set_pointer(handle, option, pointer)
            if code != CURLE_OK { return code }
        }
        return unsafe curl_easy_perform(handle)
    }

    private func answer(_ attempt: Transfer) throws(HTTPFailure) -> HTTPResponse {
        if let limit = attempt.response.exceeded { throw .tooLong(limit: limit) }
        if attempt.code == CURLE_PEER_FAILED_VERIFICATION {
            throw .certificate(CertificateFault(verifyResult: try long(CURLINFO_SSL_VERIFYRESULT)))
        }
        if isProxied, let fault = try proxyFault(attempt.code) { throw .proxy(fault) }
        if let failure = HTTPFailure(attempt.code, answerBytes: limits.answerBytes) {
            throw failure
        }
        if !attempt.response.hasHead { throw .cutShort }
        return HTTPResponse(
            status: try long(CURLINFO_RESPONSE_CODE), contentType: try text(CURLINFO_CONTENT_TYPE),
            body: attempt.response.body, retryAfterSeconds: try retryAfter())
    }

    /// The fault between this computer and the server, if it is the proxy's or the proxy names it.
    private func proxyFault(_ code: CURLcode) throws(HTTPFailure) -> ProxyFault? {
        switch code {
        case CURLE_COULDNT_RESOLVE_PROXY: .unknownHost
        // Only the proxy is connected to.
        case CURLE_COULDNT_CONNECT: .unreachable
        // Nothing has been sent yet.
        case CURLE_OPERATION_TIMEDOUT where try size(CURLINFO_PRETRANSFER_TIME_T) == 0: .noAnswer
        case CURLE_PROXY: ProxyFault(proxyError: try long(CURLINFO_PROXY_ERROR))
        default: nil
        }
    }

    /// `Retry-After` in seconds; libcurl converts a date.
    private func retryAfter() throws(HTTPFailure) -> Int? {
        let seconds = try size(CURLINFO_RETRY_AFTER)
        return seconds > 0 ? seconds : nil
    }
}

extension HTTPConnection {
    private func setRules() throws(HTTPFailure) {
        // Signals belong to the process, not to a thread.
        try set(CURLOPT_NOSIGNAL, 1)
        try set(CURLOPT_PROTOCOLS_STR, "http,https")
        try set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        try set(CURLOPT_HTTP09_ALLOWED, 0)
        try set(CURLOPT_POST, 1)
        try set(CURLOPT_USERAGENT, "daybook")
        try set(CURLOPT_FOLLOWLOCATION, 0)
        try set(CURLOPT_NETRC, 0)
        try set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        // The path is sent unchanged, including dot segments.
        try set(CURLOPT_PATH_AS_IS, 1)
        try set(CURLOPT_HTTP_CONTENT_DECODING, 0)
        try set(CURLOPT_MAXCONNECTS, 1)
        try set(CURLOPT_CONNECTTIMEOUT_MS, limits.connectMilliseconds)
        // A silent name server must not delay a call beyond its limits.
        try set(CURLOPT_QUICK_EXIT, 1)
        try setSize(CURLOPT_MAXFILESIZE_LARGE, limits.answerBytes)
        try set(CURLOPT_NOPROGRESS, 0)
        try check(unsafe daybook_curl_set_taker(handle, CURLOPT_HEADERFUNCTION, takeHeader))
        try check(unsafe daybook_curl_set_taker(handle, CURLOPT_WRITEFUNCTION, takeBody))
        try check(unsafe daybook_curl_set_progress(handle, takeProgress))
    }

    private func setTrust(_ certificates: String?) throws(HTTPFailure) {
        try set(CURLOPT_SSL_VERIFYPEER, 1)
        try set(CURLOPT_SSL_VERIFYHOST, 2)
        try set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        guard let certificates else { return }
        if certificates.utf8.contains(0) { throw .certificateFile }
        try set(CURLOPT_CAINFO, certificates)
        // Otherwise the system's folder of certificates would be trusted too.
        try check(unsafe daybook_curl_set_text(handle, CURLOPT_CAPATH, nil))
    }

    /// RFC 7617, section 2: no control characters, and the first colon ends the user.
    private func setCredentials(_ target: HTTPTarget) throws(HTTPFailure) {
        if target.user == nil && target.password == nil { return }
        let user = Array((target.user ?? "").utf8)
        let password = target.password ?? []
        let isControl = { (byte: UInt8) in byte < 0x20 || byte == 0x7F }
        if user.contains(UInt8(ascii: ":")) || user.contains(where: isControl)
            || password.contains(where: isControl)
        {
            throw .invalidCredentials
        }
        try set(CURLOPT_HTTPAUTH, daybook_curl_auth_basic)
        try set(CURLOPT_UNRESTRICTED_AUTH, 0)
        try setSecret(CURLOPT_USERNAME, user)
        try setSecret(CURLOPT_PASSWORD, password)
    }

    /// Connects through a proxy, or directly: the environment's proxies are never used.
    ///
    /// The proxy resolves the server's name, so that nobody else is asked for it.
    private func setProxy(_ proxy: HTTPProxy?) throws(HTTPFailure) {
        guard let proxy else {
            try set(CURLOPT_PROXY, "")
            try set(CURLOPT_NOPROXY, "*")
            return
        }
        try set(CURLOPT_PROXY, "socks5h://" + proxy.address)
        // No server is connected to without the proxy.
        try set(CURLOPT_NOPROXY, "")
        try set(CURLOPT_SOCKS5_AUTH, daybook_curl_auth_basic)
        guard let user = proxy.user else { return }
        try setSecret(CURLOPT_PROXYUSERNAME, Array(user.utf8))
        try setSecret(CURLOPT_PROXYPASSWORD, proxy.password ?? [])
    }

    /// libcurl makes its own copy; ours, with the terminating zero, is wiped.
    private func setSecret(_ option: CURLoption, _ bytes: [UInt8]) throws(HTTPFailure) {
        let code = unsafe withUnsafeTemporaryAllocation(
            of: CChar.self, capacity: bytes.count + 1
        ) { buffer in
            for (index, byte) in bytes.enumerated() {
                unsafe buffer[index] = CChar(bitPattern: byte)
            }
            unsafe buffer[bytes.count] = 0
            defer { unsafe daybook_wipe(buffer.baseAddress, buffer.count) }
            return unsafe daybook_curl_set_text(handle, option, buffer.baseAddress)
        }
        try check(code)
    }

    private func set(_ option: CURLoption, _ value: Int) throws(HTTPFailure) {
        try check(unsafe daybook_curl_set_long(handle, option, value))
    }

    private func setSize(_ option: CURLoption, _ value: Int) throws(HTTPFailure) {
        try check(unsafe daybook_curl_set_size(handle, option, value))
    }

    private func set(_ option: CURLoption, _ value: String) throws(HTTPFailure) {
        try check(unsafe daybook_curl_set_text(handle, option, value))
    }

    private func long(_ info: CURLINFO) throws(HTTPFailure) -> Int {
        var value = 0
        try check(unsafe daybook_curl_get_long(handle, info, &value))
        return value
    }

    private func size(_ info: CURLINFO) throws(HTTPFailure) -> Int {
        var value = 0
        try check(unsafe daybook_curl_get_size(handle, info, &value))
        return value
    }

    private func text(_ info: CURLINFO) throws(HTTPFailure) -> String? {
        var value: UnsafePointer<CChar>?
        try check(unsafe daybook_curl_get_text(handle, info, &value))
        guard let text = unsafe value else { return nil }
        return unsafe String(cString: text)
    }

    private func check(_ code: CURLcode) throws(HTTPFailure) {
        if code != CURLE_OK { throw .other(Int(code.rawValue)) }
    }
}
