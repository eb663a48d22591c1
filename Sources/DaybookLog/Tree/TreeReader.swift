package import DaybookEncoding

/// Computes heads and proofs from the stored tree, for its size and every smaller one.
///
/// Each takes O(log n) reads of rows.
package struct TreeReader<Storage: Rows>: Sendable {
    let rows: Storage
    /// How many leaves the tree has.
    package let size: UInt64

    /// The tree of a known size that is stored in rows.
    package init(_ rows: Storage, size: UInt64) {
        self.rows = rows
        self.size = size
    }

    /// The head that the tree had when it had `size` leaves.
    package func head(at size: UInt64) throws(TreeError) -> TreeHead {
        try check(size)
        let ranges = RangeHasher(rows, size: self.size)
        return TreeHead(size: size, root: try ranges.hash(0..<size))
    }

    /// The proof that the tree of a size has the leaf at an index.
    package func inclusionProof(
        of index: UInt64, at size: UInt64
    ) throws(TreeError) -> InclusionProof {
        try check(size)
        guard index < size else { throw .noLeaf(index: index, size: size) }
        let ranges = RangeHasher(rows, size: self.size)
        var hashes: [TreeHash] = []
        // RFC 6962, section 2.1.1: down to the leaf, noting the sibling at each step.
        var range = 0..<size
        while range.upperBound - range.lowerBound > 1 {
            let (left, right) = RangeHasher<Storage>.split(range)
            let isLeft = left.contains(index)
            hashes.append(try ranges.hash(isLeft ? right : left))
            range = isLeft ? left : right
        }
        return InclusionProof(index: index, hashes: hashes.reversed())
    }

    /// The proof that the tree of an old size is the beginning of the one of a new size.
    package func consistencyProof(
        from old: UInt64, to new: UInt64
    ) throws(TreeError) -> ConsistencyProof {
        try check(new)
        guard old <= new else { throw .beyondSize(asked: old, size: new) }
        if old == 0 { return ConsistencyProof(hashes: []) }
        let ranges = RangeHasher(rows, size: self.size)
        var hashes: [TreeHash] = []
        // RFC 6962, section 2.1.2: down to the subtree that ends where the old tree does.
        var range = 0..<new
        while range.upperBound != old {
            let (left, right) = RangeHasher<Storage>.split(range)
            let isLeft = old <= left.upperBound
            hashes.append(try ranges.hash(isLeft ? right : left))
            range = isLeft ? left : right
        }
        // The verifier knows the root of the whole old tree, but not that of a part of it.
        if range.lowerBound > 0 { hashes.append(try ranges.hash(range)) }
        return ConsistencyProof(hashes: hashes.reversed())
    }

    private func check(_ asked: UInt64) throws(TreeError) {
        if asked > size { throw .beyondSize(asked: asked, size: size) }
    }
}

extension TreeReader {
    /// The hashes of the subtrees that `TreeFold.cover` names for a range.
    package func cover(_ range: Range<UInt64>) throws(TreeError) -> [TreeHash] {
        guard range.upperBound <= size else {
            throw .beyondSize(asked: range.upperBound, size: size)
        }
        let ranges = RangeHasher(rows, size: size)
        var hashes: [TreeHash] = []
        var first = range.lowerBound
        for height in TreeFold.cover(range) {
            let end = first + (1 << UInt64(height))
            hashes.append(try ranges.hash(first..<end))
            first = end
        }
        return hashes
    }
}
