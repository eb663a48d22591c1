package import DaybookEncoding

/// Proves that a tree has an event at an index (RFC 9162, section 2.1.3).
///
/// The head must come from where it is trusted, such as a checkpoint: a proof says nothing about a
/// size and a root that do not belong together.
package struct InclusionProof: Equatable, Sendable {
    /// The leaf's place in the tree, from 0: the event's position.
    package let index: UInt64
    /// The hashes beside the path, from the leaf's sibling upwards.
    package let hashes: [TreeHash]

    /// A proof of an index and the hashes beside its path.
    package init(index: UInt64, hashes: [TreeHash]) {
        self.index = index
        self.hashes = hashes
    }

    /// Whether the tree of a head has the event's bytes at the index.
    package func proves(_ event: Bytes, in head: TreeHead) -> Bool {
        guard index < head.size else { return false }
        var hash = TreeHash(leaf: event.span)
        var place = index
        // The place of the last node on the same level.
        var last = head.size - 1
        for sibling in hashes {
            if last == 0 { return false }
            if place & 1 == 1 || place == last {
                hash = TreeHash(sibling, hash)
                // A node without a right sibling rises until it is one itself.
                while place & 1 == 0, place != 0 {
                    place >>= 1
                    last >>= 1
                }
            } else {
                hash = TreeHash(hash, sibling)
            }
            place >>= 1
            last >>= 1
        }
        return last == 0 && hash == head.root
    }
}
