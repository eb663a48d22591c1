package import DaybookLog

/// Where two logs part.
package enum LogDiff {
    /// How many events two logs have in common from the first on, by the heads of their trees.
    ///
    /// Asks for about log₂ of the smaller size.
    package static func commonPrefix(
        _ sizes: (UInt64, UInt64), _ heads: (UInt64) throws -> (TreeHead, TreeHead)
    ) rethrows -> UInt64 {
        var (low, high) = (UInt64(0), min(sizes.0, sizes.1))
        // What both have in common up to `low` is known, that they differ beyond `high` too.
        while low < high {
            let middle = low + (high - low + 1) / 2
            let (one, other) = try heads(middle)
            if one == other { low = middle } else { high = middle - 1 }
        }
        return low
    }

    /// The first field in which two events differ; nil if they are the same.
    ///
    /// `recorded` is what the left one says. Logs of which each has its own id are compared as if
    /// they had one.
    package static func firstDifference(
        _ left: EventRecord, _ right: EventRecord
    ) -> Divergence? {
        let other = EventRecord(
            format: right.format, logID: left.logID, position: right.position,
            stream: right.stream, revision: right.revision, type: right.type,
            version: right.version, time: right.time, session: right.session,
            request: right.request, cause: right.cause, actor: right.actor, data: right.data)
        guard left != other else { return nil }
        let found = Difference.first(left, other)
        return Divergence(
            position: left.id, field: found.field, recorded: found.recorded,
            produced: found.produced)
    }
}
