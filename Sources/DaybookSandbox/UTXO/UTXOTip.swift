package import DaybookChains

/// The last block of a chain.
package struct UTXOTip: Hashable, Sendable {
    package let height: Int
    package let hash: TransactionID
    /// Microseconds since 1970; 0 for a chain that has mined nothing.
    package let time: UInt64
}
