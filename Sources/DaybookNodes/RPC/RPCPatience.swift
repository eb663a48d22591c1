/// How long a question waits for its node.
///
/// A node that is starting or has too much to do is asked again after a pause. Nothing else is
/// tried again: such a node has not begun with the call, so that asking once more is harmless. A
/// server that says when it wants to be asked again is asked then. All calls that one question
/// takes have a time together.
package struct RPCPatience: Sendable {
    /// The pauses before each further attempt; with none nothing is asked again.
    let pauses: [Duration]
    /// So often in a row a server may say when it wants to be asked again.
    static let mostDelays = 20
    /// A server that wants to be left alone for longer is not waited for.
    static let longestDelay: Duration = .seconds(60)
    /// After this time a question makes no further call.
    let question: Duration
    let sleep: @Sendable (Duration) async throws -> Void
    let now: @Sendable () -> ContinuousClock.Instant

    /// Waits these pauses by `sleep`, which throws when the caller has given up.
    package init(
        pauses: [Duration], question: Duration = .seconds(600),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.pauses = pauses
        self.question = question
        self.now = now
        self.sleep = sleep
    }

    /// Two further attempts within two and a half seconds, and ten minutes for a question.
    package static let ordinary = RPCPatience(
        pauses: [.milliseconds(500), .seconds(2)], sleep: { try await Task.sleep(for: $0) })
}
