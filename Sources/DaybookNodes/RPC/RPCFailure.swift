/// Why a call has no result.
package enum RPCFailure: Error, Equatable, Sendable {
    /// The node says no; its text is escaped and cut, so that it may be shown and recorded.
    case node(code: Int64, message: String)
    /// There is no answer, or none that can be used.
    case unusable(ChainFailure)
}

extension RPCFailure {
    /// The failure for callers to whom it is all the same who says no.
    package var chainFailure: ChainFailure {
        switch self {
        case .unusable(let failure): failure
        case .node(let code, let message):
            ChainFailure(.refused, "the node says \(code): \(message)")
        }
    }
}

extension ChainFailure {
    init(_ failure: HTTPFailure) {
        switch failure {
        case .invalidAddress: self.init(.unreachable, "the address can't be asked")
        case .invalidCredentials:
            self.init(.wrongPassword, "user or password hold a character that can't be sent")
        case .noCookie:
            self.init(
                .unreachable,
                "the node's cookie file is missing or holds no user and password: a node writes it"
                    + " when it starts and removes it when it stops")
        case .unknownHost: self.init(.unreachable, "no server has this name")
        case .connectionRefused: self.init(.unreachable, "nothing listens at the address")
        case .timedOut: self.init(.noAnswer, "the server did not answer in time")
        case .cutShort:
            self.init(.noAnswer, "the server closed the connection before it had answered")
        case .tooLong(let limit):
            self.init(.tooLong, "the answer is longer than \(limit) bytes")
        case .certificate(let fault):
            self.init(
                .certificate, "the server's certificate can't be trusted: \(fault.rawValue)")
        case .certificateFile:
            self.init(.certificate, "the file of certificates to trust can't be read")
        case .noTLS:
            self.init(.unreachable, "the server speaks no TLS, or none since version 1.2")
        case .notHTTP: self.init(.invalidAnswer, "what the server sent is no HTTP")
        case .cancelled: self.init(.noAnswer, "the call was given up")
        case .other(let number):
            self.init(.unreachable, "the connection failed (curl's number \(number))")
        }
    }
}
