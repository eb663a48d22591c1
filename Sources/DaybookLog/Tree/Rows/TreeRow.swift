import DaybookEncoding

/// One row of the stored tree: up to 16 neighbouring hashes of one level.
///
/// Level 0 holds the leaf hashes, level 1 the hashes over 16 leaves each, level 2 those over 256,
/// and so on. The key is the level (one byte) and the row's place in it (eight bytes, big-endian);
/// the value is the hashes one after another. Row `i` of level `l` begins with the subtree over
/// the leaves from i·16^(l+1). A hash is there as soon as its subtree is complete, so that how
/// many hashes a row has follows from the tree's size. Sixteen rows of an even level in a row are
/// a tile of C2SP's tlog-tiles; `docs/adr/0017-the-tree-in-rows-of-sixteen.md` says why not one.
enum TreeRow {
    /// How many hashes a full row has.
    static let capacity: UInt64 = 16
    /// log₂ of the capacity.
    static let height = 4
    /// How many levels a tree of 2⁶⁴ − 1 leaves has.
    static let levels = 16

    /// The key of a row.
    static func key(level: Int, index: UInt64) -> Bytes {
        [UInt8(level)] + BigEndian.bytes(index)
    }

    /// The place in its level of a row with this key.
    static func index(of key: Bytes) -> UInt64 {
        BigEndian.number(key.dropFirst())
    }

    /// How many hashes a level has in a tree of some size.
    static func count(level: Int, size: UInt64) -> UInt64 {
        size >> UInt64(height * level)
    }

    /// A row of a tree of some size, or an error where it is not as long as the size says.
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
