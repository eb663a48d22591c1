import DaybookDomain
package import DaybookEncoding

/// What replaying a log came to.
///
/// To decide an input again the events before it need not have been decided again, only taken in,
/// which costs a quarter. Therefore several cores can share a log: each takes in what is before its
/// part and decides its part, as a `Replayer` does, and together they have looked at every event.
package struct Replay: Equatable, Sendable {
    package let inputs: Int
    package let outcomes: Int
    /// In the order of the log.
    package let divergences: [Divergence]
    /// Over the state that the log adds up to; empty for a part that does not have the log's end.
    package let digest: Bytes

    /// What a replayer came to, which has ended.
    package init(_ replayer: Replayer) {
        inputs = replayer.inputs
        outcomes = replayer.outcomes
        divergences = replayer.divergences
        digest = replayer.hasEnd ? StateDigest.of(replayer.state) : []
    }

    /// What parts of a log came to that follow each other, the last of them with its end.
    package init(_ parts: [Replay]) {
        inputs = parts.map(\.inputs).reduce(0, +)
        outcomes = parts.map(\.outcomes).reduce(0, +)
        divergences = parts.flatMap(\.divergences)
        digest = parts.last?.digest ?? []
    }

    /// Parts of a log that take about as long as each other.
    ///
    /// A part takes what is before it in at a quarter of the cost of deciding, so that it may have
    /// three quarters of the events of the one before it. The last is open: it has the log's end.
    package static func parts(of events: UInt64, cores: Int) -> [Range<UInt64>] {
        let count = events < fewest ? 1 : max(1, min(cores, most))
        var last: UInt64 = 1
        var weights = [last]
        while weights.count < count {
            last *= 3
            weights = weights.map { $0 * 4 } + [last]
        }
        let sum = weights.reduce(0, +)
        var bounds: [UInt64] = [0]
        var weight: UInt64 = 0
        for next in weights.dropLast() {
            weight += next
            bounds.append(events / sum * weight)
        }
        return zip(bounds, bounds.dropFirst() + [.max]).map { $0..<$1 }
    }

    /// A log of fewer events has no parts.
    private static let fewest: UInt64 = 4096
    /// With more parts than this, each core would take in events for most of its time.
    private static let most = 4
}

/// Why a log can't be replayed at all.
package enum ReplayError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The session was decided by rules that this program does not have.
    case engineTooNew(position: Position, engine: UInt64)

    package var description: String {
        switch self {
        case .engineTooNew(let position, let engine):
            "the session at \(position) was decided by engine \(engine), "
                + "this program knows up to \(Engine.current)"
        }
    }
}
