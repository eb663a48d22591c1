import DaybookEncoding

@testable import DaybookLog

/// The events of the tests: the one at position 12 is `12`.
func event(_ position: UInt64) -> Bytes {
    Bytes("\(position)".utf8)
}

/// A tree of so many events, appended in one transaction.
func tree(of size: UInt64) throws -> TreeReader<MemoryRows> {
    var appender = try TreeAppender(MemoryRows(), size: 0)
    for position in 0..<size { appender.append(event(position)) }
    appender.save()
    return TreeReader(appender.rows, size: size)
}

/// Roots by RFC 6962's definition, from nothing but the leaves' hashes.
struct Definition {
    /// The hashes computed so far, because the definition asks for the same parts repeatedly.
    private var known: [Range<UInt64>: TreeHash] = [:]

    mutating func root(_ leaves: Range<UInt64>) -> TreeHash {
        if leaves.isEmpty { return .ofEmptyTree }
        if let hash = known[leaves] { return hash }
        if leaves.count == 1 { return leafHash(leaves.lowerBound) }
        var left: UInt64 = 1
        while left * 2 < leaves.count { left *= 2 }
        let middle = leaves.lowerBound + left
        let hash = TreeHash(
            root(leaves.lowerBound..<middle), root(middle..<leaves.upperBound))
        known[leaves] = hash
        return hash
    }
}

/// The hash of the leaf at a position.
func leafHash(_ position: UInt64) -> TreeHash {
    TreeHash(leaf: event(position).span)
}
