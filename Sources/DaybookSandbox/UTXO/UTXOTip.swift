package import DaybookChains

/// The last block of a chain.
package struct UTXOTip: Hashable, Sendable {
    /// How many blocks lie below it.
    package let height: Int
    /// The block's hash.
    package let hash: TransactionID
    /// Microseconds since 1970; 0 for a chain that has mined nothing.
    package let time: UInt64
}
