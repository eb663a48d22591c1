/// Why nothing could be read from the stored tree.
package enum TreeError: Error, Hashable, Sendable {
    /// A row is missing or has not as many hashes as the tree's size says.
    case damaged(level: Int, index: UInt64)
    /// A size above the tree's, or of a tree that would have to begin with a larger one.
    case beyondSize(asked: UInt64, size: UInt64)
    /// An index at which the tree of that size has no leaf.
    case noLeaf(index: UInt64, size: UInt64)
}

extension TreeError: CustomStringConvertible {
    /// What is wrong, for people.
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
