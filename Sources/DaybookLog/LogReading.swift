package import DaybookEncoding

/// A log that can be read: a snapshot, or the transaction that writes.
package protocol LogReading: ~Copyable {
    var content: LogContent { get }
    /// How many events there are: the position of the next one.
    var count: UInt64 { get }
    /// The events after those of `content`, which are not stored yet.
    var appended: [Bytes] { get }
}

extension LogReading where Self: ~Copyable {
    /// The log's id.
    package var logID: Bytes { content.logID }

    /// The fold that keeps the state of the events; nil where the log was opened without one.
    ///
    /// Whoever appends an event applies it to the fold, too.
    package var fold: (any LogFold)? { content.derived.fold }

    /// The oldest events, if only an archive has them.
    package var archived: ArchivedEvents? { content.view.archived }

    /// The bytes of the event at a position; nil if there is none yet.
    package func bytes(at position: UInt64) throws -> Bytes? {
        if position >= count { return nil }
        if position >= content.count { return appended[Int(position - content.count)] }
        guard let bytes = try content.view.bytes(at: position) else {
            throw LogError.damaged(position: position, reason: "the event is missing")
        }
        return bytes
    }

    /// The event at a position; nil if there is none yet.
    package func record(at position: UInt64) throws -> EventRecord? {
        guard let bytes = try bytes(at: position) else { return nil }
        return try EventRecord.decode(bytes, at: position, ofLog: logID)
    }

    /// The events of `content` at those of some positions where it has any, in their order.
    package func records(at positions: [UInt64]) throws -> [EventRecord] {
        let positions = positions.filter { $0 < content.count }
        return try zip(positions, content.view.events(at: positions)).map { position, bytes in
            try EventRecord.decode(bytes, at: position, ofLog: logID)
        }
    }

    /// The events from a position on, at most `limit`, without gaps.
    package func records(from position: UInt64, limit: Int) throws -> [EventRecord] {
        try EventRecord.decode(
            try bytes(from: position, limit: limit), from: position, ofLog: logID)
    }

    /// The bytes of the events from a position on, at most `limit`, without gaps.
    ///
    /// No more follow once they have `byteLimit` bytes in all; there is always at least one.
    package func bytes(
        from position: UInt64, limit: Int, byteLimit: Int = .max
    ) throws -> [Bytes] {
        try content.view.events(from: position, limit: limit, byteLimit: byteLimit)
    }

    /// The positions of a request's events after a position, ascending.
    package func positions(
        ofRequest request: UInt64, after: UInt64? = nil, limit: Int = .max
    ) throws -> [UInt64] {
        try content.derived.positions.positions(.request, request, after: after, limit: limit)
    }

    /// The positions of a session's events after a position, ascending.
    package func positions(
        ofSession session: UInt64, after: UInt64? = nil, limit: Int = .max
    ) throws -> [UInt64] {
        try content.derived.positions.positions(.session, session, after: after, limit: limit)
    }

    /// The positions of a stream's events that belong to no request, after a position, ascending.
    package func positions(
        ofStream stream: String, after: UInt64? = nil, limit: Int = .max
    ) throws -> [UInt64] {
        guard let head = content.derived.head(of: stream) else { return [] }
        return try content.derived.positions.positions(
            .stream, head.first, after: after, limit: limit)
    }

    /// How many events a stream has: the revision of its next one.
    package func revision(ofStream stream: String) throws -> UInt64 {
        content.derived.head(of: stream)?.count ?? 0
    }

    /// The position of a stream's last event; nil where it has none.
    package func lastPosition(ofStream stream: String) throws -> UInt64? {
        content.derived.head(of: stream)?.last
    }
}

/// The Merkle tree over a log's events, and its proofs.
extension LogReading where Self: ~Copyable {
    /// The tree's head at a size, which is the log's unless given.
    package func head(at size: UInt64? = nil) throws -> TreeHead {
        try reading { tree throws(TreeError) in try tree.head(at: size ?? count) }
    }

    /// The proof that the log of a size contains an event.
    package func inclusionProof(of position: UInt64, at size: UInt64? = nil) throws
        -> InclusionProof
    {
        try reading { tree throws(TreeError) in
            try tree.inclusionProof(of: position, at: size ?? count)
        }
    }

    /// The proof that the log of a new size begins with that of an old one.
    package func consistencyProof(from old: UInt64, to new: UInt64? = nil) throws
        -> ConsistencyProof
    {
        try reading { tree throws(TreeError) in
            try tree.consistencyProof(from: old, to: new ?? count)
        }
    }

    /// A row of the stored tree, for verification.
    package func treeRow(_ key: Bytes) throws -> Bytes? {
        try content.derived.treeRows().value(key)
    }

    /// The hashes of the fewest whole subtrees that cover a range of events.
    package func cover(_ range: Range<UInt64>) throws -> [TreeHash] {
        try reading { tree throws(TreeError) in try tree.cover(range) }
    }

    private func reading<Value>(
        _ body: (TreeReader<LayeredRows>) throws(TreeError) -> Value
    ) throws -> Value {
        try content.derived.readTree(body)
    }
}

/// The log as of one commit, valid inside the closure that it is passed to.
package struct LogSnapshot: LogReading {
    package let content: LogContent
    /// How many events there are: the position of the next one.
    package var count: UInt64 { content.count }
    package var appended: [Bytes] { [] }
    /// The last event's time; 0 if there is none.
    package var lastTime: UInt64 { content.lastTime }
    /// The fault of derived tables that were dropped, if there was one.
    package var derivedFault: LogFault? { content.derived.fault }
    /// The streams' heads by name, encoded as `StreamHead.bytes`; setting one fails the read.
    package var streamRows: LayeredRows { content.derived.streams }
}
