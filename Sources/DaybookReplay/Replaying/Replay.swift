import DaybookDomain
package import DaybookEncoding

/// The result of replaying a log.
package struct Replay: Equatable, Sendable {
    package let inputs: Int
    package let outcomes: Int
    /// The divergences, in the order of the log.
    package let divergences: [Divergence]
    /// The sessions that were not judged, because their engines are unknown.
    package let unjudged: UnjudgedSessions
    /// The digest of the state after the last event.
    package let digest: Bytes

    /// The result of a replayer that has finished.
    package init(_ replayer: Replayer) {
        inputs = replayer.inputs
        outcomes = replayer.outcomes
        divergences = replayer.divergences
        unjudged = replayer.unjudged
        digest = StateDigest.of(replayer.state)
    }

    /// Whether everything was judged, and follows from its inputs.
    package var isClean: Bool { divergences.isEmpty && unjudged.isEmpty }
}
