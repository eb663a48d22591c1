package import DaybookEncoding

/// The tree over a log's events: what proves that a log has an event, and that it only grew.
extension LogReading where Self: ~Copyable {
    /// The tree's head when the log had so many events; all of them unless said otherwise.
    package func head(at size: UInt64? = nil) throws -> TreeHead {
        try reading { tree throws(TreeError) in try tree.head(at: size ?? count) }
    }

    /// The proof that an event is part of the log as it was with so many events.
    package func inclusionProof(of position: UInt64, at size: UInt64? = nil) throws
        -> InclusionProof
    {
        try reading { tree throws(TreeError) in
            try tree.inclusionProof(of: position, at: size ?? count)
        }
    }

    /// The proof that the log of an old size is the beginning of that of a new one.
    package func consistencyProof(from old: UInt64, to new: UInt64? = nil) throws
        -> ConsistencyProof
    {
        try reading { tree throws(TreeError) in
            try tree.consistencyProof(from: old, to: new ?? count)
        }
    }

    /// A row of the tree, for whoever checks the tree.
    package func treeRow(_ key: Bytes) throws -> Bytes? {
        try content.derived.treeRows().value(key)
    }

    /// The hashes of the fewest whole subtrees that lie side by side over a range of events.
    package func cover(_ range: Range<UInt64>) throws -> [TreeHash] {
        try reading { tree throws(TreeError) in try tree.cover(range) }
    }

    private func reading<Value>(
        _ body: (TreeReader<LayeredRows>) throws(TreeError) -> Value
    ) throws -> Value {
        try content.derived.readTree(body)
    }
}
