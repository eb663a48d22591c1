/// Who asked, as they call themselves: self-asserted, never verified.
package struct Caller: Equatable, Sendable {
    /// The URL scheme in lower case: what a person is shown and what bindings are kept under.
    package let scheme: String
    /// What every callback begins with, as the protocol words it (`myapp://`, `my-app:`).
    package let prefix: String

    package init(scheme: String, prefix: String) {
        self.scheme = scheme
        self.prefix = prefix
    }
}
