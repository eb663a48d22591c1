package import DaybookDomain
import DaybookSystem

extension Replay {
    /// Decides the parts of a log of so many events at the same time, one for each core.
    ///
    /// `decide` reads the log by itself for each part, into a state of its own. What it came to is
    /// handed out in the order of the parts. Of the errors that it throws that of the first part is
    /// thrown, as deciding the whole would.
    package static func inParts<Decided: Sendable>(
        events: UInt64, cores: Int,
        _ decide: @Sendable (Range<UInt64>, State) throws -> Decided
    ) throws -> [Decided] {
        try Cores.map(parts(of: events, cores: cores)) { part in
            try ScratchRows.withState(forEvents: min(events, part.upperBound)) { state in
                try decide(part, state)
            }
        }
    }
}
