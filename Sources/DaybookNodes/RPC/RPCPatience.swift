/// How long a call waits for a node that is starting or has too much to do, and how it waits.
///
/// Nothing else is tried again: such a node has not begun with the call, so that asking once more
/// is harmless, and it may soon be ready.
package struct RPCPatience: Sendable {
    /// The pauses before each further attempt.
    let pauses: [Duration]
    let sleep: @Sendable (Duration) async throws -> Void

    /// Waits these pauses by `sleep`, which throws when the caller has given up.
    package init(
        pauses: [Duration], sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.pauses = pauses
        self.sleep = sleep
    }

    /// Two further attempts within two and a half seconds.
    package static let ordinary = RPCPatience(
        pauses: [.milliseconds(500), .seconds(2)], sleep: { try await Task.sleep(for: $0) })
}
