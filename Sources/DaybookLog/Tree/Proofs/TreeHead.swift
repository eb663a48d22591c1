/// What a whole tree comes down to: how many leaves it has, and the hash over them.
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
