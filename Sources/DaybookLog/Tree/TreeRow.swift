import DaybookEncoding

/// A row of the stored tree: up to 16 consecutive hashes of one level.
///
/// Level 0 holds the leaf hashes, level 1 the hashes over 16 leaves each, level 2 those over 256,
/// and so on. The key is 15 less the level (one byte) and the row's index in it (eight bytes,
/// big-endian): most rows are added at the end, where LMDB fills its pages. The value is the
/// concatenated hashes. Row `i` of level `l` begins with the subtree over the leaves from
/// i·16^(l+1). A hash is stored once its subtree is complete, so that the tree's size determines
/// the number of hashes in a row. Sixteen consecutive rows of an even level are a tile
/// of C2SP's tlog-tiles; `docs/adr/0012-the-log-and-its-derived-tables.md` says why rows are
/// smaller.
enum TreeRow {
    /// How many hashes a full row has.
    static let capacity: UInt64 = 16
    /// log₂ of the capacity.
    static let height = 4
    /// How many levels a tree of 2⁶⁴ − 1 leaves has.
    static let levels = 16

    /// The key of a row.
    static func key(level: Int, index: UInt64) -> Bytes {
        [UInt8(levels - 1 - level)] + BigEndian.bytes(index)
    }

    /// The level of the row with a key.
    static func level(of key: Bytes) -> Int { levels - 1 - Int(key.first ?? 0) }

    /// The index in its level of the row with a key.
    static func index(of key: Bytes) -> UInt64 {
        BigEndian.number(key.dropFirst())
    }

    /// How many hashes a level has in a tree of a size.
    static func count(level: Int, size: UInt64) -> UInt64 {
        size >> UInt64(height * level)
    }

    /// Reads a row of a tree of a size, and checks its length.
    static func load(
        _ rows: some Rows, level: Int, index: UInt64, size: UInt64
    ) throws(TreeError) -> Bytes {
        let count = min(capacity, TreeRow.count(level: level, size: size) - index * capacity)
        guard let row = rows.value(key(level: level, index: index)),
            row.count == Int(count) * TreeHash.length
        else { throw .damaged(level: level, index: index) }
        return row
    }
}

/// Why the stored tree can't answer.
package enum TreeError: Error, Hashable, Sendable {
    /// A row is missing, or has another number of hashes than the tree's size determines.
    case damaged(level: Int, index: UInt64)
    /// A size was asked for that is larger than the tree.
    case beyondSize(asked: UInt64, size: UInt64)
    /// An index was asked for at which the tree of that size has no leaf.
    case noLeaf(index: UInt64, size: UInt64)
}

extension TreeError: CustomStringConvertible {
    /// The fault, for people.
    package var description: String {
        switch self {
        case .damaged(let level, let index):
            "the tree's row \(index) of level \(level) is missing or has a wrong length"
        case .beyondSize(let asked, let size):
            "a tree of \(asked) leaves was asked for where there are \(size)"
        case .noLeaf(let index, let size):
            "there is no leaf \(index) in a tree of \(size)"
        }
    }
}

/// Computes the hashes of ranges of leaves from the stored hashes.
///
/// The ranges are those that RFC 6962 gets by splitting: each begins at a multiple of the smallest
/// power of two that is not below its length.
struct RangeHasher<Storage: Rows> {
    private let rows: Storage
    private let size: UInt64

    init(_ rows: Storage, size: UInt64) {
        self.rows = rows
        self.size = size
    }

    /// Splits a range of two or more leaves; the left part is the largest power of two below.
    static func split(_ range: Range<UInt64>) -> (left: Range<UInt64>, right: Range<UInt64>) {
        let last = range.upperBound - range.lowerBound - 1
        let middle = range.lowerBound + (1 << UInt64(63 - last.leadingZeroBitCount))
        return (range.lowerBound..<middle, middle..<range.upperBound)
    }

    /// The root of the tree over a range of leaves.
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
