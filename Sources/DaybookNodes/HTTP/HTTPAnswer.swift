/// What a server answered, whatever its status.
package struct HTTPAnswer: Equatable, Sendable {
    /// The status code, such as 200.
    package let status: Int
    /// The `Content-Type` as the server wrote it.
    package let contentType: String?
    /// The body, whole.
    package let body: [UInt8]
    /// After how many seconds the server wants to be asked again, from `Retry-After`.
    package let retryAfterSeconds: Int?

    /// An answer of its parts.
    package init(
        status: Int, contentType: String?, body: [UInt8], retryAfterSeconds: Int? = nil
    ) {
        self.status = status
        self.contentType = contentType
        self.body = body
        self.retryAfterSeconds = retryAfterSeconds
    }
}
