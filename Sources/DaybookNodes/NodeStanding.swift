package import DaybookEncoding

/// How a node stands that can serve a wallet.
package struct NodeStanding: Equatable, Sendable {
    /// The height of the highest block.
    package let height: UInt64
    /// The hash of that block, as displayed.
    package let tip: Bytes
    /// What else is worth knowing, each in one sentence in lower case; safe to show.
    package let notes: [String]

    /// A standing of its parts.
    package init(height: UInt64, tip: Bytes, notes: [String] = []) {
        self.height = height
        self.tip = tip
        self.notes = notes
    }
}
