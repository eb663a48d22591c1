/// How long a call may take, and how much a server may answer.
package struct HTTPLimits: Equatable, Sendable {
    /// How long the connection may take to come about, names and TLS included.
    package let connectMilliseconds: Int
    /// How long a call may take once those before it are done.
    package let totalMilliseconds: Int
    /// How long the body of an answer may be.
    package let answerBytes: Int

    /// How long all headers of an answer together may be.
    static let headerBytes = 64 << 10

    /// Limits for a server that answers at its own pace: 5 s, 30 s and 32 MiB.
    package static let standard = HTTPLimits()

    /// Limits, each above zero.
    package init(
        connectMilliseconds: Int = 5_000, totalMilliseconds: Int = 30_000,
        answerBytes: Int = 32 << 20
    ) {
        // libcurl takes a zero for no limit at all.
        precondition(
            connectMilliseconds > 0 && totalMilliseconds > 0 && answerBytes > 0,
            "a limit is above zero")
        self.connectMilliseconds = connectMilliseconds
        self.totalMilliseconds = totalMilliseconds
        self.answerBytes = answerBytes
    }
}
