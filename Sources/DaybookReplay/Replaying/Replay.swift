import DaybookDomain
package import DaybookEncoding

/// The result of replaying a log, or a part of it.
///
/// Several cores can share a log: each applies the events before its part, which costs a quarter of
/// deciding them again, and then decides its part. Together they check every event.
package struct Replay: Equatable, Sendable {
    package let inputs: Int
    package let outcomes: Int
    /// The divergences, in the order of the log.
    package let divergences: [Divergence]
    /// The digest of the log's state; empty for a part without the log's end.
    package let digest: Bytes

    /// The result of a replayer that has finished.
    package init(_ replayer: Replayer) {
        inputs = replayer.inputs
        outcomes = replayer.outcomes
        divergences = replayer.divergences
        digest = replayer.hasEnd ? StateDigest.of(replayer.state) : []
    }

    /// The result of consecutive parts, of which the last has the log's end.
    package init(_ parts: [Replay]) {
        inputs = parts.map(\.inputs).reduce(0, +)
        outcomes = parts.map(\.outcomes).reduce(0, +)
        divergences = parts.flatMap(\.divergences)
        digest = parts.last?.digest ?? []
    }

    /// Divides a log into parts that take about the same time.
    ///
    /// Since a part also applies the events before it, at a quarter of the cost, it gets three
    /// quarters as many events as the part before. The last part is open-ended.
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

    /// A log of fewer events is not divided.
    private static let fewest: UInt64 = 4096
    /// With more parts, each core would spend most of its time on the events before its part.
    private static let most = 4
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
