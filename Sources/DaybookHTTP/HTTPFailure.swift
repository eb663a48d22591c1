/// Why there is no answer of a server; no case carries anything that the server wrote.
package enum HTTPFailure: Error, Equatable, Sendable {
    /// The address is no `http:` or `https:` address that can be asked.
    case invalidAddress
    /// No server has this name.
    case unknownHost
    /// Nothing listens there.
    case connectionRefused
    /// The server did not answer in time.
    case timedOut
    /// The server closed the connection before it had answered in full.
    case cutShort
    /// The answer is longer than this many bytes.
    case tooLong(limit: Int)
    /// The server's certificate is not to be trusted: expired, of another host, of no known issuer.
    case certificate
    /// The file of certificates to trust can't be read.
    case certificateFile
    /// What the server sent is no HTTP.
    case notHTTP
    /// The caller gave up.
    case cancelled
    /// Anything else, with the library's number.
    case other(Int)
}
