package import DaybookEncoding

/// A log that can be read: a snapshot, or the transaction that writes.
package protocol LogReading: ~Copyable {
    /// The data that follows from the events.
    var derived: DerivedData { get }

    /// The events that it shows; a part of `derived`, all of which would be copied.
    var point: LogPoint { get }

    /// Runs `body` on the stored events, among which are all that memory does not hold.
    func withEvents<Value>(_ body: (any EventView) throws -> Value) throws -> Value

    /// The tree over all events.
    var tree: TreeReader<OverlayRows> { get }
}

/// The events that a reading of a log shows, to compare two readings without reading.
///
/// Equal ones show the very same events. Others may do so too, for example after the derived tables
/// were brought forward.
package struct LogPoint: Equatable, Sendable {
    let tail: LogTail
    let count: UInt64

    package static func == (left: LogPoint, right: LogPoint) -> Bool {
        left.tail === right.tail && left.count == right.count
    }
}

extension LogReading where Self: ~Copyable {
    /// The log's id.
    package var logID: Bytes { derived.logID }

    /// How many events there are: the position of the next one.
    package var count: UInt64 { point.count }

    /// The last event's time; 0 if there is none.
    package var lastTime: UInt64 { derived.lastTime }

    /// The bytes of the event at a position; nil if there is none yet.
    package func bytes(at position: UInt64) throws -> Bytes? {
        try held(position)?.bytes ?? stored(at: position)
    }

    /// The event at a position; nil if there is none yet.
    package func record(at position: UInt64) throws -> EventRecord? {
        if let record = held(position) { return record }
        guard let bytes = try stored(at: position) else { return nil }
        return try EventRecord.decode(bytes, at: position, ofLog: logID)
    }

    /// The event at a position, if memory holds it.
    private func held(_ position: UInt64) -> EventRecord? {
        let point = point
        return point.tail.record(at: position, below: point.count)
    }

    private func stored(at position: UInt64) throws -> Bytes? {
        if position >= count { return nil }
        guard let bytes = try withEvents({ try $0.bytes(at: position) }) else {
            throw LogError.damaged(position: position, reason: "the event is missing")
        }
        return bytes
    }

    /// The events at those of some positions where there are any, in their order.
    package func records(at positions: [UInt64]) throws -> [EventRecord] {
        let positions = positions.filter { $0 < count }
        var records = positions.map { held($0) }
        let missing = positions.indices.filter { records[$0] == nil }
        if !missing.isEmpty {
            let found = try withEvents { try $0.events(at: missing.map { positions[$0] }) }
            for (index, bytes) in zip(missing, found) {
                records[index] = try EventRecord.decode(bytes, at: positions[index], ofLog: logID)
            }
        }
        return records.compactMap { $0 }
    }

    /// The events from a position on, at most `limit`, without gaps.
    package func records(from position: UInt64, limit: Int) throws -> [EventRecord] {
        if let range = range(position, limit), let held = point.tail.records(range) {
            return held
        }
        return try EventRecord.decode(
            try bytes(from: position, limit: limit), from: position, ofLog: logID)
    }

    /// The same with the events in them, decoded in one pass.
    package func decodedRecords(from position: UInt64, limit: Int) throws -> [DecodedRecord] {
        if let range = range(position, limit), let held = point.tail.records(range) {
            return held.map { DecodedRecord($0) }
        }
        return try DecodedRecord.decode(
            try bytes(from: position, limit: limit), from: position, ofLog: logID)
    }

    /// The bytes of the events from a position on, at most `limit`, without gaps.
    ///
    /// No more follow once they have `byteLimit` bytes in all; there is always at least one.
    package func bytes(
        from position: UInt64, limit: Int, byteLimit: Int = .max
    ) throws -> [Bytes] {
        guard let range = range(position, limit) else { return [] }
        return try withEvents {
            try $0.events(from: position, limit: range.count, byteLimit: byteLimit)
        }
    }

    /// The positions of at most `limit` events from one on; nil if there are none.
    private func range(_ position: UInt64, _ limit: Int) -> Range<UInt64>? {
        guard position < count, limit > 0 else { return nil }
        return position..<(position + min(UInt64(limit), count - position))
    }

    /// The positions of a request's events after a position, ascending.
    package func positions(
        ofRequest request: UInt64, after: UInt64? = nil, limit: Int = .max
    ) throws -> [UInt64] {
        try derived.positions(.request, request, after: after, limit: limit)
    }

    /// The positions of a session's events after a position, ascending.
    package func positions(
        ofSession session: UInt64, after: UInt64? = nil, limit: Int = .max
    ) throws -> [UInt64] {
        try derived.positions(.session, session, after: after, limit: limit)
    }

    /// The positions of a stream's events that belong to no request, after a position, ascending.
    package func positions(
        ofStream stream: String, after: UInt64? = nil, limit: Int = .max
    ) throws -> [UInt64] {
        guard let head = derived.head(of: stream) else { return [] }
        return try derived.positions(.stream, head.first, after: after, limit: limit)
    }

    /// How many events a stream has: the revision of its next one.
    package func revision(ofStream stream: String) throws -> UInt64 {
        derived.head(of: stream)?.count ?? 0
    }

    /// The position of a stream's last event; nil where it has none.
    package func lastPosition(ofStream stream: String) throws -> UInt64? {
        derived.head(of: stream)?.last
    }

    /// The streams' heads by name, encoded as `StreamHead.bytes`.
    package var streamRows: OverlayRows { derived.streams }
}

/// The Merkle tree over a log's events, and its proofs.
extension LogReading where Self: ~Copyable {
    /// The tree's head at a size, which is the log's unless given.
    package func head(at size: UInt64? = nil) throws -> TreeHead {
        try reading { tree throws(TreeError) in try tree.head(at: size ?? tree.size) }
    }

    /// The proof that the log of a size contains an event.
    package func inclusionProof(of position: UInt64, at size: UInt64? = nil) throws
        -> InclusionProof
    {
        try reading { tree throws(TreeError) in
            try tree.inclusionProof(of: position, at: size ?? tree.size)
        }
    }

    /// The proof that the log of a new size begins with that of an old one.
    package func consistencyProof(from old: UInt64, to new: UInt64? = nil) throws
        -> ConsistencyProof
    {
        try reading { tree throws(TreeError) in
            try tree.consistencyProof(from: old, to: new ?? tree.size)
        }
    }

    /// A row of the stored tree, for verification.
    package func treeRow(_ key: Bytes) throws -> Bytes? {
        tree.rows.value(key)
    }

    /// The hashes of the fewest whole subtrees that cover a range of events.
    package func cover(_ range: Range<UInt64>) throws -> [TreeHash] {
        try reading { tree throws(TreeError) in try tree.cover(range) }
    }

    private func reading<Value>(
        _ body: (TreeReader<OverlayRows>) throws(TreeError) -> Value
    ) throws -> Value {
        do throws(TreeError) {
            return try body(tree)
        } catch {
            throw LogError.damaged(position: nil, reason: "\(error)")
        }
    }
}

/// The log as of one commit; it never changes.
package struct LogSnapshot: LogReading {
    let published: Published
    let events: SegmentedEvents

    package var derived: DerivedData { published.derived }

    package var point: LogPoint {
        LogPoint(tail: published.derived.tail, count: published.derived.size)
    }

    /// The oldest events, if only an archive has them.
    package var archived: ArchivedEvents? { published.version.archived }

    /// The fault of derived tables that were dropped, if there was one.
    package var derivedFault: LogFault? { published.fault }

    /// A later view of the events has those of this one as well.
    package func withEvents<Value>(_ body: (any EventView) throws -> Value) throws -> Value {
        try events.snapshot(.published, body)
    }

    package var tree: TreeReader<OverlayRows> { published.tree }
}
