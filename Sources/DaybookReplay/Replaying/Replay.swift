import DaybookDomain
package import DaybookEncoding

/// The result of replaying a log.
package struct Replay: Equatable, Sendable {
    package let inputs: Int
    package let outcomes: Int
    /// The divergences, in the order of the log.
    package let divergences: [Divergence]
    /// The digest of the state after the last event.
    package let digest: Bytes

    /// The result of a replayer that has finished.
    package init(_ replayer: Replayer) {
        inputs = replayer.inputs
        outcomes = replayer.outcomes
        divergences = replayer.divergences
        digest = StateDigest.of(replayer.state)
    }
}

/// Why a log can't be replayed at all.
package enum ReplayError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A newer engine decided the session, by rules that this program does not have.
    case engineTooNew(position: Position, engine: UInt64)

    package var description: String {
        switch self {
        case .engineTooNew(let position, let engine):
            "the session at \(position) was decided by engine \(engine), "
                + "this program knows up to \(Engine.current)"
        }
    }
}
