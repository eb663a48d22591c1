import DaybookCrypto
import DaybookEncoding

/// The two hashes of RFC 6962, section 2.1: of a leaf, and of a node over two subtrees.
///
/// What they hash begins with different bytes, so that no leaf can pass for a node.
struct TreeHasher: ~Copyable {
    private var hasher = SHA256Hasher()

    /// SHA-256(0x00 ‖ the event's bytes).
    mutating func leaf(_ event: Span<UInt8>) -> TreeHash {
        hasher.update(byte: 0)
        hasher.update(event)
        return TreeHash(finishing: &hasher)
    }

    /// SHA-256(0x01 ‖ left ‖ right).
    mutating func node(_ left: TreeHash, _ right: TreeHash) -> TreeHash {
        hasher.update(byte: 1)
        left.update(&hasher)
        right.update(&hasher)
        return TreeHash(finishing: &hasher)
    }

    /// The hash over neighbouring entries of a row; `count` is a power of two.
    mutating func subtree(of row: Bytes, from first: Int, count: Int) -> TreeHash {
        if count == 1 { return TreeHash(row.span, at: first * TreeHash.length) }
        let left = subtree(of: row, from: first, count: count / 2)
        let right = subtree(of: row, from: first + count / 2, count: count / 2)
        return node(left, right)
    }
}
