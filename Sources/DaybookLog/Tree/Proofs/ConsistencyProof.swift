/// Proves that one tree is the beginning of another (RFC 9162, section 2.1.4).
package struct ConsistencyProof: Equatable, Sendable {
    /// The hashes from which both roots follow, from the leaves upwards.
    package let hashes: [TreeHash]

    /// A proof of its hashes.
    package init(hashes: [TreeHash]) {
        self.hashes = hashes
    }

    /// Whether the new head's tree begins with all of the old head's leaves.
    ///
    /// The empty tree begins every other, and no hashes prove it. Of two trees of the same size,
    /// none may be given either: their roots must be the same.
    package func proves(_ old: TreeHead, beginsAs new: TreeHead) -> Bool {
        if old.size == new.size { return hashes.isEmpty && old.root == new.root }
        if old.size == 0 { return hashes.isEmpty && old.root == .ofEmptyTree }
        guard old.size < new.size else { return false }
        var place = old.size - 1
        var last = new.size - 1
        while place & 1 == 1 {
            place >>= 1
            last >>= 1
        }
        // A full old tree is a node of the new one, so that its root is the hash to begin with.
        let isFull = old.size.nonzeroBitCount == 1
        guard let first = isFull ? old.root : hashes.first else { return false }
        var oldRoot = first
        var newRoot = first
        for hash in isFull ? hashes[...] : hashes.dropFirst() {
            if last == 0 { return false }
            if place & 1 == 1 || place == last {
                oldRoot = TreeHash(hash, oldRoot)
                newRoot = TreeHash(hash, newRoot)
                while place & 1 == 0, place != 0 {
                    place >>= 1
                    last >>= 1
                }
            } else {
                newRoot = TreeHash(newRoot, hash)
            }
            place >>= 1
            last >>= 1
        }
        return last == 0 && oldRoot == old.root && newRoot == new.root
    }
}
