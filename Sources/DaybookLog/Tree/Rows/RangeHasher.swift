import DaybookEncoding

/// Hashes of ranges of leaves, put together from stored ones.
///
/// A range is one that RFC 6962 makes by splitting: it begins at a multiple of the smallest power
/// of two that is not below its length.
struct RangeHasher<Storage: Rows> {
    private let rows: Storage
    private let size: UInt64

    init(_ rows: Storage, size: UInt64) {
        self.rows = rows
        self.size = size
    }

    /// Both parts of a range of two leaves or more: the left has the largest power of two below.
    static func split(_ range: Range<UInt64>) -> (left: Range<UInt64>, right: Range<UInt64>) {
        let last = range.upperBound - range.lowerBound - 1
        let middle = range.lowerBound + (1 << UInt64(63 - last.leadingZeroBitCount))
        return (range.lowerBound..<middle, middle..<range.upperBound)
    }

    /// The hash of a range's tree.
    func hash(_ range: Range<UInt64>) throws(TreeError) -> TreeHash {
        if range.isEmpty { return .ofEmptyTree }
        let length = range.upperBound - range.lowerBound
        if length.nonzeroBitCount == 1 {
            return try subtree(at: range.lowerBound, height: length.trailingZeroBitCount)
        }
        let (left, right) = Self.split(range)
        return TreeHash(try hash(left), try hash(right))
    }

    private func subtree(at leaf: UInt64, height: Int) throws(TreeError) -> TreeHash {
        let (level, rest) = height.quotientAndRemainder(dividingBy: TreeRow.height)
        let entry = TreeRow.count(level: level, size: leaf)
        let (index, first) = entry.quotientAndRemainder(dividingBy: TreeRow.capacity)
        let row = try TreeRow.load(rows, level: level, index: index, size: size)
        return TreeHash(over: row, from: Int(first), count: 1 << rest)
    }
}
