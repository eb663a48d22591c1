/// What a chain knows of a transaction.
package enum UTXOStatus: Hashable, Sendable {
    /// Nothing.
    case unknown
    /// It waits for a block.
    case inMempool(isLocked: Bool)
    /// It is in the block of a height.
    case inBlock(height: Int, isLocked: Bool)

    /// The height of its block.
    package var height: Int? {
        if case .inBlock(let height, _) = self { height } else { nil }
    }
}
