import DaybookDomain
import DaybookLinks
import DaybookLog
import DaybookReplay
import DaybookSystem

extension Source {
    /// Decides every event again, or those up to a position; all cores share them.
    func replayed(
        _ scope: Replayer.Scope = .all, through last: UInt64? = nil
    ) throws -> Replay {
        let decider = Links.decider
        let end = last.map { $0 + 1 } ?? count
        let parts = try Replay.inParts(events: end, cores: Process.cores) { part, state in
            var replayer = Replayer(
                state, scope: scope, part: part, decide: { decider.decide($0, $1) })
            let next = try events()
            while let record = try next(), record.position < end {
                if try !replayer.feed(record) { break }
            }
            replayer.finish(isWhole: end == count)
            return Replay(replayer)
        }
        return Replay(parts)
    }
}
