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

    /// The caller that a callback URL of ours goes to: what stands before the first colon names it.
    init(ofCallback url: String) {
        let spelled = url.utf8.prefix { $0 != UInt8(ascii: ":") }
        scheme = String(decoding: spelled.map(Self.lowercased), as: UTF8.self)
        prefix = String(decoding: spelled, as: UTF8.self) + ":"
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
