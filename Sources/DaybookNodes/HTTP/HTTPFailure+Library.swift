internal import CCurl

extension HTTPFailure {
    /// The failure behind libcurl's number of it; nil if it is none.
    init?(_ code: CURLcode, answerBytes: Int) {
        switch code {
        case CURLE_OK: return nil
        case CURLE_URL_MALFORMAT: self = .invalidAddress
        case CURLE_COULDNT_RESOLVE_HOST: self = .unknownHost
        case CURLE_COULDNT_CONNECT: self = .connectionRefused
        case CURLE_OPERATION_TIMEDOUT: self = .timedOut
        case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR:
            self = .cutShort
        case CURLE_FILESIZE_EXCEEDED: self = .tooLong(limit: answerBytes)
        // libcurl 7 says so of a header line beyond 100 KiB; 8 has a number for it.
        case CURLE_OUT_OF_MEMORY, CURLcode(100): self = .tooLong(limit: HTTPLimits.headerBytes)
        case CURLE_SSL_CACERT_BADFILE: self = .certificateFile
        case CURLE_SSL_CONNECT_ERROR: self = .noTLS
        // The schemes are ours: what is unsupported then is an answer without a status line.
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
            self = .notHTTP
        case CURLE_ABORTED_BY_CALLBACK: self = .cancelled
        default: self = .other(Int(code.rawValue))
        }
    }
}
