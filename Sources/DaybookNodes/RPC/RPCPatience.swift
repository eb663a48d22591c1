/// How long a question waits for its node.
///
/// A node that is starting or has too much to do is asked again after a pause. Nothing else is
/// tried again: such a node has not begun with the call, so that asking once more is harmless. All
/// calls that one question takes have a time together.
package struct RPCPatience: Sendable {
    /// The pauses before each further attempt.
    let pauses: [Duration]
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
