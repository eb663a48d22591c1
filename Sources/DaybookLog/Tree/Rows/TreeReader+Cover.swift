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
