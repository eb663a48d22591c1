/// What a server answered, whatever its status.
package struct HTTPAnswer: Equatable, Sendable {
    /// The status code, such as 200.
    package let status: Int
    /// The `Content-Type` as the server wrote it.
    package let contentType: String?
    /// The body, whole.
    package let body: [UInt8]

    /// An answer of its parts.
    package init(status: Int, contentType: String?, body: [UInt8]) {
        self.status = status
        self.contentType = contentType
        self.body = body
    }
}
