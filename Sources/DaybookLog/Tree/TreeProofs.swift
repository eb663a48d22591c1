package import DaybookEncoding

/// Proves that a tree has an event at an index (RFC 9162, section 2.1.3).
///
/// The head must come from a trusted source, such as a checkpoint: a proof does not show that its
/// size and root belong together.
package struct InclusionProof: Equatable, Sendable {
    /// The leaf's index in the tree, from 0: the event's position.
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
        var node = index
        // The index of the last node on the same level.
        var last = head.size - 1
        for sibling in hashes {
            if last == 0 { return false }
            if node & 1 == 1 || node == last {
                hash = TreeHash(sibling, hash)
                // A node without a right sibling rises until it is one itself.
                while node & 1 == 0, node != 0 {
                    node >>= 1
                    last >>= 1
                }
            } else {
                hash = TreeHash(hash, sibling)
            }
            node >>= 1
            last >>= 1
        }
        return last == 0 && hash == head.root
    }
}

/// Proves that one tree is the beginning of another (RFC 9162, section 2.1.4).
package struct ConsistencyProof: Equatable, Sendable {
    /// The hashes from which both roots are computed, from the leaves upwards.
    package let hashes: [TreeHash]

    /// A proof of its hashes.
    package init(hashes: [TreeHash]) {
        self.hashes = hashes
    }

    /// Whether the new head's tree begins with all of the old head's leaves.
    ///
    /// Every tree begins with the empty one, and the proof has no hashes. For two trees of the same
    /// size it has none either, and their roots must be equal.
    package func proves(_ old: TreeHead, beginsAs new: TreeHead) -> Bool {
        if old.size == new.size { return hashes.isEmpty && old.root == new.root }
        if old.size == 0 { return hashes.isEmpty && old.root == .ofEmptyTree }
        guard old.size < new.size else { return false }
        var node = old.size - 1
        var last = new.size - 1
        while node & 1 == 1 {
            node >>= 1
            last >>= 1
        }
        // A full old tree is a node of the new one, so that its root is the first hash.
        let isFull = old.size.nonzeroBitCount == 1
        guard let first = isFull ? old.root : hashes.first else { return false }
        var oldRoot = first
        var newRoot = first
        for hash in isFull ? hashes[...] : hashes.dropFirst() {
            if last == 0 { return false }
            if node & 1 == 1 || node == last {
                oldRoot = TreeHash(hash, oldRoot)
                newRoot = TreeHash(hash, newRoot)
                while node & 1 == 0, node != 0 {
                    node >>= 1
                    last >>= 1
                }
            } else {
                newRoot = TreeHash(newRoot, hash)
            }
            node >>= 1
            last >>= 1
        }
        return last == 0 && oldRoot == old.root && newRoot == new.root
    }
}

/// The head of a tree: its size and its root hash.
package struct TreeHead: Equatable, Sendable {
    /// How many leaves the tree has.
    package let size: UInt64
    /// The hash over all leaves.
    package let root: TreeHash

    /// A head of a size and a root.
    package init(size: UInt64, root: TreeHash) {
        self.size = size
        self.root = root
    }
}
