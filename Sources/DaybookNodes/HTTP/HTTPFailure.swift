/// Why there is no answer of a server; no case carries anything that the server wrote.
package enum HTTPFailure: Error, Equatable, Sendable {
    /// The address is no `http:` or `https:` address that can be asked.
    case invalidAddress
    /// User or password can't be sent: a control character in either, a colon in the user.
    case invalidCredentials
    /// The file in which the server writes user and password is missing, or holds none.
    case noCookie
    /// No server has this name.
    case unknownHost
    /// Nothing listens there, or no way leads there.
    case connectionRefused
    /// The server did not answer in time.
    case timedOut
    /// The server closed the connection before it had answered in full.
    case cutShort
    /// The answer is longer than this many bytes.
    case tooLong(limit: Int)
    /// The server's certificate is not to be trusted.
    case certificate(CertificateFault)
    /// The file of certificates to trust can't be read, or there is none in it.
    case certificateFile
    /// No TLS came about: the server speaks something else, or too old a TLS, or hung up.
    case noTLS
    /// What the server sent is no HTTP.
    case notHTTP
    /// The caller gave up; the server may have done what it was asked.
    case cancelled
    /// Anything else, with the library's number.
    case other(Int)
}
