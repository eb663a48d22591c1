package import DaybookEncoding

/// Adds leaves and whole subtrees up to a root, from the left, in memory for some 64 hashes.
///
/// A part of a log proves in this way that it is one: hashes stand for what was left out.
package struct TreeFold {
    /// The subtrees that make up the leaves so far, the largest first.
    private var peaks: [(height: Int, hash: TreeHash)] = []
    /// How many leaves there are.
    package private(set) var size: UInt64 = 0

    /// The fold of no leaves.
    package init() {}

    /// Adds the leaf of an event's bytes and returns its hash.
    @discardableResult
    package mutating func add(leaf event: Bytes) -> TreeHash {
        let hash = TreeHash(leaf: event.span)
        add(hash, height: 0)
        return hash
    }

    /// Adds the subtree over 2^height leaves; it must be one of `cover`'s where it stands.
    package mutating func add(_ subtree: TreeHash, height: Int) {
        precondition(
            height < UInt64.bitWidth && size.trailingZeroBitCount >= height,
            "a subtree begins at a multiple of its size, as those of a cover do")
        var peak = (height: height, hash: subtree)
        size += 1 << UInt64(height)
        while let left = peaks.last, left.height == peak.height {
            peaks.removeLast()
            peak = (peak.height + 1, TreeHash(left.hash, peak.hash))
        }
        peaks.append(peak)
    }

    /// The root over all leaves so far.
    package func root() -> TreeHash {
        guard var root = peaks.last?.hash else { return .ofEmptyTree }
        for peak in peaks.dropLast().reversed() { root = TreeHash(peak.hash, root) }
        return root
    }

    /// The heights of the fewest whole subtrees that lie side by side over a range of leaves.
    package static func cover(_ range: Range<UInt64>) -> [Int] {
        var heights: [Int] = []
        var first = range.lowerBound
        while first < range.upperBound {
            let longest = 63 - (range.upperBound - first).leadingZeroBitCount
            let height = min(first.trailingZeroBitCount, longest)
            heights.append(height)
            first += 1 << UInt64(height)
        }
        return heights
    }
}
