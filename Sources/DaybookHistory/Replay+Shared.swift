package import DaybookDomain
import DaybookEncoding
package import DaybookReplay

extension Replay {
    /// Replays the parts of a log of so many events at the same time, one for each core.
    ///
    /// `replay` reads the log by itself for each part, into a state of its own. Of the errors that
    /// it throws that of the first part is thrown, as a replay of the whole would.
    package static func shared(
        events: UInt64, cores: Int,
        _ replay: @escaping @Sendable (Range<UInt64>, State) throws -> Replay
    ) async throws -> Replay {
        let parts = parts(of: events, cores: cores)
        let run = { @Sendable (part: Range<UInt64>) throws -> Replay in
            try ScratchRows.with(forEvents: min(events, part.upperBound)) { rows in
                try replay(part, State(in: rows))
            }
        }
        if parts.count == 1 { return try run(parts[0]) }
        return try await withThrowingTaskGroup(of: (Int, Result<Replay, any Error>).self) { group in
            for (index, part) in parts.enumerated() {
                group.addTask { (index, Result { try run(part) }) }
            }
            var results: [Int: Result<Replay, any Error>] = [:]
            for try await (index, result) in group { results[index] = result }
            return Replay(try parts.indices.compactMap { try results[$0]?.get() })
        }
    }
}
